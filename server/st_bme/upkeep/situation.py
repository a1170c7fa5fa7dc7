"""What upkeep decides from, and what it wants to be decided."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from st_bme.graph.memory_graph import MemoryGraph
from st_bme.graph.records import RecordSet
from st_bme.model.message import Role
from st_bme.model.node import Node
from st_bme.model.operation import Operation
from st_bme.ports import ChatPrompt
from st_bme.read.ages import Uses
from st_bme.settings import Values
from st_bme.upkeep.likeness import VectorOf
from st_bme.upkeep.reading import Reading

Decision: TypeAlias = tuple[Reading, Sequence[Operation]]
"""What becomes one record."""


@dataclass(frozen=True, slots=True)
class Situation:
    """A chat as a task sees it: graph and records, the messages of the view, the settings.

    `text_of` gives the cleaned text of a message by key, "" where it is not here; `vector_of` the vector of a text,
    None where it has none. `uses` says how often and when last a node was recalled. `now`: the user asked for it, so
    that nothing waits until more has come together. `has_model`: one can be asked.
    """

    graph: MemoryGraph
    records: RecordSet
    roles: Sequence[Role]
    settings: Values
    text_of: Callable[[str], str]
    language: str = "en"
    uses: Uses = field(default_factory=Uses)
    vector_of: VectorOf = lambda _: None
    now: bool = False
    has_model: bool = True

    def of_type(self, node_type: str) -> list[Node]:
        """The active nodes of a type, in fold order."""
        return [node for node in self.graph.active_nodes() if node.type == node_type]


@dataclass(frozen=True, slots=True)
class Job:
    """Something that is due: at most one model call, and what comes of it.

    `about` tells jobs apart. `decide` is given the model's answer, "" where there is no prompt; each decision that it
    gives becomes a record of its own. It raises AnswerUnusable where the answer decides nothing.
    """

    about: tuple[Reading, ...]
    decide: Callable[[str], Sequence[Decision]]
    prompt: ChatPrompt | None = None

    @property
    def key(self) -> tuple[str, ...]:
        return tuple(reading.memo_key for reading in self.about)


@dataclass(frozen=True, slots=True)
class Task:
    """A kind of upkeep: its name, the settings of which one must be on, and what is due, the most urgent first."""

    name: str
    switches: tuple[str, ...]
    due: Callable[[Situation], Iterator[Job]]
    needs_model: bool = True

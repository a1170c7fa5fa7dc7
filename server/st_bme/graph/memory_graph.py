"""The folded graph: what is remembered of a chat as it stands. Immutable."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from st_bme.graph.fold_state import Drop
from st_bme.graph.ledgers import NOTHING_SAID, Ledgers
from st_bme.graph.live import Coverage
from st_bme.model.edge import Edge
from st_bme.model.node import Node


@dataclass(frozen=True, slots=True)
class MemoryGraph:
    """Nodes and edges by id, and how they came about.

    `view` are the keys of the messages that count, `live` and `dormant` the ids of the records that do and do not
    take part, `drops` the operations without effect. `withheld` are the upkeep records whose reads all stand and that
    take no part because they are marked off or would change what is the user's. `condensed` says for a task that
    condenses runs of messages, position by position, which messages it need not read again. `ledgers` are the timeline,
    who knows what, regions and variables.
    """

    view: tuple[str, ...]
    nodes: Mapping[str, Node]
    summaries: Mapping[str, Node]
    edges: Mapping[str, Edge]
    coverage: Coverage
    live: frozenset[str]
    dormant: frozenset[str]
    withheld: frozenset[str]
    condensed: Mapping[str, tuple[bool, ...]]
    drops: tuple[Drop, ...]
    ledgers: Ledgers = NOTHING_SAID

    @property
    def pending(self) -> tuple[bool, ...]:
        """One flag a position of the view: no record has read this message yet."""
        return self.coverage.pending

    def places(self) -> dict[str, int]:
        """First position of each key of the view."""
        found: dict[str, int] = {}
        for position, key in enumerate(self.view):
            found.setdefault(key, position)
        return found

    def active_nodes(self) -> Sequence[Node]:
        """Nodes that are not archived, in fold order."""
        return [node for node in self.nodes.values() if not node.archived]

    def frontier(self) -> Sequence[Node]:
        """Summaries that no other one condenses, in fold order."""
        return [summary for summary in self.summaries.values() if not summary.archived]

    def current_edges(self) -> Sequence[Edge]:
        """Edges that hold now, in fold order."""
        return [edge for edge in self.edges.values() if edge.is_current]

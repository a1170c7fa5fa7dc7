"""The copy of the state that the page holds, and what must be sent to bring it up to date."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from st_bme.graph.json_reader import JsonObject
from st_bme.graph.memory_graph import MemoryGraph
from st_bme.graph.state import Placement
from st_bme.graph.state_patch import diff_states
from st_bme.history.view import View, view_chain
from st_bme.ports import ChatName
from st_bme.protocol.results import StatePatch

WHOLE = -1


class Copy:
    """The copy as it was last sent. One a chat; every page follows the same patches."""

    def __init__(self, lineage: str, rev: int) -> None:
        self.lineage = lineage
        self.rev = rev
        self.state: JsonObject = {}

    def differs(self, state: JsonObject) -> bool:
        """True if the page has to hear of it: anything but the revision changed."""
        return {**self.state, "rev": 0} != {**state, "rev": 0}

    def advance(self, state: JsonObject, rev: int) -> StatePatch:
        """Take the state as sent at `rev` and return the steps from the one before."""
        if not self.state:
            patch = StatePatch(lineage=self.lineage, base_rev=WHOLE, rev=rev, steps=[["set", [], state]])
        else:
            steps = diff_states(self.state, state)
            patch = StatePatch(lineage=self.lineage, base_rev=self.rev, rev=rev, steps=steps)
        self.state, self.rev = state, rev
        return patch

    def whole(self) -> StatePatch:
        """The one step that sets everything."""
        return StatePatch(lineage=self.lineage, base_rev=WHOLE, rev=self.rev, steps=[["set", [], self.state]])


@dataclass(frozen=True, slots=True)
class CopyFacts:
    """What a copy says beside the graph and its place in the chat."""

    lineage: str
    chat: ChatName
    rev: int
    head: str
    aliases: Mapping[str, str]
    last_recall: Sequence[str]


def placement_of(facts: CopyFacts, view: View, graph: MemoryGraph) -> Placement:
    """Where the graph stands in the chat."""
    owned = zip(view.floors, view.roles, graph.coverage.owners, strict=True)
    replies = [floor for floor, role, owner in owned if owner is not None and role == "assistant"]
    present = set(view.keys)
    return Placement(
        lineage=facts.lineage,
        chat=facts.chat.name,
        owner=facts.chat.owner,
        rev=facts.rev,
        head=facts.head,
        floors=view.floors,
        chain=view_chain(view),
        last_processed=max(replies, default=-1),
        aliases={raw: key for raw, key in facts.aliases.items() if key in present},
        last_recall=tuple(facts.last_recall),
    )

"""The copy of the state that the page holds, and what must be sent to bring it up to date."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import orjson

from st_bme.graph.fold import Folder
from st_bme.graph.json_reader import JsonObject
from st_bme.graph.memory_graph import MemoryGraph
from st_bme.graph.records import RecordSet
from st_bme.graph.state import Placement, encode_state
from st_bme.graph.state_patch import Step, diff_states
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

    def take(self, state: JsonObject, rev: int) -> None:
        """Hold this state as sent at `rev`."""
        self.state, self.rev = {**state, "rev": rev}, rev

    def advance(self, state: JsonObject, steps: list[Step]) -> StatePatch:
        """Take the state as sent at the next revision; `steps` lead to it from the one before."""
        patch = StatePatch(lineage=self.lineage, base_rev=self.rev, rev=self.rev + 1, steps=steps)
        self.take(state, self.rev + 1)
        return patch

    def whole(self) -> StatePatch:
        """The one step that sets everything."""
        return StatePatch(lineage=self.lineage, base_rev=WHOLE, rev=self.rev, steps=[["set", [], self.state]])


def steps_between(old: JsonObject, new: JsonObject) -> list[Step]:
    """The steps from one copy to the next; none where nothing but the revision differs."""
    steps = diff_states(old, new)
    return [] if all(step[1] == ["rev"] for step in steps) else steps


def copy_digest(state: JsonObject) -> str:
    """Digest of a copy: whether a page that holds this revision holds this state."""
    return hashlib.sha256(orjson.dumps(state)).hexdigest()


@dataclass(frozen=True, slots=True)
class Draft:
    """All that the next copy is made of, taken at one moment.

    `first_folder` folds the records before the tail; the chat's own, so that it folds only what is new.
    """

    lineage: str
    chat: ChatName
    rev: int
    head: str
    view: View
    graph: MemoryGraph
    records: RecordSet
    aliases: Mapping[str, str]
    last_recall: Sequence[str]
    first_folder: Folder

    def says_the_same(self, other: Draft) -> bool:
        """Whether both make the same copy, apart from the revision."""
        mine, its = ((d.head, d.chat, d.aliases, d.last_recall) for d in (self, other))
        return self.view is other.view and self.graph is other.graph and mine == its

    def encode(self) -> JsonObject:
        return encode_state(self.graph, self.records, _placement_of(self), self.first_folder.fold)


def _placement_of(draft: Draft) -> Placement:
    """Where the graph stands in the chat."""
    view = draft.view
    owned = zip(view.floors, view.roles, draft.graph.coverage.owners, strict=True)
    replies = [floor for floor, role, owner in owned if owner is not None and role == "assistant"]
    present = set(view.keys)
    return Placement(
        lineage=draft.lineage,
        chat=draft.chat.name,
        owner=draft.chat.owner,
        rev=draft.rev,
        head=draft.head,
        floors=view.floors,
        chain=view_chain(view),
        last_processed=max(replies, default=-1),
        aliases={raw: key for raw, key in draft.aliases.items() if key in present},
        last_recall=tuple(draft.last_recall),
    )

"""How every memory stands to who speaks, where the scene is and when the story stands: arrays, one number a row."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from st_bme.graph.ids import fold_name
from st_bme.graph.ledgers import NOTHING_SAID, Ledgers, owner_key
from st_bme.model.ledger import Knowledge
from st_bme.model.node import Node
from st_bme.read.arrays import Ints, Mask
from st_bme.scoring.knowledge_gate import Knowing
from st_bme.scoring.scope_gate import Coded, Scopes, Viewpoint
from st_bme.scoring.story_gate import UNPLACED, StoryPlaces

SEEN_BY_ALL = "*"

_UNOWNED = "?"
_NAMED = 0.92
"""How much of a memory those know who are named in it; the original ST-BME's."""
_CONFIDED = ("known", "partial")
_SEPARATOR = re.compile(r"[,，、;；|\n]")

Mentions = Callable[[str], Mask]
"""Gives the rows that name somebody."""


@dataclass(frozen=True, slots=True)
class Standing:
    """What was said of memories beside what they tell, by row."""

    ledgers: Ledgers
    stories: StoryPlaces
    scopes: Scopes
    viewers: Mapping[int, frozenset[str]]  # whom `fields.visibility` names
    told: Mapping[str, Sequence[tuple[int, Knowledge]]]  # what was said of the knowledge of each owner
    people: Mapping[str, Sequence[int]]  # rows of characters by their names
    is_free: Mask  # nothing was said of who knows it, nor of who was there
    is_confided: Mask  # somebody was said to know it
    _known: dict[str, Knowing | None]  # by owner, found when first asked for

    @property
    def now(self) -> int | None:
        """Order of the segment where the story stands."""
        active = self.ledgers.active_segment
        return None if active is None else active.order

    def viewpoint(self, speaker: str) -> Viewpoint:
        """Who speaks, and where they are, else where the scene is."""
        key = owner_key("character", speaker)
        region = self.ledgers.active_region(key) if key else ""
        region = region or self.ledgers.active_region()
        beside = (*self.ledgers.adjacent_to(region), *self.ledgers.parents_of(region)) if region else ()
        return Viewpoint(key, "", fold_name(region), tuple(map(fold_name, beside)))

    def knowing(self, name: str, mentions: Mentions) -> Knowing | None:
        """How a character stands to each memory; None for one of whom the story says nothing, as for a narrator.

        Somebody of the story of whose knowledge nothing was ever said lacks only what others were said to know.
        """
        owner = owner_key("character", name)
        if owner not in self._known:
            has_ledger = owner in self.told or (owner != "" and owner in self.scopes.owners)
            is_in_story = has_ledger or fold_name(name) in self.people
            knowing = self._knowing_of(owner, name, mentions(name)) if is_in_story else None
            if knowing is not None and not has_ledger:
                knowing = replace(knowing, is_free=~self.is_confided)
            self._known[owner] = knowing
        return self._known[owner]

    def is_seen_by(self, viewer: str) -> Mask:
        """(n,) False where `fields.visibility` names others only."""
        is_seen = np.ones(self.is_free.shape, np.bool_)
        for row, viewers in self.viewers.items():
            is_seen[row] = viewer == "" or SEEN_BY_ALL in viewers or fold_name(viewer) in viewers
        return is_seen

    def _knowing_of(self, owner: str, name: str, is_named: Mask) -> Knowing:
        is_sure = self.scopes.owners.equal(owner)
        is_sure[list(self.people.get(fold_name(name), ()))] = True
        is_fact = self.scopes.owners.equal("")
        visibility = np.where(is_named & is_fact, _NAMED, 0.0)
        is_barred = np.zeros(is_sure.shape, np.bool_)
        for row, said in self.told.get(owner, ()):
            is_sure[row] |= said.stance == "known"
            # A view of one's own may be mistaken.
            is_barred[row] = said.stance == "hidden" or (said.stance == "mistaken" and bool(is_fact[row]))
            visibility[row] = said.visibility
        return Knowing(is_sure, is_barred, visibility, self.is_free)


def standing_of(nodes: Sequence[Node], ledgers: Ledgers = NOTHING_SAID) -> Standing:
    """How these memories stand by what the ledgers say."""
    row_of = {node.id: row for row, node in enumerate(nodes)}
    told: dict[str, list[tuple[int, Knowledge]]] = {}
    is_free = np.array([not node.fields.get("participants") for node in nodes], np.bool_)
    is_confided = np.zeros(len(nodes), np.bool_)
    for said in ledgers.knowledge.values():
        row = row_of.get(said.node_id)
        if row is not None:
            told.setdefault(said.owner, []).append((row, said))
            is_free[row] = False
            is_confided[row] |= said.stance in _CONFIDED
    viewers = {row: _viewers(node.fields.get("visibility", "")) for row, node in enumerate(nodes)}
    people: dict[str, list[int]] = {}
    for row, node in enumerate(nodes):
        for name in (node.name, *node.former_names) if node.type == "character" else ():
            people.setdefault(fold_name(name), []).append(row)
    viewers = {row: found for row, found in viewers.items() if found}
    stories, scopes = _stories_of(nodes, ledgers), _scopes_of(nodes)
    return Standing(ledgers, stories, scopes, viewers, told, people, is_free, is_confided, {})


def _viewers(listed: str) -> frozenset[str]:
    """The names of a list or of a text with commas."""
    names = (fold_name(name.strip().strip("\"'")) for name in _SEPARATOR.split(listed.strip().strip("[]")))
    return frozenset(name for name in names if name)


def _stories_of(nodes: Sequence[Node], ledgers: Ledgers) -> StoryPlaces:
    orders = {identity: segment.order for identity, segment in ledgers.segments.items()}
    times = [node.story_time for node in nodes]
    return StoryPlaces(
        is_dated=np.array([time is not None for time in times], np.bool_),
        starts=_orders([time.segment_id if time else "" for time in times], orders),
        ends=_orders([time.last_segment_id if time else "" for time in times], orders),
        is_ahead=np.array([time is not None and time.tense in ("future", "hypothetical") for time in times], np.bool_),
        is_flashback=np.array([time is not None and time.tense == "flashback" for time in times], np.bool_),
    )


def _orders(segments: Sequence[str], orders: Mapping[str, int]) -> Ints:
    return np.array([orders.get(segment, UNPLACED) for segment in segments], np.int64)


def _scopes_of(nodes: Sequence[Node]) -> Scopes:
    touching = [
        (row, fold_name(region))
        for row, node in enumerate(nodes)
        for region in (*node.scope.region_path, *node.scope.region_secondary)
    ]
    return Scopes(
        owners=Coded([_owner_of(node) for node in nodes]),
        regions=Coded([fold_name(node.scope.region_primary) for node in nodes]),
        touching_rows=np.array([row for row, _ in touching], np.int64),
        touching_regions=Coded([region for _, region in touching]),
    )


def _owner_of(node: Node) -> str:
    scope = node.scope
    if scope.layer != "pov":
        return ""
    return owner_key(scope.owner_type, scope.owner_name or scope.owner_id) or _UNOWNED

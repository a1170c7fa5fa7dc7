"""What happens at each message of the view, in fold order (docs/storage.md, rules 19 and 20)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Literal, NamedTuple

from st_bme.graph.live import Coverage, Run, cover, standing_runs
from st_bme.graph.records import RecordSet, Upkeep, UserEdit

ANCHOR_DISTANCES = (0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 128, 256, 1024)


class Step(NamedTuple):
    """One thing that happens at a message: what cites it, what its whole run said, what a base says of it, upkeep
    (`undone` if it is marked off), or a user edit. At the first message also what a base says of none.

    A tuple for speed: each fold makes and compares one or two a message.
    """

    kind: Literal["cited", "whole", "start", "base", "upkeep", "undone", "user"]
    record_id: str
    cite: int = 0


Place = tuple[str, tuple[Step, ...]]
"""A message key and the steps at it. Equal prefixes of two schedules fold to equal graphs."""


@dataclass(frozen=True, slots=True)
class Schedule:
    """The places of a view, its coverage, and by task the messages of which no further upkeep condenses the run."""

    places: tuple[Place, ...]
    coverage: Coverage
    condensed: Mapping[str, tuple[bool, ...]]


def anchor_of(view: Sequence[str]) -> tuple[str, ...]:
    """The anchor of a record committed at the end of this view: its last key, and keys ever farther back."""
    last = len(view) - 1
    return tuple(view[last - distance] for distance in ANCHOR_DISTANCES if distance <= last)


def _deciding_upkeep(records: RecordSet) -> dict[str, Upkeep]:
    """The upkeep records that count, in order: of one memo key the lowest (n, id)."""
    first: dict[str, tuple[str, Upkeep]] = {}
    for _, identity, record in records.in_order():
        if isinstance(record, Upkeep):
            first.setdefault(record.memo_key, (identity, record))
    return dict(first.values())


def _take_runs(view: Sequence[str], upkeep: Mapping[str, Upkeep]) -> tuple[dict[str, int], dict[str, tuple[bool, ...]]]:
    """Where the runs that upkeep condenses end, by record, and by task what they take.

    Of one task no two records take a message: the lower (n, id) comes first, undone or not, wherever its run stands.
    """
    asking: dict[Run, list[tuple[int, str]]] = defaultdict(list)
    for rank, (identity, record) in enumerate(upkeep.items()):
        if record.run:
            asking[record.run].append((rank, identity))
    found = ((rank, at, identity) for at, run in standing_runs(view, asking) for rank, identity in asking[run])
    ends: dict[str, int] = {}
    taken: dict[str, list[bool]] = {}
    for _, start, identity in sorted(found):
        flags = taken.setdefault(upkeep[identity].task, [False] * len(view))
        stop = start + len(upkeep[identity].run)
        if not any(flags[start:stop]):
            flags[start:stop] = [True] * (stop - start)
            ends.setdefault(identity, stop - 1)
    return ends, {task: tuple(flags) for task, flags in taken.items()}


def plan_fold(view: Sequence[str], records: RecordSet) -> Schedule:
    """Lay out the fold of these records over this view."""
    off = records.switched_off()
    coverage = cover(view, records, off)
    steps: list[list[Step]] = [[] for _ in range(max(1, len(view)))]
    _place_bases(view, coverage, steps)
    for position, owner in enumerate(coverage.owners):
        if owner is None or owner.answer is None:
            continue
        steps[position].append(Step("cited", owner.answer_id, owner.cite))
        if owner.whole and owner.cite == len(owner.answer.run) - 1:
            steps[position].append(Step("whole", owner.answer_id))
    find = AnchorFinder(view)
    upkeep = _deciding_upkeep(records)
    ends, condensed = _take_runs(view, upkeep)
    for _, identity, record in records.in_order():
        if identity in upkeep and isinstance(record, Upkeep) and (not record.run or identity in ends):
            place = max(find.place_of(record.anchor), ends.get(identity, 0))
            steps[place].append(Step("undone" if identity in off else "upkeep", identity))
        elif isinstance(record, UserEdit) and identity not in off:
            steps[find.place_of(record.anchor)].append(Step("user", identity))
    keys = view or ("",)
    return Schedule(tuple((key, tuple(at)) for key, at in zip(keys, steps, strict=True)), coverage, condensed)


def _place_bases(view: Sequence[str], coverage: Coverage, steps: list[list[Step]]) -> None:
    """A base speaks of a message where it first stands."""
    spoken_of: set[str] = set()
    for position, owner in enumerate(coverage.owners):
        if owner is None or not owner.is_base or view[position] in spoken_of:
            continue
        start = Step("start", owner.answer_id)
        if start not in steps[0]:
            steps[0].append(start)
        spoken_of.add(view[position])
        steps[position].append(Step("base", owner.answer_id))


class AnchorFinder:
    """Finds anchors in one view."""

    def __init__(self, view: Sequence[str]) -> None:
        self._view = view

    @cached_property
    def _places(self) -> Mapping[str, Sequence[int]]:
        places: dict[str, list[int]] = defaultdict(list)
        for position, key in enumerate(self._view):
            places[key].append(position)
        return places

    def place_of(self, anchor: Sequence[str]) -> int:
        """Where the first key of the anchor that is present stands, else the end; the beginning for an empty anchor.

        Of several places of one key (chats say "ok" often) it is the first one with the most of the anchor before it.
        """
        if not anchor:
            return 0
        for index, key in enumerate(anchor):
            places = self._places.get(key)
            if places:
                return places[0] if len(places) == 1 else max(places, key=partial(self._agreement, anchor, index))
        return max(0, len(self._view) - 1)

    def _agreement(self, anchor: Sequence[str], index: int, place: int) -> int:
        """How many keys of the anchor stand as far before `place` as they did when it was made."""
        end = place + ANCHOR_DISTANCES[index]
        before = zip(anchor[index:], ANCHOR_DISTANCES[index:], strict=False)
        return sum(distance <= end and self._view[end - distance] == key for key, distance in before)

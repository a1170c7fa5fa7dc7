"""How old memories are by the clock that the user chose, and how alive that leaves them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from st_bme.model.node import Node
from st_bme.model.schema import type_of
from st_bme.read.arrays import Floats, Ints
from st_bme.read.options import DecayClock
from st_bme.scoring.lifecycle import Lives
from st_bme.scoring.story_gate import UNPLACED

_FLOORS_A_TURN = 2
_MS_A_DAY = 86_400_000


@dataclass(frozen=True, slots=True)
class LastUse:
    """When a memory was recalled last: the message that asked, and the time of day."""

    message: str
    time_ms: int


@dataclass(frozen=True, slots=True)
class Uses:
    """How often memories were recalled and when last, by id; and when each message was read, by key."""

    counts: Mapping[str, int] = field(default_factory=dict)
    last: Mapping[str, LastUse] = field(default_factory=dict)
    read_ms: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Timed:
    """A few memories with what their ages are reckoned from."""

    nodes: Sequence[Node]
    importances: Floats
    last_floors: Ints
    segments: Ints  # order of the segment in which each ends, `UNPLACED` where the story has none
    head_floor: int
    now_segment: int | None
    floors: Mapping[str, int]  # of messages, by key
    uses: Uses
    now_ms: int


def told_ages(timed: Timed, clock: DecayClock) -> Floats:
    """(n,) how long ago each was told, in what stands for days: turns of the chat, segments of the story, or days.

    Where the clock says nothing of a memory, turns stand in: a fiction has no wall clock, and a note of the user's no
    place in the story.
    """
    turns = (timed.head_floor - timed.last_floors) / _FLOORS_A_TURN
    if clock == "story" and timed.now_segment is not None:
        return np.where(timed.segments == UNPLACED, turns, timed.now_segment - timed.segments)
    if clock == "real":
        read = [max((timed.uses.read_ms.get(key, 0) for key in node.sources), default=0) for node in timed.nodes]
        return np.where(np.array(read) > 0, _days(timed, np.array(read, np.float64)), turns)
    return turns


def lives_of(timed: Timed, clock: DecayClock) -> Lives:
    """What the lifecycle of each is reckoned from. The story has no time for a recall, so there it counts in turns."""
    told = told_ages(timed, clock)
    last = [timed.uses.last.get(node.id) for node in timed.nodes]
    if clock == "real":
        since = _days(timed, np.array([use.time_ms if use else 0 for use in last], np.float64))
    else:
        floors = [timed.floors.get(use.message, -1) if use else -1 for use in last]
        since = np.where(np.array(floors) >= 0, (timed.head_floor - np.array(floors)) / _FLOORS_A_TURN, np.inf)
    return Lives(
        importances=timed.importances,
        uses=np.array([timed.uses.counts.get(node.id, 0) for node in timed.nodes], np.int64),
        told=told,
        used=np.minimum(told, since),
        is_changing=np.array([type_of(node.type).latest_only for node in timed.nodes], np.bool_),
    )


def _days(timed: Timed, times_ms: Floats) -> Floats:
    return np.maximum(timed.now_ms - times_ms, 0) / _MS_A_DAY

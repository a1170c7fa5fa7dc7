"""Forgetting: what is little worth keeping in mind is put away, not deleted (docs/algorithms.md, upkeep)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np

from st_bme.model.node import Node
from st_bme.model.operation import Operation, Target
from st_bme.model.schema import type_of
from st_bme.scoring.lifecycle import STALE, Lives, composite, tiers_of
from st_bme.scoring.retention import retention
from st_bme.upkeep.reading import Reading
from st_bme.upkeep.schedule import free_nodes, replies_since, undecided
from st_bme.upkeep.situation import Decision, Job, Situation, Task

FORGET = "forget"
NEVER_FORGOTTEN = frozenset(("synopsis", "rule", "thread"))
TOO_IMPORTANT = 8.0
TOO_YOUNG = 1.0

TURNS_A_UNIT = 200
"""Turns that stand for an hour of the original's formula: about a day of play.

By the formula a common memory is put away as soon as it is an hour old. A story has no hours, so nothing is forgotten
before a long day's play has gone by, and what matters more lasts several.
"""

SEGMENTS_A_UNIT = 10
"""Segments of the story that stand for the same: a segment is a scene or a day, of some twenty turns."""

MOST_AT_ONCE = 20
"""Memories that one look puts away: a long chat in which this is switched on does not lose all its past at once."""


def worth_keeping(node: Node, *, age: float, accesses: int) -> float | None:
    """The retention of a memory; None for what is never forgotten, or not yet.

    `age` is in the unit of the formula: hours, `TURNS_A_UNIT` turns or `SEGMENTS_A_UNIT` segments of the story.
    """
    if node.type in NEVER_FORGOTTEN or node.importance >= TOO_IMPORTANT or age < TOO_YOUNG:
        return None
    return float(retention(node.importance, accesses, age))


@dataclass(frozen=True, slots=True)
class Aged:
    """A memory, the replies since it was last spoken of, and its age in the unit of the formula."""

    node: Node
    turns: int
    age: float


def due_forgetting(situation: Situation, turns_a_unit: int = TURNS_A_UNIT) -> Iterator[Job]:
    """What has become too little worth, as much of it as one look puts away: stale memories first, then those of the
    least worth. Each is a decision of its own. No model is asked.
    """
    every = situation.settings.int("sleepEveryN")
    if not situation.now and replies_since(FORGET, situation.graph, situation.roles, situation.records) < every:
        return
    faded = list(_faded(situation, turns_a_unit))
    stale = _stale([aged for _, aged in faded], situation)
    ordered = sorted(faded, key=lambda found: (found[1].node.id not in stale, found[0]))
    # What was put away once, and woken since, is not put away for the same words again.
    free = free_nodes(FORGET, [aged.node for _, aged in ordered], situation.records)
    readings = tuple(undecided([Reading(FORGET, (node,)) for node in free], situation.records))[:MOST_AT_ONCE]
    if readings:
        yield Job(readings, lambda _: [_put_away(reading) for reading in readings])


def _faded(situation: Situation, turns_a_unit: int) -> Iterator[tuple[float, Aged]]:
    """Memories whose worth is below the limit, with it."""
    limit = situation.settings.float("forgetThreshold")
    for aged in _aged(situation, turns_a_unit):
        worth = worth_keeping(aged.node, age=aged.age, accesses=situation.uses.counts.get(aged.node.id, 0))
        if worth is not None and worth < limit:
            yield worth, aged


def _aged(situation: Situation, turns_a_unit: int) -> Iterator[Aged]:
    """The active memories of the chat. By the story's clock, those that have their time in it are as old as it says."""
    ledgers, behind = situation.graph.ledgers, _turns_behind(situation)
    now = ledgers.active_segment if situation.settings.text("decayClock") == "story" else None
    for node in situation.graph.active_nodes():
        told = [behind[key] for key in node.sources if key in behind]
        then = ledgers.segments.get(node.story_time.last_segment_id) if now and node.story_time else None
        if told:
            age = (now.order - then.order) / SEGMENTS_A_UNIT if now and then else min(told) / turns_a_unit
            yield Aged(node, min(told), age)


def _turns_behind(situation: Situation) -> Mapping[str, int]:
    """How many replies have come since each message, by its key."""
    replies = list(accumulate((role == "assistant" for role in situation.roles), initial=0))
    return {key: replies[-1] - replies[place + 1] for place, key in enumerate(situation.graph.view)}


def _stale(known: Sequence[Aged], situation: Situation) -> set[str]:
    """Those of which little is alive, by recency, use and importance together; a turn stands for a day."""
    counts, last = situation.uses.counts, situation.uses.last
    behind = _turns_behind(situation)
    since = [behind.get(last[aged.node.id].message, math.inf) if aged.node.id in last else math.inf for aged in known]
    turns = np.array([aged.turns for aged in known], np.float64)
    lives = Lives(
        importances=np.array([aged.node.importance for aged in known], np.float64),
        uses=np.array([counts.get(aged.node.id, 0) for aged in known], np.int64),
        told=turns,
        used=np.minimum(turns, np.array(since, np.float64)),
        is_changing=np.array([type_of(aged.node.type).latest_only for aged in known], np.bool_),
    )
    alive = composite(lives, tiers_of(lives))
    return {aged.node.id for aged, value in zip(known, alive.tolist(), strict=True) if value < STALE}


def _put_away(reading: Reading) -> Decision:
    return reading, [Operation("archive", target=Target(id=reading.nodes[0].id))]


FORGETTING = Task(FORGET, ("enableSleepCycle",), due_forgetting, needs_model=False)

"""Forgetting: what is little worth keeping in mind is put away, not deleted (docs/algorithms.md, upkeep)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate

from st_bme.model.node import Node
from st_bme.model.operation import Operation, Target
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


def worth_keeping(node: Node, *, age: float, accesses: int) -> float | None:
    """The retention of a memory; None for what is never forgotten, or not yet.

    `age` is in the unit of the formula: hours, or `TURNS_A_UNIT` turns.
    """
    if node.type in NEVER_FORGOTTEN or node.importance >= TOO_IMPORTANT or age < TOO_YOUNG:
        return None
    return float(retention(node.importance, accesses, age))


def due_forgetting(situation: Situation, turns_a_unit: int = TURNS_A_UNIT) -> Iterator[Job]:
    """All that has become too little worth, together; each is a decision of its own. No model is asked."""
    every = situation.settings.int("sleepEveryN")
    if not situation.now and replies_since(FORGET, situation.graph, situation.roles, situation.records) < every:
        return
    limit = situation.settings.float("forgetThreshold")
    faded = [
        node
        for node, turns in _aged(situation)
        if (worth := worth_keeping(node, age=turns / turns_a_unit, accesses=situation.recalls.get(node.id, 0)))
        is not None
        and worth < limit
    ]
    # What was put away once, and woken since, is not put away for the same words again.
    faded = free_nodes(FORGET, faded, situation.records)
    readings = tuple(undecided([Reading(FORGET, (node,)) for node in faded], situation.records))
    if readings:
        yield Job(readings, lambda _: [_put_away(reading) for reading in readings])


def _aged(situation: Situation) -> Sequence[tuple[Node, int]]:
    """Active memories with the replies since they were last spoken of."""
    places = {key: place for place, key in enumerate(situation.graph.view)}
    replies = list(accumulate((role == "assistant" for role in situation.roles), initial=0))
    active = situation.graph.active_nodes()
    last = [max((places.get(key, -1) for key in node.sources), default=-1) for node in active]
    return [(node, replies[-1] - replies[place + 1]) for node, place in zip(active, last, strict=True) if place >= 0]


def _put_away(reading: Reading) -> Decision:
    return reading, [Operation("archive", target=Target(id=reading.nodes[0].id))]


FORGETTING = Task(FORGET, ("enableSleepCycle",), due_forgetting, needs_model=False)

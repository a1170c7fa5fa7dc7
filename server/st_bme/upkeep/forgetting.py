"""Forgetting: what is little worth keeping in mind is put away, not deleted (docs/algorithms.md, upkeep)."""

from __future__ import annotations

from st_bme.model.node import Node
from st_bme.scoring.retention import retention

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

"""Memories that come back by themselves: something important that nobody asked about."""

from __future__ import annotations

import random
from collections.abc import Collection

import numpy as np

from st_bme.read.arrays import Mask
from st_bme.read.index import RecallIndex

# The original ST-BME's.
IMPORTANT_FROM = 6.0
MOST = 3
_NEVER = frozenset(("synopsis", "rule"))


def flashbacks(index: RecallIndex, taken: Collection[int], is_open: Mask, *, chance: float, seed: int) -> list[int]:
    """Rows of the three most important memories that are left, each with this chance; the same for the same seed."""
    if chance <= 0:
        return []
    importances = index.arrays.importances
    left = np.flatnonzero(is_open & (importances >= IMPORTANT_FROM))
    ordered = left[np.argsort(-importances[left], kind="stable")].tolist()
    free = [row for row in ordered if row not in taken and index.nodes[row].type not in _NEVER]
    dice = random.Random(seed)
    return [row for row in free[:MOST] if dice.random() < chance]

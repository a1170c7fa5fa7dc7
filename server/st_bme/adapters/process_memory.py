"""How the process handles its memory: what Python's collector looks through, and how often."""

from __future__ import annotations

import gc

NEW_OBJECTS = 50_000
"""So many objects more than were let go before the collector looks for cycles. Python's own 700 cost a third of the
time in which a long chat is opened: hundreds of thousands of objects are made then, and all of them stay."""
YOUNGER_ROUNDS = 10


def settle_collector() -> None:
    """Leave what is loaded by now out of every later search for cycles, and search less often."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(NEW_OBJECTS, YOUNGER_ROUNDS, YOUNGER_ROUNDS)

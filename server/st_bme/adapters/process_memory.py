"""How the process handles its memory: what Python's collector looks through, and what the system gets back."""

from __future__ import annotations

import ctypes
import gc
import sys

NEW_OBJECTS = 50_000
"""So many objects more than were let go before the collector looks for cycles. Python's own 700 cost a third of the
time in which a long chat is opened: hundreds of thousands of objects are made then, and all of them stay."""
YOUNGER_ROUNDS = 10


def settle_collector() -> None:
    """Leave what is loaded by now out of every later search for cycles, and search less often."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(NEW_OBJECTS, YOUNGER_ROUNDS, YOUNGER_ROUNDS)


def give_back() -> None:
    """Give the system what was freed: glibc keeps it, after a load that needed more than what is left of it."""
    if sys.platform == "linux":
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # other C libraries of Linux have none
        if trim is not None:
            trim(0)

"""The memory of a process: what Python's collector looks through, what the system gets back, and how much it is."""

from __future__ import annotations

import ctypes
import gc
import shutil
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

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


def memory_mb(pid: int) -> float | None:
    """Resident memory in MiB, as Linux tells it in /proc and other Unixes through ps; None on Windows."""
    with suppress(OSError):
        for line in Path(f"/proc/{pid}/status").read_text(encoding="ascii").splitlines():
            if line.startswith("VmRSS:"):
                return round(int(line.split()[1]) / 1024, 1)
    ps = shutil.which("ps")
    if ps is None:
        return None
    shown = subprocess.run(  # noqa: S603 - a fixed command
        [ps, "-o", "rss=", "-p", str(pid)], capture_output=True, text=True, check=False
    ).stdout
    return round(int(shown) / 1024, 1) if shown.strip().isdigit() else None

"""Processor time of the programs under test: what else a machine does makes a wait longer, but hardly this."""

import os
from collections.abc import Iterator
from pathlib import Path

_MS_A_TICK = 1000 / os.sysconf("SC_CLK_TCK")
_PARENT, _USER_TICKS, _SYSTEM_TICKS = 1, 11, 12  # fields behind the name, proc(5)


def processor_ms() -> float:
    """What all processes used that descend from this one and still run: browser, SillyTavern and memory server."""
    ticks: dict[int, int] = {}
    children: dict[int, list[int]] = {}
    for process, fields in _processes():
        ticks[process] = int(fields[_USER_TICKS]) + int(fields[_SYSTEM_TICKS])
        children.setdefault(int(fields[_PARENT]), []).append(process)
    waiting, used = list(children.get(os.getpid(), ())), 0
    while waiting:
        process = waiting.pop()
        used += ticks[process]
        waiting.extend(children.get(process, ()))
    return used * _MS_A_TICK


def _processes() -> Iterator[tuple[int, list[str]]]:
    for folder in Path("/proc").iterdir():
        if folder.name.isdecimal():
            try:
                stat = (folder / "stat").read_text()
            except OSError:  # it has ended
                continue
            yield int(folder.name), stat.rpartition(")")[2].split()

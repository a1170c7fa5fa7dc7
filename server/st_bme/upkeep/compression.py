"""Compression: older memories of one kind become one of a higher level (docs/algorithms.md, upkeep)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from st_bme.upkeep.schedule import Batch


@dataclass(frozen=True, slots=True)
class Window:
    """How memories of one type are condensed, and up to which level."""

    batch: Batch
    deepest: int


WINDOWS: Mapping[str, Window] = {
    "event": Window(Batch(size=3, above=9, keep_newest=6), deepest=10),
    "thread": Window(Batch(size=3, above=6, keep_newest=3), deepest=5),
    "reflection": Window(Batch(size=3, above=6, keep_newest=3), deepest=3),
    "pov_memory": Window(Batch(size=3, above=8, keep_newest=4), deepest=4),
}
"""The original ST-BME's numbers; other types are never condensed."""

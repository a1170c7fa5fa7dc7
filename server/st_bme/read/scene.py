"""What belongs to a recalled memory: an event brings its cast and place, a person what last happened to them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from st_bme.read.arrays import Mask
from st_bme.read.index import NO_FLOOR, RecallIndex
from st_bme.read.select import Choice

_CAST = frozenset({"character", "location", "thread", "reflection"})
_ENTITIES = frozenset({"character", "location"})
_LATEST_EVENTS = 2  # the original ST-BME's: of an entity the latest two, of an event the nearest two
_NEVER = np.iinfo(np.int64).max
_LENT_SCORE = 0.5  # a companion counts half of what brought it


def complete_scene(index: RecallIndex, chosen: Sequence[Choice], is_open: Mask, *, limit: int) -> list[Choice]:
    """Companions of the chosen that are not chosen themselves.

    They take turns, each bringing one companion, so that the first does not fill the scene.
    """
    taken = {choice.row for choice in chosen}
    waiting = [(choice, _companions(index, choice.row)) for choice in chosen]
    found: list[Choice] = []
    while waiting and len(found) < limit:
        choice, companions = waiting.pop(0)
        row = next((row for row in companions if row not in taken and is_open[row]), None)
        if row is None:
            continue
        taken.add(row)
        score = choice.score * _LENT_SCORE
        found.append(Choice(row, "scene", score, {"lent": score}))
        waiting.append((choice, companions))
    return found


def _companions(index: RecallIndex, row: int) -> Iterator[int]:
    node = index.nodes[row]
    neighbours = index.neighbours(row)
    if node.type == "event":
        yield from (other for other in neighbours if index.nodes[other].type in _CAST)
        yield from _nearest_in_time(index, row)
    elif node.type in _ENTITIES:
        events = [other for other in neighbours if index.nodes[other].type == "event"]
        floors = index.arrays.last_floors
        yield from sorted(events, key=lambda other: (-floors[other], other))[:_LATEST_EVENTS]


def _nearest_in_time(index: RecallIndex, row: int) -> list[int]:
    """Events nearest to this one in floors; of two as near, the later."""
    floors = index.arrays.last_floors
    others = index.rows_of_type(index.nodes[row].type)
    told, here = floors[others], int(floors[row])
    farness = 2 * np.abs(told - here) + (told < here)
    farness[(others == row) | (told == NO_FLOOR)] = _NEVER
    nearest: list[int] = []
    for _ in range(min(_LATEST_EVENTS, farness.size)):
        place = int(farness.argmin())
        if farness[place] < _NEVER:
            nearest.append(int(others[place]))
            farness[place] = _NEVER
    return nearest

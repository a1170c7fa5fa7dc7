"""Which memories may be injected at all, decided for all of them at once before any is scored."""

from __future__ import annotations

import numpy as np

from st_bme.model.recall import Query
from st_bme.read.arrays import Mask
from st_bme.read.index import NO_FLOOR, RecallIndex


def open_rows(index: RecallIndex, query: Query) -> Mask:
    """(n,) True where nothing forbids a memory. A closed one still leads energy to its neighbours."""
    return _has_place(index) & ~_is_in_prompt(index, query)


def _has_place(index: RecallIndex) -> Mask:
    """Its messages stand in the chat, or the user wrote it."""
    has_place: Mask = (index.arrays.last_floors != NO_FLOOR) | index.arrays.is_by_user
    return has_place


def _is_in_prompt(index: RecallIndex, query: Query) -> Mask:
    """The prompt still holds every message it comes from; what the user pinned is injected all the same."""
    if query.in_context_from is None:
        return np.zeros(len(index), np.bool_)
    is_held: Mask = index.arrays.first_floors >= max(query.in_context_from, 0)
    if query.hidden:
        is_held &= np.array([query.hidden.isdisjoint(node.sources) for node in index.nodes], np.bool_)
    return is_held & ~index.arrays.is_pinned

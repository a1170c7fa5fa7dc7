"""Who said what, found by any part of a name that a text gives."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import numpy as np

from st_bme.graph.ids import fold_name
from st_bme.read.arrays import Ints, Mask
from st_bme.read.stop_words import is_telling
from st_bme.scoring.names import NameIndex
from st_bme.scoring.terms import terms

_HAN_NAME = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]{3}")  # a family name of one character and a given name of two
_SHORTEST_PART = 3


class Speakers:
    """The speakers of some rows."""

    def __init__(self, speakers: Sequence[str]) -> None:
        self._number_of = {name: number for number, name in enumerate(dict.fromkeys(speakers))}
        self._numbers: Ints = np.array([self._number_of[name] for name in speakers], np.int64)
        self._names = NameIndex()
        for name in self._number_of:
            for part in _parts(name):
                self._names.add(part, name)
        self.terms = frozenset(term for name in self._number_of for part in _parts(name) for term in terms(part))

    def said_by(self, name: str) -> Mask:
        """(n,) True for what somebody of this name said."""
        folded = fold_name(name)
        numbers = [number for other, number in self._number_of.items() if fold_name(other) == folded]
        return np.isin(self._numbers, numbers)

    def named_in(self, text: str) -> Mask:
        """(n,) True for what those say whom the text names; nothing stands out where it names none or all."""
        named = [self._number_of[match.id] for match in self._names.find(text)]
        is_named = np.zeros(len(self._number_of), np.bool_)
        if len(named) < len(self._number_of):
            is_named[named] = True
        return is_named[self._numbers]


def _parts(name: str) -> Iterator[str]:
    """A name, and what of it people are called by."""
    yield name
    words = name.split()
    if len(words) > 1:
        yield from (word for word in words if len(word) >= _SHORTEST_PART and is_telling(word.casefold()))
    elif _HAN_NAME.fullmatch(name):
        yield name[1:]

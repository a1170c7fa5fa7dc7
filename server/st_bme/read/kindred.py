"""Words that mean nearly the same: who asks for an instrument is answered by a violin."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from st_bme.read.stop_words import is_telling
from st_bme.read.vectors import PlacedTexts, Vectors, VectorTable
from st_bme.scoring.similarity import first_places
from st_bme.scoring.stems import stem
from st_bme.scoring.terms import words

_MOST = 12  # kin of a word
_LEAST = 0.35  # likeness beyond what all words of a chat have in common
_DECIMALS = 3  # that count in the choice: sums of the same numbers in another order differ beyond
_SHORTEST = 3

Kin = Sequence[tuple[str, float]]
"""Terms with their likeness, nearest first."""


class Kindred:
    """The words of a chat with the vectors that its embedding model gives them.

    Scripts without spaces have no part in it, since their terms are single characters and pairs. A term stands for the
    word that it is most often cut from.
    """

    def __init__(self) -> None:
        self._forms: dict[str, Counter[str]] = {}  # by term the words as they are written
        self._has_changed = False
        self._table: VectorTable | None = None
        self._table_size = 0
        self._row_of: dict[str, int] = {}
        self._terms: Sequence[str] = ()
        self._placed = PlacedTexts(())
        self._shared: Vectors = np.empty(0, np.float32)  # (v,) likeness of each word to the mean of all
        self._lengths: Vectors = np.empty(0, np.float32)  # (v,) of what is left without the mean
        self._mean_square = 0.0
        self._kin: dict[str, Kin] = {}

    def add(self, text: str) -> None:
        """Take in the words of a text."""
        for term, word in _telling_words(text):
            forms = self._forms.setdefault(term, Counter())
            forms[word] += 1
            self._has_changed |= len(forms) > 1 or forms[word] == 1

    def remove(self, text: str) -> None:
        """Forget the words of a text that was taken in."""
        for term, word in _telling_words(text):
            forms = self._forms[term]
            self._has_changed |= len(forms) > 1 or forms[word] == 1
            forms[word] -= 1
            if forms[word] == 0:
                del forms[word]
            if not forms:
                del self._forms[term]

    def words(self) -> list[str]:
        """What should have a vector."""
        return [_commonest(forms) for forms in self._forms.values()]

    def of(self, terms: Sequence[str], table: VectorTable) -> list[Kin]:
        """The kin of each term; none of one that the chat does not have, or whose vector is not there yet."""
        if table is not self._table or len(table) != self._table_size or self._has_changed:
            self._look_anew(table)
        self._remember([term for term in terms if term not in self._kin], table)
        return [self._kin[term] for term in terms]

    def _look_anew(self, table: VectorTable) -> None:
        self._table, self._table_size, self._has_changed = table, len(table), False
        self._terms, self._kin = sorted(self._forms), {}
        self._row_of = {term: row for row, term in enumerate(self._terms)}
        self._placed = PlacedTexts([_commonest(self._forms[term]) for term in self._terms])
        mean = table.mean(self._placed)
        if mean is None:
            # Until a word has a vector nothing is near to anything.
            self._shared = self._lengths = np.full(len(self._terms), np.nan, np.float32)
            return
        self._mean_square = float(mean @ mean)
        self._shared = table.likeness(self._placed, mean[:, None])[:, 0]
        self._lengths = np.sqrt(np.maximum(1 - 2 * self._shared + self._mean_square, np.finfo(np.float32).eps))

    def _remember(self, terms: Sequence[str], table: VectorTable) -> None:
        """Nearest by the cosine of what is left of two words without the mean of all; of all these terms at once."""
        self._kin.update(dict.fromkeys(terms, ()))
        rows = [self._row_of[term] for term in terms if term in self._row_of]
        found = [(row, vector) for row in rows if (vector := table.vector(self._placed.texts[row])) is not None]
        if not found:
            return
        products = table.likeness(self._placed, np.stack([vector for _, vector in found], axis=1))
        for (row, _), product in zip(found, products.T, strict=True):
            apart = product - self._shared - self._shared[row] + self._mean_square
            likeness = np.nan_to_num(apart / (self._lengths * self._lengths[row]))
            likeness[row] = 0.0
            rounded = likeness.round(_DECIMALS)
            best = [place for place in first_places(-rounded, _MOST).tolist() if rounded[place] > _LEAST]
            self._kin[self._terms[row]] = [(self._terms[place], float(likeness[place])) for place in best]


def _telling_words(text: str) -> Iterator[tuple[str, str]]:
    """The words that may have kin, each with its term."""
    for word in words(text):
        if len(word) >= _SHORTEST and word.isalpha() and is_telling(term := stem(word)):
            yield term, word


def _commonest(forms: Counter[str]) -> str:
    """The word that is written most often, of these the shortest."""
    return next(iter(forms)) if len(forms) == 1 else min(forms, key=lambda word: (-forms[word], len(word), word))

"""Words that mean nearly the same: who asks for an instrument is answered by a violin."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from st_bme.read.stop_words import is_telling
from st_bme.read.vectors import PlacedTexts, Vectors, VectorTable
from st_bme.scoring.similarity import first_places
from st_bme.scoring.stems import stem
from st_bme.scoring.terms import words

_MOST = 12  # kin of a word
_LEAST = 0.35  # likeness beyond what all words of a chat have in common
_GROWTH = 1.05  # by so much words or vectors grow before the kin are looked for anew
_SHORTEST = 3

Kin = Sequence[tuple[str, float]]
"""Terms with their likeness, nearest first."""


class Kindred:
    """The words of a chat with the vectors that its embedding model gives them.

    Scripts without spaces have no part in it, since their terms are single characters and pairs. The kin of a word are
    kept until words or vectors have grown by a twentieth: one that is new is not missed, its message stands in the
    prompt.
    """

    def __init__(self) -> None:
        self._word_of: dict[str, str] = {}  # by term, as it was first written
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
        for word in words(text):
            if len(word) >= _SHORTEST and word.isalpha():
                self._word_of.setdefault(stem(word), word)

    def words(self, is_used: Callable[[str], bool]) -> list[str]:
        """What should have a vector: the words whose term is used and tells something."""
        return [word for term, word in self._word_of.items() if is_telling(term) and is_used(term)]

    def of(self, terms: Sequence[str], table: VectorTable) -> list[Kin]:
        """The kin of each term; none of one that the chat does not have, or whose vector is not there yet."""
        grown = max(len(table) / max(1, self._table_size), len(self._word_of) / max(1, len(self._terms)))
        if table is not self._table or grown > _GROWTH:
            self._look_anew(table)
        self._remember([term for term in terms if term not in self._kin], table)
        return [self._kin[term] for term in terms]

    def _look_anew(self, table: VectorTable) -> None:
        self._table, self._table_size = table, len(table)
        self._terms = list(self._word_of)
        self._row_of = {term: row for row, term in enumerate(self._terms)}
        self._placed = PlacedTexts(list(self._word_of.values()))
        self._kin = {}
        # Until a word has a vector nothing is near to anything, also to those that get theirs before the next look.
        self._shared = self._lengths = np.full(len(self._terms), np.nan, np.float32)
        rows = self._placed.rows(table)
        known = rows[rows >= 0]
        if known.size:
            mean = table.mean(known)
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
            best = [place for place in first_places(-likeness, _MOST).tolist() if likeness[place] > _LEAST]
            self._kin[self._terms[row]] = [(self._terms[place], float(likeness[place])) for place in best]

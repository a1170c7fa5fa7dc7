"""How alike the words of a query and of what is searched are."""

from __future__ import annotations

import sys
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import islice
from typing import Protocol

import numpy as np

from st_bme.read.arrays import Floats, Ints, Mask
from st_bme.read.query import QueryPart, intent_segments
from st_bme.read.stop_words import is_telling
from st_bme.scoring.lexical import LexicalIndex
from st_bme.scoring.terms import terms

_CLAUSES = 12  # words cost nothing, so a long message may ask more than the few texts worth an embedding


class Worded(Protocol):
    """What can be searched by words, by row."""

    def __len__(self) -> int: ...

    @property
    def lexical(self) -> LexicalIndex: ...

    @property
    def lexical_rows(self) -> Ints: ...  # (n,) where each row stands there


@dataclass(frozen=True, slots=True)
class AskedWords:
    """A text of a query as terms: those that say what it is about, and the others."""

    weight: float
    telling: Sequence[str]
    others: Sequence[str]
    clauses: Sequence[AskedWords] = ()

    def without(self, names: Collection[str]) -> AskedWords:
        """The same without these terms, unless nothing telling would be left."""
        telling = [term for term in self.telling if term not in names]
        clauses = [clause.without(names) for clause in self.clauses]
        return AskedWords(self.weight, telling, self.others, clauses) if telling else self


def asked_words(parts: Sequence[QueryPart]) -> tuple[AskedWords, ...]:
    """The terms of each part; the user's own text also clause by clause."""
    return tuple(_asked(part.text, part.weight, with_clauses=part.kind == "user") for part in parts)


def wording(index: Worded, asked: Sequence[AskedWords], is_open: Mask | None = None) -> Floats:
    """(n,) ≥ 0 likeness of wording; the best for the part that weighs most has about 1. A closed row has 0.

    Each part is scaled by its best row, so that a long reply does not drown a short question. Of the user's text half
    counts as a whole, half by the clause that fits best: who asks two things wants an answer to one of them. To share
    a word that tells nothing is no likeness.
    """
    found = np.zeros(len(index))  # by the rows of the lexical index until all is added up
    closed = np.empty(0, np.int64) if is_open is None else index.lexical_rows[~is_open]
    strongest = max((part.weight for part in asked), default=1.0)
    texts = [text for part in asked for text in (part, *part.clauses)]
    scores = iter(index.lexical.scores([text.telling for text in texts], [text.others for text in texts]))
    for part in asked:
        likeness = next(scores)
        if part.clauses:
            likeness = (likeness + reduce(np.maximum, islice(scores, len(part.clauses)))) / 2
        likeness[closed] = 0.0
        best = float(likeness.max(initial=0.0))
        if best > 0:
            found += part.weight / (best * strongest) * likeness
    return found[index.lexical_rows]


def _asked(text: str, weight: float, *, with_clauses: bool) -> AskedWords:
    found = terms(text)
    clauses = intent_segments(text, max_segments=_CLAUSES) if with_clauses else ()
    return AskedWords(
        weight=weight,
        telling=[term for term in found if is_telling(term)],
        others=[term for term in found if not is_telling(term)],
        clauses=[_asked(clause, weight, with_clauses=False) for clause in clauses] if len(clauses) > 1 else (),
    )


def shared_terms(text: str) -> tuple[str, ...]:
    """The terms of a text to keep: thousands of texts share one string a term."""
    return tuple(map(sys.intern, terms(text)))

"""What a memory must beat: textbook rankings of the bare messages."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from benchmarks.evidence import Ranked

from st_bme.model.message import Message
from st_bme.ports import TokenCounter
from st_bme.read.arrays import Floats
from st_bme.read.inject import HEADINGS, enclosed, passage_line, passages_text
from st_bme.read.options import InjectionLanguage
from st_bme.read.stop_words import telling
from st_bme.read.vectors import Vectors
from st_bme.scoring.fusion import z_scores
from st_bme.scoring.terms import terms

K1, B = 1.2, 0.75
RRF_K = 60
"""The constant of reciprocal rank fusion in its paper (Cormack, Clarke, Büttcher 2009)."""

NEIGHBOURS = {1: 0.5, 2: 0.25}


class Bm25:
    """BM25 with the endings and the function words of English and Chinese left out."""

    def __init__(self, texts: Sequence[str]) -> None:
        split = [telling(terms(text)) for text in texts]
        self._columns = {word: n for n, word in enumerate(dict.fromkeys(word for words in split for word in words))}
        counts = np.zeros((len(texts), len(self._columns)))
        for row, words in enumerate(split):
            np.add.at(counts[row], [self._columns[word] for word in words], 1)
        lengths = counts.sum(axis=1, keepdims=True)
        held = (counts > 0).sum(axis=0)
        idf = np.log1p((len(texts) - held + 0.5) / (held + 0.5))
        self._weights = idf * counts * (K1 + 1) / (counts + K1 * (1 - B + B * lengths / lengths.mean()))

    def scores(self, question: str) -> Floats:
        """(n,) score of every text."""
        columns = [self._columns[word] for word in telling(terms(question)) if word in self._columns]
        scores: Floats = self._weights[:, columns].sum(axis=1)
        return scores


@dataclass(frozen=True, slots=True)
class Searched:
    """The messages of a conversation, searched by words and meaning, and how they would be injected."""

    messages: Sequence[Message]
    words: Bm25
    vectors: Vectors
    language: InjectionLanguage

    def meaning(self, question: Vectors) -> Floats:
        """(n,) cosine of every message."""
        return (self.vectors @ question).astype(np.float64)

    def ranking(self, scores: Floats) -> list[Ranked]:
        """All messages by score, best first, equal ones in their order."""
        order = np.argsort(-scores, kind="stable").tolist()
        return [Ranked((place,), _line(self.messages[place])) for place in order]

    def fitting(self, ranking: Sequence[Ranked], budget_tokens: int, counter: TokenCounter) -> list[Ranked]:
        """The first of a ranking whose text, with the headings around them, fits the budget."""
        taken: list[Ranked] = []
        for item in ranking:
            if counter.count(self._text([*taken, item])) > budget_tokens:
                break
            taken.append(item)
        return taken

    def _text(self, items: Sequence[Ranked]) -> str:
        headings = HEADINGS[self.language]
        return enclosed([passages_text([item.text for item in items], headings)], headings)


def _line(message: Message) -> str:
    return passage_line(message.floor, message.name, message.text)


def lent(scores: Floats) -> Floats:
    """Each score with half of its neighbours' and a quarter of those next to them."""
    count = len(scores)
    padded = np.pad(scores, max(NEIGHBOURS))
    total = scores.copy()
    for distance, share in NEIGHBOURS.items():
        middle = max(NEIGHBOURS)
        total += share * (padded[middle - distance :][:count] + padded[middle + distance :][:count])
    return total


def ranks(scores: Floats) -> Floats:
    """The rank of each, from 1."""
    found = np.empty(len(scores))
    found[np.argsort(-scores, kind="stable")] = np.arange(1, len(scores) + 1)
    return found


def _bm25(words: Floats, meaning: Floats) -> Floats:  # noqa: ARG001 - all have one shape
    return words


def _dense(words: Floats, meaning: Floats) -> Floats:  # noqa: ARG001
    return meaning


def _rrf(words: Floats, meaning: Floats) -> Floats:
    return 1 / (RRF_K + ranks(words)) + 1 / (RRF_K + ranks(meaning))


def _flat(words: Floats, meaning: Floats) -> Floats:
    return lent(z_scores(words) + z_scores(meaning))


BASELINES: Mapping[str, Callable[[Floats, Floats], Floats]] = {
    "bm25": _bm25,
    "dense": _dense,
    "rrf": _rrf,
    "flat": _flat,
}
"""Scores of all messages from those by words and those by meaning."""

"""How much of what answers a question is found: the measure of `benchmarks/retrieval.py`."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from st_bme.read.stop_words import telling
from st_bme.scoring.terms import terms

TOLD_SHARE = 0.6
"""Of the idf-weighted content words of a message: a text that has so many of them tells it."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """An item of a ranking: the places of its messages in order, and what of it would be injected."""

    messages: Sequence[int]
    text: str


class Witness:
    """Knows the words of all messages of a conversation, and so whether a text tells one of them."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._texts = [_plain(text) for text in texts]
        self._words = [frozenset(telling(terms(text))) for text in texts]
        counts = Counter(word for words in self._words for word in words)
        self._weight = {word: math.log(1 + len(texts) / count) for word, count in counts.items()}

    def tells(self, text: str, place: int) -> bool:
        """True if the text holds the message, or enough of its content words."""
        if self._texts[place] in _plain(text):
            return True
        own = self._words[place]
        said = own.intersection(terms(text))
        return bool(own) and self._sum(said) >= TOLD_SHARE * self._sum(own)

    def places(self, ranking: Sequence[Ranked], most: int) -> list[int | None]:
        """The first messages of a ranking, each once, None for one that no item made from it tells."""
        told = self.told(ranking)
        ordered = dict.fromkeys(place for item in ranking for place in item.messages)
        return [place if place in told else None for place in itertools.islice(ordered, most)]

    def told(self, items: Iterable[Ranked]) -> set[int]:
        """All messages that these items tell."""
        return {place for item in items for place in item.messages if self.tells(item.text, place)}

    def _sum(self, words: Iterable[str]) -> float:
        return sum(self._weight[word] for word in words)


def recall_of(evidence: Sequence[int], found: Collection[int | None]) -> float:
    """The share of the evidence that was found."""
    return sum(place in found for place in evidence) / len(evidence)


def reciprocal_rank(evidence: Sequence[int], places: Sequence[int | None]) -> float:
    """One over the rank of the first message that is evidence, 0 where none is."""
    return next((1 / rank for rank, place in enumerate(places, 1) if place in evidence), 0.0)


def _plain(text: str) -> str:
    return " ".join(text.split())

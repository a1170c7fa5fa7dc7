"""Which past messages are quoted beside the memories, and what of them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from st_bme.read.arrays import Ints
from st_bme.read.candidates import LITTLE_MEANING, Question, Reason
from st_bme.read.index import RecallIndex
from st_bme.read.options import InjectionLanguage, RecallOptions
from st_bme.read.passages import Passage, PassageIndex
from st_bme.read.relevance import Weighed
from st_bme.read.select import Choice
from st_bme.read.sentences import REMEMBERED, sentences
from st_bme.read.stop_words import telling
from st_bme.scoring.fusion import logistic
from st_bme.scoring.terms import fold, terms

SHORTEST_QUOTE, LONGEST_QUOTE = 70, 200  # tokens: two or three sentences, and all of a passage
_AT_ONCE = 10  # quotes for which there is room, however long the messages are
_CHARACTERS_A_TOKEN = {"en": 4.0, "zh": 1.4}
_OFFERED = 8  # characters for each token that quotes may take: twice what fits, since some are said by memories
_SAID_SHARE = 0.7  # of a quote's telling words: a memory that has so many of them says it

_COMPARED = 64  # texts: within one recall a quote is held against every memory of its message
_REPEATED_SHARE = 0.8  # of a memory's telling words; its participants need not stand in the quote


@dataclass(frozen=True, slots=True)
class Quote:
    """What of a passage would stand in the prompt, and what spoke for it."""

    passage: Passage
    text: str
    reason: Reason
    score: float
    scores: Mapping[str, float]


def quote_length(room_tokens: int, language: InjectionLanguage) -> int:
    """Characters of a quote at most, where all quotes have so much room."""
    tokens = min(max(room_tokens // _AT_ONCE, SHORTEST_QUOTE), LONGEST_QUOTE)
    return int(tokens * _CHARACTERS_A_TOKEN[language])


def find_quotes(
    index: PassageIndex, weighed: Weighed, question: Question, options: RecallOptions, length: int
) -> list[Quote]:
    """Quotes of so many characters of what the prompt no longer holds, most relevant first, at most one a message."""
    rows = np.flatnonzero(weighed.is_found)
    rows = rows[np.argsort(-weighed.relevance[rows], kind="stable")]
    asked = frozenset(term for part in question.words[:1] for term in part.telling)
    texts: dict[str, str] = {}  # by message
    best: list[int] = []  # their rows
    room = options.passage_tokens * _OFFERED
    for row in rows.tolist():
        passage = index.passages[row]
        if passage.key in texts:
            continue
        texts[passage.key] = text = quoted(passage.text, asked, length)
        best.append(row)
        room -= len(text)
        if room <= 0:
            break
    chosen = np.array(best, np.int64)
    scores = logistic(weighed.relevance[chosen]).tolist()
    found = zip(best, texts.values(), scores, _signals_of(chosen, weighed), strict=True)
    return [Quote(index.passages[row], text, _reason(spoken), score, spoken) for row, text, score, spoken in found]


def _signals_of(rows: Ints, weighed: Weighed) -> Iterator[dict[str, float]]:
    """What spoke for each of some rows, by its name."""
    signals = weighed.signals
    for values in zip(*(signal[rows].tolist() for signal in signals.values()), strict=True):
        yield dict(zip(signals, values, strict=True))


def says_it(said: Collection[str] | None, quote: Quote) -> bool:
    """True if memories with these terms, None for no memories, tell what the quote tells."""
    if said is None:
        return False
    new = set(telling(_terms_of(quote.text)))
    return len(new.intersection(said)) >= _SAID_SHARE * len(new)


def said_once(
    index: RecallIndex, chosen: Sequence[Choice], quotes: Sequence[Quote]
) -> tuple[list[Choice], list[Quote]]:
    """The memories without those of which a quote says almost every word, and the quotes, which take their place."""
    by_key = {quote.passage.key: quote for quote in quotes}
    known_terms = index.passages.lexical.terms_of
    kept: list[Choice] = []
    for choice in chosen:
        memory = index.terms_of(choice.row)
        found = (by_key[key] for key in index.nodes[choice.row].sources if key in by_key)
        # What the whole passage does not say, no part of it does; and its terms are known.
        may_say = (quote for quote in found if _says(memory, known_terms(quote.passage.id)))
        quote = next((quote for quote in may_say if repeats(quote, memory)), None)
        if quote is None:
            kept.append(choice)
        elif quote.scores["relevance"] < choice.scores["relevance"]:
            relevance = choice.scores["relevance"]
            scores = {**quote.scores, "relevance": relevance}
            by_key[quote.passage.key] = replace(quote, score=float(logistic(relevance)), scores=scores)
    return kept, sorted(by_key.values(), key=lambda quote: -quote.scores["relevance"])


def repeats(quote: Quote, memory: Collection[str]) -> bool:
    """True if the quote says almost every word of a memory with these terms."""
    return _says(memory, _terms_of(f"{quote.passage.speaker}: {quote.text}"))


def _says(memory: Collection[str], said: Collection[str]) -> bool:
    new = set(telling(memory))
    return len(new.intersection(said)) >= _REPEATED_SHARE * len(new)


def quoted(text: str, asked: Collection[str], length: int) -> str:
    """The sentences that have most of the asked terms, with those around them, in so many characters."""
    if len(text) <= length:
        return text
    parts, sizes, folded, whole = _compared(text)
    shared = [0] * len(parts)
    for term in asked:
        if term in whole:
            for place, part in enumerate(folded):
                shared[place] += term in part  # a stem begins most forms of its word
    first = last = shared.index(max(shared))
    left = length - sizes[first]
    while True:
        # What follows first: an answer comes after what it answers.
        if last + 1 < len(sizes) and sizes[last + 1] <= left:
            last += 1
            left -= sizes[last]
        elif first > 0 and sizes[first - 1] <= left:
            first -= 1
            left -= sizes[first]
        else:
            break
    run = "".join(parts[first : last + 1]).strip()
    return run if len(run) <= length else f"{run[: length - 1]}…"


@lru_cache(maxsize=_COMPARED)
def _terms_of(text: str) -> Sequence[str]:
    return terms(text)


@lru_cache(maxsize=REMEMBERED)
def _compared(text: str) -> tuple[Sequence[str], Sequence[int], Sequence[str], str]:
    """The sentences of a text, their lengths, and as terms are looked for in them: each by itself, and all of them."""
    parts = sentences(text)
    folded = [fold(part) for part in parts]
    return parts, [len(part) for part in parts], folded, "".join(folded)


def _reason(spoken: Mapping[str, float]) -> Reason:
    if spoken["lexical"] > 0:
        return "words"
    return "vectors" if spoken["vector"] >= LITTLE_MEANING else "nearby"

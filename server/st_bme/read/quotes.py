"""Which past messages are quoted beside the memories, and what of them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np

from st_bme.read.candidates import LITTLE_MEANING, Question, Reason, likeness_of_meaning, nearest
from st_bme.read.options import RecallOptions
from st_bme.read.passages import Passage, PassageIndex, sentences
from st_bme.read.select import WORD_WEIGHTS
from st_bme.read.stop_words import telling
from st_bme.read.wording import wording
from st_bme.scoring.fusion import fuse, logistic
from st_bme.scoring.recency import smooth_neighbours
from st_bme.scoring.terms import fold, terms

QUOTE_LENGTH = 280  # characters: two or three sentences
_OFFERED = 8  # characters for each token that quotes may take: twice what fits, since some are said by memories
_SAID_SHARE = 0.7  # of a quote's telling words: a memory that has so many of them says it


@dataclass(frozen=True, slots=True)
class Quote:
    """What of a passage would stand in the prompt, and what spoke for it."""

    passage: Passage
    text: str
    reason: Reason
    score: float
    scores: Mapping[str, float]


def find_quotes(index: PassageIndex, question: Question, options: RecallOptions) -> list[Quote]:
    """Quotes of what the prompt no longer holds, best first, at most one a message."""
    is_open = np.full(len(index), options.passage_tokens > 0)
    if question.gated is not None:
        is_open &= ~question.gated.closed
    if options.passages_before is not None:
        is_open &= index.floors < options.passages_before
    if not is_open.any():
        return []
    by_wording = wording(index, question.words, is_open)
    words = smooth_neighbours(by_wording, index.floors)
    nearness = likeness_of_meaning(question.meaning, index.placed, is_open)
    meaning = smooth_neighbours(nearness, index.floors)
    by_words = (words > 0) & (words >= options.min_words * words.max())
    by_meaning = nearest(meaning, is_open, options)
    rows = np.flatnonzero(is_open & (by_words | by_meaning))
    fused = fuse([words[rows], meaning[rows]], [WORD_WEIGHTS[options.language], 1.0])
    asked = frozenset(term for part in question.words[:1] for term in part.telling)
    found: dict[str, Quote] = {}
    room = options.passage_tokens * _OFFERED
    for place in np.argsort(-fused, kind="stable").tolist():
        row = int(rows[place])
        passage = index.passages[row]
        if passage.key in found:
            continue
        text = quoted(passage.text, asked)
        scores = {"lexical": float(words[row]), "vector": float(meaning[row]), "fused": float(fused[place])}
        reason = _reason(by_words[row] and by_wording[row] > 0, nearness[row])
        found[passage.key] = Quote(passage, text, reason, float(logistic(fused[place])), scores)
        room -= len(text)
        if room <= 0:
            break
    return list(found.values())


def says_it(said: Collection[str] | None, quote: Quote) -> bool:
    """True if memories with these terms, None for no memories, tell what the quote tells."""
    if said is None:
        return False
    new = set(telling(terms(quote.text)))
    return len(new.intersection(said)) >= _SAID_SHARE * len(new)


def quoted(text: str, asked: Collection[str]) -> str:
    """The sentences that have most of the asked terms, with those around them, as far as there is room."""
    if len(text) <= QUOTE_LENGTH:
        return text
    parts = sentences(text)
    folded = [fold(part) for part in parts]
    shared = [sum(term in part for term in asked) for part in folded]  # a stem begins most forms of its word
    first = last = shared.index(max(shared))
    size = len(parts[first])
    while True:
        # What follows first: an answer comes after what it answers.
        if last + 1 < len(parts) and size + len(parts[last + 1]) <= QUOTE_LENGTH:
            last += 1
            size += len(parts[last])
        elif first > 0 and size + len(parts[first - 1]) <= QUOTE_LENGTH:
            first -= 1
            size += len(parts[first])
        else:
            break
    run = "".join(parts[first : last + 1]).strip()
    return run if len(run) <= QUOTE_LENGTH else f"{run[: QUOTE_LENGTH - 1]}…"


def _reason(has_words: bool, nearness: float) -> Reason:
    if has_words:
        return "words"
    return "vectors" if nearness >= LITTLE_MEANING else "nearby"

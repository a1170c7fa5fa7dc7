"""How much every memory and every passage has to do with a query, all on one scale: standard deviations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from st_bme.read.arrays import Floats, Mask
from st_bme.read.asked_for import asked_for
from st_bme.read.candidates import Evidence, Question, likeness_of_meaning
from st_bme.read.index import NO_FLOOR, RecallIndex
from st_bme.read.options import RecallOptions
from st_bme.read.passages import PassageIndex
from st_bme.read.vectors import Meaning, blended
from st_bme.read.wording import AskedWords, wording
from st_bme.scoring.fusion import z_scores
from st_bme.scoring.hybrid import HybridWeights
from st_bme.scoring.recency import Timeline
from st_bme.scoring.similarity import first_places

# Weights of the signals where the user's are the usual ones; nearness of meaning has 1. Found on three conversations of
# LoCoMo and two role-play chats in each language, and judged on others (benchmarks/README.md).
WORDED = {"en": 0.65, "zh": 0.75}
ALONE = 2.0
"""How much more words count where there are no vectors: they stand for meaning as well, or length would decide."""
LINKED = 0.3
"""Little: energy gathers at a few names and places, and where these stand out they crowd out what answers."""
IMPORTANT = 0.3
KINDRED = 0.3
"""Of words that mean nearly the same as those asked for."""
_MOST_ASKED = 8  # words: a question has fewer, and what a long message is about are its rarest ones
ASKED_FOR = 4.0
"""What it is worth to give the time or the number that a question wants."""
SPOKEN = 2.0
"""What it is worth to be said by someone whom the query names."""
ECHOED = 0.4
_ECHOING = 3
LENT, LENT_BACK = {"en": 0.45, "zh": 0.35}, 0.2
"""What a passage or memory lends to what was told after and before it, half as much at two floors: an answer has its
words in what it answers more often than the other way round. Not more, or one place that fits well crowds out the
others of which a question asks.
"""
OWN_SHARE = 0.25
"""Of a memory's relevance; the rest is that of the messages that it was made from."""
NAME_ALONE = 10.0
"""What it costs to tell nothing but a name."""

USUAL = HybridWeights()


@dataclass(frozen=True, slots=True)
class Weighed:
    """The passages of a chat as a query finds them, by row."""

    wording: Floats  # ≥ 0
    nearness: Floats  # z-scores
    relevance: Floats  # -inf where closed
    is_found: Mask  # open, and words or meaning say enough

    @property
    def signals(self) -> Mapping[str, Floats]:
        """What spoke for them, by its name in an answer."""
        return {"lexical": self.wording, "vector": self.nearness, "relevance": self.relevance}


def weigh_passages(index: PassageIndex, question: Question, options: RecallOptions) -> Weighed:
    """What speaks for each passage that may be quoted: words, meaning, who says it, and how much it tells."""
    is_open = np.full(len(index), options.passage_tokens > 0)
    if not is_open.any():
        return Weighed(np.zeros(len(index)), np.zeros(len(index)), np.full(len(index), -np.inf), is_open)
    if question.gated is not None:
        is_open &= ~question.gated.closed
    if options.passages_before is not None:
        is_open &= index.floors < options.passages_before
    # Who speaks stands before each passage: a name says who is meant, not what was said.
    asked = [words.without(index.speakers.terms) for words in question.words]
    by_wording = wording(index, asked, is_open)
    nearness = likeness_of_meaning(question.meaning, index.placed, is_open)
    found = found_by(by_wording, nearness, index.told, options, kindred=_kindred(index, asked, question.meaning))
    said = SPOKEN * index.speakers.named_in(question.parts[0].text)
    relevance = np.where(is_open, found + said + index.substances + _given(index, question), -np.inf)
    relevance += ECHOED * _echo(relevance, index, question.meaning, is_open)
    is_worded = (by_wording > 0) & (by_wording >= options.min_words * by_wording.max(initial=0.0))
    return Weighed(by_wording, nearness, relevance, is_open & (is_worded | (found >= options.min_found)))


def _kindred(index: PassageIndex, asked: Sequence[AskedWords], meaning: Meaning | None) -> Floats | None:
    """(n,) z-scores of the words that mean nearly the same as the asked ones; None where there are no vectors."""
    if meaning is None:
        return None
    terms = index.lexical.rarest(asked[0].telling if asked else (), _MOST_ASKED)
    groups = index.kindred.of(terms, meaning.table)
    return z_scores(index.lexical.kin_scores(groups)[index.lexical_rows])


def _given(index: PassageIndex, question: Question) -> Floats:
    """(n,) what it is worth to give what is asked for."""
    wanted = asked_for(question.parts[0].text)
    return ASKED_FOR * (index.times * float(wanted.time) + index.numbers * float(wanted.number))


def _echo(relevance: Floats, index: PassageIndex, meaning: Meaning | None, is_open: Mask) -> Floats:
    """(n,) likeness to what the most relevant passages mean, as z-scores: what belongs to the answer but shares nothing
    with the question.
    """
    best = first_places(-relevance, _ECHOING)
    best = best[is_open[best]]  # where few are open, closed ones are among them
    vectors = [] if meaning is None else [meaning.table.vector(index.placed.texts[row]) for row in best.tolist()]
    known = [vector for vector in vectors if vector is not None]
    if meaning is None or not known:
        return np.zeros(len(index))
    echo = Meaning(meaning.table, blended(known, [1 / len(known)] * len(known)))
    return likeness_of_meaning(echo, index.placed, is_open)


def relevance_of_memories(index: RecallIndex, evidence: Evidence, weighed: Weighed, options: RecallOptions) -> Floats:
    """(n,) what speaks for each memory itself, and three times as much for the best of its messages."""
    own = own_relevance(index, evidence, options)
    best = _by_floor(weighed, index)
    told = np.full(len(index), -np.inf)
    np.maximum.at(told, index.arrays.source_rows, best[index.arrays.source_floors])
    has_place = np.isfinite(told) & (index.arrays.told_floors != NO_FLOOR)
    relevance = np.where(has_place, OWN_SHARE * own + (1 - OWN_SHARE) * told, own)
    return relevance + np.log(evidence.standing)  # a factor of the odds


def own_relevance(index: RecallIndex, evidence: Evidence, options: RecallOptions) -> Floats:
    """(n,) what words, meaning, links and importance say, by the user's weights."""
    weights = options.weights
    return (
        found_by(evidence.wording, evidence.nearness, index.arrays.told, options)
        + LINKED * weights.graph / USUAL.graph * z_scores(evidence.energies)
        - NAME_ALONE * index.arrays.is_bare
        + IMPORTANT * weights.importance / USUAL.importance * index.arrays.worths
    )


def found_by(
    by_wording: Floats, nearness: Floats, told: Timeline, options: RecallOptions, *, kindred: Floats | None = None
) -> Floats:
    """(n,) what words and meaning say, by the user's weights, each lent to the neighbours in time."""
    words = WORDED[options.language] * z_scores(by_wording)
    if not nearness.any():
        words *= ALONE
    if kindred is not None:
        words += KINDRED * kindred
    found = options.weights.lexical / USUAL.lexical * words + options.weights.vector / USUAL.vector * nearness
    return told.smooth(found, share=LENT[options.language], share_back=LENT_BACK)


def _by_floor(weighed: Weighed, index: RecallIndex) -> Floats:
    """(f,) the best relevance of each floor's passages, -inf where there is none."""
    floors = index.passages.floors
    best = np.full(max(floors.max(initial=NO_FLOOR), index.head_floor) + 1, -np.inf)
    np.maximum.at(best, floors, weighed.relevance)
    return best

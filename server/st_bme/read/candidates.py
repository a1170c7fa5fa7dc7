"""Which memories a query may be about: a union of several ways to find them, each memory with the reason."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from st_bme.model.schema import type_of
from st_bme.read.arrays import Floats, Ints, Mask
from st_bme.read.gates import Gated
from st_bme.read.index import RecallIndex
from st_bme.read.options import RecallOptions
from st_bme.read.query import QueryPart
from st_bme.read.vectors import Meaning, PlacedTexts
from st_bme.read.wording import AskedWords, wording
from st_bme.scoring.diffusion import diffuse
from st_bme.scoring.fusion import z_scores
from st_bme.scoring.similarity import top

Reason = Literal[
    "pinned",
    "core",
    "names",
    "words",
    "vectors",
    "nearby",
    "diffusion",
    "speaker",
    "recent",
    "scene",
    "flashback",
    "woken",
]

NAMED_ENERGY = 2.0  # the clamp of diffusion: nothing says more surely what a text is about
_CROSS_ENERGY = 1.5  # the original ST-BME's, by strength of the link
SPEAKER_ENERGY = 0.5  # reaches the speaker's own memory, not all that is linked with it
_WORD_SEEDS = 15
LITTLE_MEANING = 1.5  # deviations from the mean; of a handful of memories none can stand out by more
_MOST_WOKEN = 5  # by their words, and as many by meaning
_LITTLE_ENERGY = 0.1  # more than two weak links away from a name


@dataclass(frozen=True, slots=True)
class Evidence:
    """What speaks for each memory, by row."""

    wording: Floats  # (n,) ≥ 0 likeness of wording; the best of the text that weighs most has 1
    words: Floats  # (n,) the same with what a memory is lent by those told just before and after it
    nearness: Floats  # (n,) z-scores of likeness of meaning; all 0 without vectors
    meaning: Floats  # (n,) the same with what is lent
    energies: Floats  # (n,) within ±2
    standing: Floats  # around 1: how near it is to who speaks, in view, place and story time
    named: frozenset[int]
    speaking: frozenset[int]
    now_ms: int = 0

    @property
    def has_meaning(self) -> bool:
        """True if there were vectors to compare."""
        return bool(self.meaning.any())


@dataclass(frozen=True, slots=True)
class Candidates:
    """Rows that the query may be about, ascending, and why."""

    rows: Ints
    reason_of: Callable[[int], Reason]


@dataclass(frozen=True, slots=True)
class Question:
    """A query as it is searched for: its texts, their words, their meaning where there are vectors, and who asks."""

    parts: Sequence[QueryPart]
    words: Sequence[AskedWords]
    speaker: str
    meaning: Meaning | None
    gated: Gated | None = None
    now_ms: int = 0


def gather_evidence(index: RecallIndex, question: Question, options: RecallOptions) -> Evidence:
    """Words, names and meaning of the query, and the energy that spreads from what they find."""
    by_wording = wording(index, question.words)
    words = index.arrays.told.smooth(by_wording)
    nearness = likeness_of_meaning(question.meaning, index.placed)
    meaning = index.arrays.told.smooth(nearness)
    seeds: dict[int, float] = {}
    strongest = max((part.weight for part in question.parts), default=0.0)
    for part in question.parts:
        for row in _named_rows(index, part.text):
            seeds[row] = max(seeds.get(row, 0.0), NAMED_ENERGY * part.weight / strongest)
    named = frozenset(seeds)
    if options.has_cross_recall:
        seeds |= {row: max(seeds.get(row, 0.0), energy) for row, energy in _crossed(index, seeds).items()}
    speaking = frozenset(index.row_of[match.id] for match in index.names.find(question.speaker))
    for row in sorted(speaking - named):
        seeds[row] = SPEAKER_ENERGY
    worded = np.flatnonzero(_is_worded(words, options))
    most = top(words[worded], _WORD_SEEDS)
    for row, score in zip(worded[most.rows].tolist(), most.scores.tolist(), strict=True):
        seeds[row] = max(seeds.get(row, 0.0), min(1.0, score))
    ordered = {row: seeds[row] for row in sorted(seeds)}
    energies = diffuse(index.flows(in_time=options.has_time_links), ordered, options.diffusion)
    energies = np.maximum(energies, energies[index.standing_for])
    weights = np.ones(len(index)) if question.gated is None else question.gated.weights
    return Evidence(by_wording, words, nearness, meaning, energies, weights, named, speaking, question.now_ms)


def _crossed(index: RecallIndex, named: Mapping[int, float]) -> dict[int, float]:
    """The events that what was named is linked with, each with one and a half of the strength of its best link."""
    found: dict[int, float] = {}
    for row, energy in named.items():
        for other, strength in index.links_of(row):
            if index.nodes[other].type == "event":
                share = energy / NAMED_ENERGY * min(NAMED_ENERGY, _CROSS_ENERGY * strength)
                found[other] = max(found.get(other, 0.0), share)
    return found


def _named_rows(index: RecallIndex, text: str) -> list[int]:
    """Rows of what a text names. What only has someone's name as its title, as a change of theirs, is not meant."""
    found = [(match.start, index.row_of[match.id]) for match in index.names.find(text)]
    has_name = {row: "name" in type_of(index.nodes[row].type).columns for _, row in found}
    borne = {start for start, row in found if has_name[row]}
    return [row for start, row in found if has_name[row] or start not in borne]


def likeness_of_meaning(meaning: Meaning | None, placed: PlacedTexts, is_open: Mask | None = None) -> Floats:
    """(n,) z-scores among the open rows; 0 for a closed one, one without a vector, and all without a meaning."""
    if meaning is None:
        return np.zeros(len(placed.texts))
    cosines = meaning.cosines(placed)
    if is_open is not None:
        cosines[~is_open] = np.nan
    return z_scores(cosines)


def waken(evidence: Evidence, is_asleep: Mask, options: RecallOptions) -> Ints:
    """Rows that sleep and match strongly: those that are named, and a few whose own words or meaning say much."""
    if not is_asleep.any():
        return np.empty(0, np.int64)
    worded = np.where(is_asleep, evidence.wording, 0.0)
    best = top(worded, _MOST_WOKEN).rows
    is_strong = nearest(np.where(is_asleep, evidence.nearness, 0.0), is_asleep, replace(options, nearest=_MOST_WOKEN))
    is_strong[best[worded[best] >= options.min_words * evidence.wording.max(initial=0.0)]] = True
    is_strong[list(evidence.named)] = True
    return np.flatnonzero(is_strong & is_asleep)


def find_candidates(index: RecallIndex, evidence: Evidence, is_open: Mask, options: RecallOptions) -> Candidates:
    """The open memories for which enough speaks."""
    words, energies = evidence.words, evidence.energies
    by_words = _is_worded(words, options)
    by_energy = energies >= options.min_energy
    by_meaning = nearest(evidence.meaning, is_open, options)
    is_found = by_words | by_meaning | by_energy
    newest = index.arrays.newest
    recent = newest[is_open[newest]][: options.recent]
    touched = (evidence.wording[recent] > 0) | (energies[recent] >= _LITTLE_ENERGY)
    is_found[recent] |= touched | (evidence.nearness[recent] >= LITTLE_MEANING)
    rows = np.flatnonzero(is_open & is_found)
    found: dict[Reason, Mask] = {"words": by_words, "vectors": by_meaning, "diffusion": by_energy}
    return Candidates(rows, lambda row: _reason(row, evidence, found))


def nearest(meaning: Floats, is_open: Mask, options: RecallOptions) -> Mask:
    """(n,) True for the few open rows that stand out by their meaning."""
    is_near = np.zeros(meaning.size, np.bool_)
    rows = np.flatnonzero(is_open & (meaning >= options.min_meaning))
    is_near[rows[top(meaning[rows], options.nearest).rows]] = True
    return is_near


def core_rows(index: RecallIndex, is_open: Mask) -> Ints:
    """What is injected whatever was asked, most important first: pinned, synopsis, rules, threads, newest events."""
    rows = index.arrays.core
    return rows[is_open[rows]]


def _is_worded(words: Floats, options: RecallOptions) -> Mask:
    """(n,) True where the words say enough beside those of the best."""
    is_worded: Mask = (words > 0) & (words >= options.min_words * words.max(initial=0.0))
    return is_worded


def _reason(row: int, evidence: Evidence, found: Mapping[Reason, Mask]) -> Reason:
    if row in evidence.named:
        return "names"
    if found["words"][row] and evidence.wording[row] > 0:
        return "words"
    if evidence.nearness[row] >= LITTLE_MEANING:
        return "vectors"
    if found["words"][row] or found["vectors"][row]:
        return "nearby"
    if row in evidence.speaking:
        return "speaker"
    return "diffusion" if found["diffusion"][row] else "recent"

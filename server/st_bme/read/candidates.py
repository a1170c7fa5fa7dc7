"""Which memories a query may be about: a union of several ways to find them, each memory with the reason."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from st_bme.read.index import NO_FLOOR, Floats, Ints, Mask, RecallIndex
from st_bme.read.options import RecallOptions
from st_bme.read.query import QueryPart, intent_segments
from st_bme.read.stop_words import telling
from st_bme.scoring.diffusion import diffuse
from st_bme.scoring.recency import smooth_neighbours
from st_bme.scoring.similarity import top
from st_bme.scoring.terms import terms

Reason = Literal["pinned", "core", "names", "words", "nearby", "diffusion", "speaker", "recent", "scene"]

NAMED_ENERGY = 2.0  # the clamp of diffusion: nothing says more surely what a text is about
SPEAKER_ENERGY = 0.5  # reaches the speaker's own memory, not all that is linked with it
_CORE_ORDER = ("synopsis", "rule", "thread", "event")
_WORD_SEEDS = 15
_LITTLE_ENERGY = 0.1  # more than two weak links away from a name
_SEGMENTS = 12  # words cost nothing, so a long message may ask more than the few texts worth an embedding


@dataclass(frozen=True, slots=True)
class Evidence:
    """What speaks for each memory, by row."""

    wording: Floats  # (n,) ≥ 0 likeness of wording; the best of the text that weighs most has 1
    words: Floats  # (n,) the same with what a memory is lent by those told just before and after it
    energies: Floats  # (n,) within ±2
    named: frozenset[int]
    speaking: frozenset[int]


@dataclass(frozen=True, slots=True)
class Candidates:
    """Rows that the query may be about, ascending, and why."""

    rows: Ints
    reasons: Mapping[int, Reason]


def gather_evidence(
    index: RecallIndex, parts: Sequence[QueryPart], *, speaker: str, options: RecallOptions
) -> Evidence:
    """Names and words of the query, and the energy that spreads from what they find."""
    wording = _wording(index, parts)
    words = smooth_neighbours(wording, index.arrays.told_floors)
    seeds: dict[int, float] = {}
    strongest = max((part.weight for part in parts), default=0.0)
    for part in parts:
        for match in index.names.find(part.text):
            row = index.row_of[match.id]
            seeds[row] = max(seeds.get(row, 0.0), NAMED_ENERGY * part.weight / strongest)
    named = frozenset(seeds)
    speaking = frozenset(index.row_of[match.id] for match in index.names.find(speaker))
    for row in sorted(speaking - named):
        seeds[row] = SPEAKER_ENERGY
    for row in top(words, _WORD_SEEDS).rows.tolist():
        if words[row] >= options.min_words * words.max():
            seeds[row] = max(seeds.get(row, 0.0), min(1.0, float(words[row])))
    ordered = {row: seeds[row] for row in sorted(seeds)}
    return Evidence(wording, words, diffuse(index.flows, ordered, options.diffusion), named, speaking)


def find_candidates(index: RecallIndex, evidence: Evidence, is_open: Mask, options: RecallOptions) -> Candidates:
    """The open memories for which enough speaks."""
    words, energies = evidence.words, evidence.energies
    by_words = (words > 0) & (words >= options.min_words * words.max(initial=0.0))
    by_energy = energies >= options.min_energy
    by_little = _is_recent(index, is_open, options.recent) & ((evidence.wording > 0) | (energies >= _LITTLE_ENERGY))
    rows = np.flatnonzero(is_open & (by_words | by_energy | by_little))
    return Candidates(rows, {row: _reason(row, evidence, by_words, by_energy) for row in rows.tolist()})


def core_rows(index: RecallIndex, is_open: Mask) -> list[int]:
    """What is injected whatever was asked, most important first: pinned, synopsis, rules, threads, newest events."""
    arrays = index.arrays
    rows = np.flatnonzero(is_open & arrays.is_core)
    places = np.full(len(index), len(_CORE_ORDER))
    for place, name in enumerate(_CORE_ORDER):
        places[index.rows_of_type(name)] = place
    order = np.lexsort((-rows, -arrays.last_floors[rows], places[rows], ~arrays.is_pinned[rows]))
    ordered: list[int] = rows[order].tolist()
    return ordered


def _wording(index: RecallIndex, parts: Sequence[QueryPart]) -> Floats:
    """Each part scaled by its best memory, so that a long reply does not drown a short question."""
    wording = np.zeros(len(index))
    for part in parts:
        found = _words(index, part.text)
        if part.kind == "user":
            found = (found + _best_clause(index, part.text, found)) / 2
        best = found.max(initial=0.0)
        if best > 0:
            wording += part.weight * found / best
    return wording / max((part.weight for part in parts), default=1.0)


def _words(index: RecallIndex, text: str) -> Floats:
    """BM25 of the memories that share a telling word with the text; among those every word counts."""
    asked = terms(text)
    return np.where(index.words(telling(asked)) > 0, index.words(asked), 0.0)


def _best_clause(index: RecallIndex, text: str, whole: Floats) -> Floats:
    """Words of the clause that fits each memory best: who asks two things wants an answer to one of them."""
    clauses = intent_segments(text, max_segments=_SEGMENTS)
    if len(clauses) < 2:
        return whole
    best: Floats = np.max([_words(index, clause) for clause in clauses], axis=0)
    return best


def _is_recent(index: RecallIndex, is_open: Mask, count: int) -> Mask:
    floors = np.where(is_open, index.arrays.last_floors, NO_FLOOR)
    newest = np.argsort(-floors, kind="stable")[:count]
    is_recent = np.zeros(len(index), np.bool_)
    is_recent[newest] = True
    return is_recent


def _reason(row: int, evidence: Evidence, by_words: Mask, by_energy: Mask) -> Reason:
    if row in evidence.named:
        return "names"
    if by_words[row]:
        return "words" if evidence.wording[row] > 0 else "nearby"
    if row in evidence.speaking:
        return "speaker"
    return "diffusion" if by_energy[row] else "recent"

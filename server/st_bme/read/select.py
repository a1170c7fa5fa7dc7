"""Which candidates are recalled: fused to a pool, scored, and the best or a choice of what differs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import chain, count

import numpy as np

from st_bme.read.ages import Timed, lives_of, told_ages
from st_bme.read.arrays import Floats, Ints
from st_bme.read.candidates import Candidates, Evidence, Reason
from st_bme.read.index import RecallIndex
from st_bme.read.options import RecallOptions
from st_bme.read.vectors import Vectors
from st_bme.scoring.diversity import select_diverse
from st_bme.scoring.fusion import logistic, z_scores
from st_bme.scoring.hybrid import Signals, hybrid_score
from st_bme.scoring.lifecycle import lifecycle_weights, tiers_of
from st_bme.scoring.recency import time_decay
from st_bme.scoring.similarity import first_places

_POOL_FACTOR = 3  # the original ST-BME's: diversity chooses from three times as many as are wanted


@dataclass(frozen=True, slots=True)
class Weights:
    """What speaks for each memory, and how relevant that makes it."""

    evidence: Evidence
    relevance: Floats


@dataclass(frozen=True, slots=True)
class Choice:
    """A memory to inject if there is room, and what spoke for it."""

    row: int
    reason: Reason
    score: float
    scores: Mapping[str, float]


def select(index: RecallIndex, candidates: Candidates, weights: Weights, options: RecallOptions) -> list[Choice]:
    """The most relevant candidates, at most `top_k`, best first; equal ones by row."""
    if candidates.rows.size == 0:
        return []
    relevance = weights.relevance[candidates.rows]
    pool = np.sort(first_places(-relevance, options.top_k * _POOL_FACTOR))
    rows = candidates.rows[pool]
    signals = _signals(index, rows, weights.evidence, options) | {"relevance": relevance[pool]}
    scores = _scores(signals, options)
    chosen = np.arange(rows.size)
    if options.is_diverse:
        chosen = select_diverse(_term_vectors(index, rows), scores, options.top_k)
    best_first = chosen[np.lexsort((rows[chosen], -relevance[pool[chosen]]))][: options.top_k]
    spoken = zip(*(values[best_first].tolist() for values in signals.values()), strict=True)
    found = zip(rows[best_first].tolist(), scores[best_first].tolist(), spoken, strict=True)
    return [
        Choice(row, candidates.reason_of(row), score, dict(zip(signals, values, strict=True)))
        for row, score, values in found
    ]


def _signals(index: RecallIndex, rows: Ints, evidence: Evidence, options: RecallOptions) -> dict[str, Floats]:
    signals = {
        "graph": np.clip(evidence.energies[rows], 0, None),
        "lexical": logistic(z_scores(evidence.words[rows])),
        "importance": index.arrays.importances[rows],
        "standing": evidence.standing[rows],
        **_faded(timed(index, rows, evidence.now_ms), options),
    }
    return signals | ({"vector": logistic(z_scores(evidence.meaning[rows]))} if evidence.has_meaning else {})


def _faded(timed: Timed, options: RecallOptions) -> dict[str, Floats]:
    """What time leaves of each, and with a lifecycle its tier."""
    if not options.has_lifecycle:
        return {"decay": time_decay(told_ages(timed, options.clock))}
    lives = lives_of(timed, options.clock)
    return {"decay": lifecycle_weights(lives), "tier": tiers_of(lives).astype(np.float64)}


def _scores(signals: Mapping[str, Floats], options: RecallOptions) -> Floats:
    weights, vector = options.weights, signals.get("vector")
    if vector is None:
        # Where there are no vectors, their weight would only shrink every score.
        weights, vector = replace(weights, vector=0.0), np.zeros(1)
    scored = Signals(signals["graph"], vector, signals["lexical"], signals["importance"])
    factor = signals["decay"] * signals["standing"]
    return hybrid_score(scored, weights, decay=factor, is_normalized=options.is_normalized)


def timed(index: RecallIndex, rows: Ints, now_ms: int) -> Timed:
    """The memories of these rows with what their ages are reckoned from."""
    standing = index.standing
    return Timed(
        nodes=[index.nodes[row] for row in rows.tolist()],
        importances=index.arrays.importances[rows],
        last_floors=index.arrays.last_floors[rows],
        segments=standing.stories.ends[rows],
        head_floor=index.head_floor,
        now_segment=standing.now,
        floors=index.floors,
        uses=index.uses,
        now_ms=now_ms,
    )


def _term_vectors(index: RecallIndex, rows: Ints) -> Vectors:
    """(k, terms) 1 where a memory holds a term: how alike two memories are worded."""
    found = [index.lexical.terms_of(index.nodes[row].id) for row in rows.tolist()]
    sizes = [len(terms) for terms in found]
    columns: defaultdict[str, int] = defaultdict(count().__next__)
    places = np.fromiter(map(columns.__getitem__, chain.from_iterable(found)), np.int64, sum(sizes))
    vectors = np.zeros((len(found), len(columns)), np.float32)
    vectors[np.repeat(np.arange(len(found)), sizes), places] = 1.0
    return vectors

"""How alike embeddings are, by exact search: approximate indexes save nothing below 100,000 rows."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import numpy.typing as npt

_Float = TypeVar("_Float", np.float32, np.float64)


@dataclass(frozen=True, slots=True)
class Hits:
    """Rows found, best first; equal scores by row."""

    rows: npt.NDArray[np.int64]  # (k,)
    scores: npt.NDArray[np.floating]  # (k,)


def cosine(left: npt.ArrayLike, right: npt.ArrayLike) -> float:
    """Cosine of two vectors, -1..1; 0 when their lengths differ or either is empty or all zero."""
    a = np.asarray(left, np.float64)
    b = np.asarray(right, np.float64)
    if a.shape != b.shape:
        return 0.0
    norms = float(np.linalg.norm(a) * np.linalg.norm(b))
    return float(a @ b) / norms if norms > 0 else 0.0


def unit_rows(matrix: npt.NDArray[_Float]) -> npt.NDArray[_Float]:
    """Each row of (n, d) scaled to length 1, in the same dtype; an all-zero row stays zero."""
    units = np.zeros_like(matrix)
    norms = np.linalg.norm(matrix, axis=1, keepdims=True)
    np.divide(matrix, norms, out=units, where=norms > 0)
    return units


def search(query: npt.NDArray[np.floating], matrix: npt.NDArray[np.floating], k: int) -> Hits:
    """The k rows most like a query.

    Args:
        query: (d,) float, any length.
        matrix: (n, d) float, rows of length 1 or 0 (see `unit_rows`).
    Returns: at most k hits with cosine > 0.
    """
    norm = np.linalg.norm(query)
    if norm == 0:
        return top(np.zeros(len(matrix)), k)
    return top(matrix @ (query / norm), k)


def top(scores: npt.NDArray[np.floating], k: int) -> Hits:
    """The k highest of (n,) scores that are above 0."""
    rows = np.flatnonzero(scores > 0)
    if rows.size > k > 0:
        floor = np.partition(scores[rows], rows.size - k)[rows.size - k]
        rows = rows[scores[rows] >= floor]
    order = np.argsort(-scores[rows], kind="stable")[: max(k, 0)]
    return Hits(rows[order], scores[rows[order]])


def first_places(values: npt.NDArray[np.generic], k: int) -> npt.NDArray[np.int64]:
    """Places of the k lowest of (n,) values, lowest first, equal ones by place; without sorting the others."""
    places = np.arange(values.size)
    if values.size > k > 0:
        ceiling = np.partition(values, k - 1)[k - 1]
        places = np.flatnonzero(values <= ceiling)
    order: npt.NDArray[np.int64] = places[np.argsort(values[places], kind="stable")[: max(k, 0)]]
    return order


def merge_hits(groups: Sequence[Hits], limit: int | None = None) -> Hits:
    """Hits of several queries as one list, a row by its best score; all of them without a limit."""
    if not groups:
        return Hits(np.empty(0, np.int64), np.empty(0))
    rows, at = np.unique(np.concatenate([group.rows for group in groups]), return_inverse=True)
    best = np.full(rows.size, -np.inf)
    np.maximum.at(best, at, np.concatenate([group.scores for group in groups]))
    order = np.argsort(-best, kind="stable")[:limit]
    return Hits(rows[order], best[order])

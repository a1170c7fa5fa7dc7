"""Texts by what they mean: unit vectors of one model in one matrix, and how near each is to a query."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
import numpy.typing as npt

from st_bme.ports import VectorSpace
from st_bme.read.arrays import Floats, Ints

Vectors = npt.NDArray[np.float32]

_FIRST_CAPACITY = 256
_NONE = -1
_WIDEST_GAP = 256  # rows that are compared in vain rather than beginning anew behind them


class VectorTable:
    """Vectors of one model and dimension, each belonging to a text: what says the same lies at the same place.

    Rows are only ever appended, so a reader on another thread sees a whole table, if perhaps an older one.
    """

    def __init__(self, space: VectorSpace) -> None:
        self.space = space
        self._row_of: dict[str, int] = {}
        self._matrix: Vectors = np.empty((_FIRST_CAPACITY, space.dimension), np.float32)

    def __len__(self) -> int:
        return len(self._row_of)

    def __contains__(self, text: str) -> bool:
        return text in self._row_of

    def put(self, texts: Sequence[str], vectors: Vectors) -> None:
        """Add unit vectors; a text that has one keeps it.

        Raises: ValueError: vectors of another dimension.
        """
        if vectors.shape != (len(texts), self.space.dimension):
            raise ValueError(f"{vectors.shape} vectors for {len(texts)} texts of dimension {self.space.dimension}")
        for text, vector in zip(texts, vectors, strict=True):
            row = len(self._row_of)
            if text in self._row_of:
                continue
            if row == len(self._matrix):
                self._matrix = np.concatenate((self._matrix, np.empty_like(self._matrix)))
            self._matrix[row] = vector
            self._row_of[text] = row

    def vector(self, text: str) -> Vectors | None:
        """The vector of a text, None where it has none."""
        row = self._row_of.get(text)
        return None if row is None else self._matrix[row]

    def rows_of(self, texts: Sequence[str]) -> Ints:
        """(n,) row of each text, -1 where it has no vector."""
        return np.array([self._row_of.get(text, _NONE) for text in texts], np.int64)

    def cosines(self, query: Vectors, start: int, end: int) -> Vectors:
        """Likeness to a (d,) query, or to each of a (d, k), of the rows from `start` to before `end`."""
        return self._matrix[start:end] @ query

    def likeness(self, placed: PlacedTexts, queries: Vectors) -> Vectors:
        """(n, k) likeness of each text to the k columns of (d, k) queries, NaN where it has no vector."""
        rows, stretches = placed.rows(self), placed.stretches(self)  # it may grow meanwhile, so its size comes last
        found = np.full((len(self) + 1, queries.shape[1]), np.nan, np.float32)  # row -1: no vector
        for start, end in stretches:
            found[start:end] = self.cosines(queries, start, end)
        return found[rows]

    def mean(self, placed: PlacedTexts) -> Vectors | None:
        """The (d,) mean of the texts that have a vector, None where none has."""
        rows = placed.rows(self)
        known = rows[rows != _NONE]
        if known.size == 0:
            return None
        counts = np.bincount(known).astype(np.float32)  # by stretches, since picking rows would copy them
        stretches = placed.stretches(self)
        mean: Vectors = sum(counts[start:end] @ self._matrix[start:end] for start, end in stretches) / known.size
        return mean

    def only(self, texts: Collection[str]) -> VectorTable:
        """A table of these texts alone, as far as they have vectors."""
        kept = VectorTable(self.space)
        known = [text for text in texts if text in self]
        kept.put(known, self._matrix[self.rows_of(known)])
        return kept


class PlacedTexts:
    """The texts of an index with their rows in a table, looked up anew only when the table has grown."""

    def __init__(self, texts: Sequence[str]) -> None:
        self.texts = texts
        self._table: VectorTable | None = None
        self._size = 0
        self._rows: Ints = np.empty(0, np.int64)
        self._stretches: Sequence[tuple[int, int]] = ()

    def rows(self, table: VectorTable) -> Ints:
        """(n,) row of each text, -1 where it has no vector."""
        self._follow(table)
        return self._rows

    def stretches(self, table: VectorTable) -> Sequence[tuple[int, int]]:
        """From where to before where in the table they lie, ascending; what lies far apart is not one stretch."""
        self._follow(table)
        return self._stretches

    def _follow(self, table: VectorTable) -> None:
        size = len(table)
        if table is not self._table or size != self._size:
            self._rows = table.rows_of(self.texts)
            self._stretches = _stretches(self._rows)
            self._table, self._size = table, size


def _stretches(rows: Ints) -> Sequence[tuple[int, int]]:
    known = np.unique(rows[rows != _NONE])
    if known.size == 0:
        return ()
    breaks = np.flatnonzero(np.diff(known) > _WIDEST_GAP)
    starts = known[np.concatenate(([0], breaks + 1))]
    ends = known[np.concatenate((breaks, [known.size - 1]))] + 1
    return list(zip(starts.tolist(), ends.tolist(), strict=True))


class Meaning:
    """What a query means, in the space of a table: its (d,) vector, compared once with what is there by then."""

    def __init__(self, table: VectorTable, query: Vectors) -> None:
        self.table = table
        self.query = query
        self._likeness: Vectors = np.full(len(table) + 1, np.nan, np.float32)  # row -1: no vector
        self._compared: list[tuple[int, int]] = []

    def cosines(self, placed: PlacedTexts) -> Floats:
        """(n,) likeness of each text, NaN where it has no vector."""
        rows = placed.rows(self.table)
        size = len(self._likeness) - 1  # the table may have grown
        for start, end in placed.stretches(self.table):
            self._compare(start, min(end, size))
        if len(self.table) > size:
            rows = np.where(rows < size, rows, _NONE)
        likeness: Floats = self._likeness[rows].astype(np.float64)
        return likeness

    def _compare(self, start: int, end: int) -> None:
        if start < end and not any(first <= start and end <= last for first, last in self._compared):
            self._likeness[start:end] = self.table.cosines(self.query, start, end)
            self._compared.append((start, end))


def blended(vectors: Sequence[Vectors], weights: Sequence[float]) -> Vectors:
    """The (d,) vector whose likeness to anything is the weighted sum of theirs, so that one product does for all."""
    mixed: Vectors = (np.asarray(weights, np.float32)[:, None] * np.stack(vectors)).sum(axis=0)
    return mixed

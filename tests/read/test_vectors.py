"""Vectors by text, and how near they are."""

from __future__ import annotations

import numpy as np
import pytest

from st_bme.ports import VectorSpace
from st_bme.read.vectors import Meaning, PlacedTexts, VectorTable, blended
from st_bme.scoring.similarity import unit_rows

SPACE = VectorSpace("model", 3)
X, Y = np.array([1, 0, 0], np.float32), np.array([0, 1, 0], np.float32)


def _table(**vectors):
    table = VectorTable(SPACE)
    table.put(list(vectors), np.array(list(vectors.values()), np.float32).reshape(len(vectors), 3))
    return table


def test_likeness_is_the_cosine_and_unknown_without_a_vector():
    meaning = Meaning(_table(a=X, b=Y), np.array([0.6, 0.8, 0], np.float32))

    assert meaning.cosines(PlacedTexts(["b", "c", "a", "b"])) == pytest.approx([0.8, np.nan, 0.6, 0.8], nan_ok=True)


def test_an_empty_table_knows_nothing():
    assert np.isnan(Meaning(VectorTable(SPACE), X).cosines(PlacedTexts(["a"]))).all()


def test_vectors_of_another_dimension_are_refused():
    with pytest.raises(ValueError, match="dimension 3"):
        _table().put(["a"], np.zeros((1, 4), np.float32))


def test_a_table_grows_without_losing_a_row():
    vectors = unit_rows(np.random.default_rng(5).standard_normal((1000, 3)).astype(np.float32))
    table = VectorTable(SPACE)
    for start in range(0, 1000, 64):
        part = vectors[start : start + 64]
        table.put([str(number) for number in range(start, start + len(part))], part)

    likeness = Meaning(table, X).cosines(PlacedTexts([str(number) for number in range(1000)]))

    assert likeness == pytest.approx(vectors[:, 0])


def test_likeness_is_exact_while_vectors_come():
    table = _table(a=X)

    class Growing(list):
        """Texts during the look-up of which others get their vectors."""

        def __iter__(self):
            table.put([f"{len(table)} {number}" for number in range(3)], np.tile(Y, (3, 1)))
            return super().__iter__()

    placed = PlacedTexts(Growing(["a", "b", *(f"{size} {number}" for size in (1, 4, 7) for number in range(3))]))

    likeness = table.likeness(placed, np.stack([X, Y], axis=1))

    assert likeness[0].tolist() == [1, 0]
    assert np.isnan(likeness[1]).all()
    assert likeness[2].tolist() == [0, 1]


def test_a_meaning_is_compared_once():
    table = _table(a=X)
    meaning = Meaning(table, X)
    meaning.cosines(PlacedTexts(["a", "b"]))
    table.put(["b"], Y[None])

    assert meaning.cosines(PlacedTexts(["a", "b"])) == pytest.approx([1, np.nan], nan_ok=True)


def test_places_follow_a_table_that_grows_and_another_table():
    placed = PlacedTexts(["a", "b"])
    table = _table(a=X)
    assert placed.rows(table).tolist() == [0, -1]

    table.put(["b"], Y[None])

    assert placed.rows(table).tolist() == [0, 1]
    assert placed.rows(_table(b=Y, a=X)).tolist() == [1, 0]


def test_only_the_stretches_in_which_texts_lie_are_compared():
    vectors = unit_rows(np.random.default_rng(6).standard_normal((2000, 3)).astype(np.float32))
    table = VectorTable(SPACE)
    table.put([str(number) for number in range(2000)], vectors)
    placed = PlacedTexts(["3", "new", "200", "1900"])

    assert placed.stretches(table) == [(3, 201), (1900, 1901)]
    likeness = Meaning(table, X).cosines(placed)
    assert likeness == pytest.approx([vectors[3, 0], np.nan, vectors[200, 0], vectors[1900, 0]], nan_ok=True)


def test_a_table_of_some_texts_keeps_their_vectors():
    kept = _table(a=X, b=Y).only(["b", "c"])

    assert len(kept) == 1
    assert kept.vector("b").tolist() == Y.tolist()
    assert kept.vector("a") is None


def test_a_blend_is_as_near_as_its_parts_by_weight():
    units = unit_rows(np.random.default_rng(6).standard_normal((3, 3)).astype(np.float32))
    weights = [0.7, 0.2, 0.1]

    mixed = blended(list(units), weights)

    assert float(mixed @ X) == pytest.approx(sum(w * float(u @ X) for w, u in zip(weights, units, strict=True)))

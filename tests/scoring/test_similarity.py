"""Exact search by cosine, and several answers merged."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from st_bme.scoring.similarity import Hits, cosine, first_places, merge_hits, search, top, unit_rows


def hits(*pairs: tuple[int, float]) -> Hits:
    return Hits(np.array([row for row, _ in pairs], np.int64), np.array([score for _, score in pairs], np.float64))


def listed(found: Hits) -> list[tuple[int, float]]:
    return list(zip(found.rows.tolist(), found.scores.tolist(), strict=True))


def test_cosine_of_two_vectors():
    assert cosine([3, 4], [4, 3]) == pytest.approx(24 / 25)


@pytest.mark.parametrize(
    ("left", "right"), [([], []), ([1], [1, 0]), ([0, 0], [1, 0])], ids=["empty", "other length", "zero"]
)
def test_vectors_that_cannot_be_compared_are_not_alike(left, right):
    assert cosine(left, right) == 0


@given(st.lists(st.integers(-3, 9), max_size=15), st.integers(0, 6))
def test_top_is_the_head_of_a_stable_sort(scores, k):
    expected = sorted(((row, float(s)) for row, s in enumerate(scores) if s > 0), key=lambda pair: -pair[1])[:k]

    assert listed(top(np.array(scores, np.float64), k)) == expected


def test_search_finds_the_same_direction_at_any_length():
    matrix = unit_rows(np.array([[0, 2], [5, 5], [-1, 0], [0, 0]], np.float32))

    found = search(np.array([10, 0], np.float32), matrix, 5)

    assert found.rows.tolist() == [1]
    assert found.scores[0] == pytest.approx(0.5**0.5)


def test_a_zero_query_finds_nothing():
    assert search(np.zeros(2), np.eye(2), 5).rows.size == 0


def test_unit_rows_keep_their_type_and_leave_zero_alone():
    units = unit_rows(np.array([[3, 4], [0, 0]], np.float32))

    assert units.dtype == np.float32
    assert units.tolist() == [[pytest.approx(0.6), pytest.approx(0.8)], [0, 0]]


def test_a_row_found_twice_counts_by_its_best_score():
    merged = merge_hits([hits((2, 0.5), (0, 0.3)), hits((2, 0.9), (1, 0.3))])

    assert listed(merged) == [(2, 0.9), (0, 0.3), (1, 0.3)]


def test_the_limit_cuts_the_merged_list():
    assert listed(merge_hits([hits((0, 0.1)), hits((1, 0.2))], 1)) == [(1, 0.2)]


def test_nothing_merged_is_nothing():
    assert listed(merge_hits([])) == []


@given(st.lists(st.integers(-3, 3), max_size=20), st.integers(0, 25))
def test_the_first_places_are_those_of_a_stable_sort(values, k):
    numbers = np.array(values, np.float64)

    assert first_places(numbers, k).tolist() == np.argsort(numbers, kind="stable")[:k].tolist()

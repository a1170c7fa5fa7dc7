"""A diverse selection against the determinants that it stands for."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from st_bme.scoring.diversity import select_diverse


def test_the_second_of_two_alike_gives_way_to_another():
    chosen = select_diverse([[1, 0], [0.999, 0.04], [0, 1]], [0.9, 0.89, 0.3], 2)

    assert chosen.tolist() == [0, 2]


def test_equal_memories_come_in_their_own_order():
    assert select_diverse(np.eye(4), [0.5] * 4, 2).tolist() == [0, 1]


def test_all_are_taken_when_all_are_asked_for():
    assert select_diverse([[1, 0], [0, 1]], [0.1, 0.9], 5).tolist() == [0, 1]


def test_a_memory_without_a_vector_comes_last():
    assert select_diverse([[0, 0], [1, 0], [0, 1], [1, 1]], [0.9, 0.5, 0.4, 0.3], 2).tolist() == [1, 2]


def test_none_are_taken_when_none_are_asked_for():
    assert select_diverse([[1, 0], [0, 1]], [0.1, 0.9], 0).tolist() == []


@given(st.integers(0, 2**32 - 1), st.integers(1, 4))
def test_each_choice_adds_the_most_volume(seed, k):
    random = np.random.default_rng(seed)
    vectors, scores = random.normal(size=(6, 5)), random.uniform(0.1, 1, 6)
    units = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    kernel = np.outer(scores, scores) * (units @ units.T)

    chosen = select_diverse(vectors, scores, k).tolist()

    for size in range(1, k + 1):
        before = chosen[: size - 1]
        volumes = {
            row: np.linalg.det(kernel[np.ix_([*before, row], [*before, row])]) for row in range(6) if row not in before
        }
        assert volumes[chosen[size - 1]] == pytest.approx(max(volumes.values()), rel=1e-4)


@given(st.integers(0, 2**32 - 1))
def test_more_than_the_vectors_span_are_still_distinct(seed):
    random = np.random.default_rng(seed)

    chosen = select_diverse(random.normal(size=(12, 3)), random.uniform(0, 1, 12), 8)

    assert len(set(chosen.tolist())) == 8
    assert all(0 <= row < 12 for row in chosen)

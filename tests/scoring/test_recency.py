"""Fading with age, and weight lent to neighbours in time."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from st_bme.scoring.recency import Timeline, time_decay


def test_decay_of_known_ages():
    assert time_decay([0, 1, 7, 30, 365]) == pytest.approx([1, 0.9181, 0.8649, 0.8451, 0.8290], abs=1e-4)


def test_a_memory_of_the_future_does_not_fade():
    assert time_decay(-3) == 1


@given(st.floats(0, 1e6), st.floats(0, 1e6))
def test_older_never_counts_more(one, other):
    younger, older = sorted((one, other))

    assert 0.8 < time_decay(older) <= time_decay(younger) <= 1


def test_half_goes_to_the_next_floor_and_a_quarter_to_the_one_after():
    smoothed = Timeline([3, 4, 5, 6, 7, 8]).smooth(np.array([0.0, 0, 8, 0, 0, 0]))

    assert smoothed.tolist() == [2, 4, 8, 4, 2, 0]


def test_what_follows_may_be_lent_more_than_what_went_before():
    smoothed = Timeline([3, 4, 5]).smooth(np.array([0.0, 8, 0]), share=0.5, share_back=0.25)

    assert smoothed.tolist() == [2, 8, 4]


def test_only_the_best_of_a_floor_lends_and_not_to_its_own():
    smoothed = Timeline([5, 5, 6], radius=1).smooth(np.array([4.0, 6, 1]))

    assert smoothed.tolist() == [4.5, 6.5, 4]


def test_a_memory_without_a_floor_neither_lends_nor_receives():
    assert Timeline([0, -1]).smooth(np.array([4.0, 6])).tolist() == [4, 6]
    assert Timeline([-1]).smooth(np.array([4.0])).tolist() == [4]


@given(
    st.lists(st.tuples(st.integers(-50, 50), st.integers(-1, 9)), max_size=12),
    st.sampled_from([0.25, 0.5]),
    st.integers(0, 3),
)
def test_smoothing_follows_its_sum(memories, share, radius):
    expected = []
    for score, floor in memories:
        lent = 0.0
        for distance in range(1, radius + 1):
            for neighbour in (floor - distance, floor + distance):
                there = [s for s, f in memories if f == neighbour >= 0]
                lent += share / distance * max(there) if there and floor >= 0 else 0.0
        expected.append(score + lent)

    smoothed = Timeline([m[1] for m in memories], radius).smooth(
        np.array([m[0] for m in memories], np.float64), share=share
    )

    assert smoothed == pytest.approx(np.array(expected))

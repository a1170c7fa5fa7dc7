"""Fusion does not care for scale, and keeps order."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from st_bme.scoring.fusion import logistic, z_scores

values = st.lists(st.integers(-100, 100), min_size=1, max_size=12)


@given(values, st.floats(0.1, 1000), st.floats(-1000, 1000))
def test_z_scores_do_not_change_with_scale_or_shift(signal, scale, shift):
    moved = np.array(signal) * scale + shift

    assert z_scores(moved) == pytest.approx(z_scores(signal), abs=1e-6)


@given(values)
def test_the_logistic_keeps_order_within_0_and_1(signal):
    scores = z_scores(signal)

    shares = logistic(scores)

    assert np.all((shares > 0) & (shares < 1))
    assert np.array_equal(np.argsort(shares, kind="stable"), np.argsort(scores, kind="stable"))


def test_z_scores_of_three_values():
    # Mean 2, population deviation √(2/3).
    assert z_scores([1, 2, 3]) == pytest.approx([-(1.5**0.5), 0, 1.5**0.5])


def test_equal_values_say_nothing():
    assert z_scores([0.3, 0.3, 0.3]).tolist() == [0, 0, 0]
    assert z_scores([0.3, 0.3, 0.30000001]).tolist() == [0, 0, 0]


def test_the_scale_may_be_tiny():
    assert z_scores([1e-200, 2e-200, 3e-200]) == pytest.approx([-(1.5**0.5), 0, 1.5**0.5])


def test_an_unknown_value_counts_as_the_mean_of_the_known():
    assert z_scores([1, np.nan, 3]).tolist() == pytest.approx([-1, 0, 1])
    assert z_scores([np.nan, np.nan]).tolist() == [0, 0]


def test_the_logistic_of_the_mean_is_one_half():
    assert logistic([0.0, 1000.0, -1000.0]).tolist() == pytest.approx([0.5, 1.0, 0.0])

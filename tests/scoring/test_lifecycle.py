"""The lifecycle of a memory: recency, frequency and worth, and the tiers that follow from them."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from st_bme.scoring.lifecycle import Lives, Tier, composite, frequency, lifecycle_weights, recency, tiers_of

_DAYS = st.floats(0, 5000)


def life(importance: float = 5.0, uses: int = 0, told: float = 0.0, used: float | None = None, changing: bool = False):
    return Lives(
        importances=np.array([importance]),
        uses=np.array([uses]),
        told=np.array([told]),
        used=np.array([told if used is None else used]),
        is_changing=np.array([changing]),
    )


def working(lives: Lives):
    return np.full(lives.uses.shape, Tier.WORKING)


def test_half_is_left_after_a_half_life_that_grows_with_importance():
    assert recency(life(0, told=30), working(life())) == pytest.approx(0.5)
    assert recency(life(10, told=30 * math.exp(1.5)), working(life())) == pytest.approx(0.5)


def test_time_counts_from_the_last_use():
    assert recency(life(told=100, used=0), working(life())) == pytest.approx(1)


def test_what_is_kept_up_to_date_is_old_in_a_third_of_the_time():
    assert recency(life(0, told=10, changing=True), working(life())) == pytest.approx(0.5)


def test_a_lower_tier_fades_faster_once_the_half_life_is_over():
    old = life(0, told=90)
    left = [recency(old, np.array([tier])).item() for tier in (Tier.CORE, Tier.WORKING, Tier.PERIPHERAL)]

    assert left == pytest.approx([0.5 ** (3**0.8), 0.5**3, 0.5 ** (3**1.3)])


def test_use_saturates_and_counts_half_where_its_gaps_are_long():
    assert frequency(life(uses=1, told=0)) == pytest.approx(1 - math.exp(-0.2))
    assert frequency(life(uses=50, told=1)) == pytest.approx(0.5 + 0.5 * math.exp(-1 / 49 / 30), abs=1e-4)
    assert frequency(life(uses=2, told=5000, used=0)) == pytest.approx((1 - math.exp(-0.4)) / 2)


def test_the_composite_is_two_fifths_recency_and_the_rest_use_and_importance():
    lives = life(8, uses=5, told=10, used=10)

    parts = 0.4 * recency(lives, working(lives)) + 0.3 * frequency(lives) + 0.3 * 0.8

    assert composite(lives, working(lives)) == pytest.approx(parts)


@pytest.mark.parametrize(
    ("lives", "tier"),
    [
        (life(), Tier.WORKING),
        (life(told=61), Tier.PERIPHERAL),
        (life(told=60), Tier.WORKING),
        (life(told=61, uses=3, used=0), Tier.WORKING),
        (life(1, told=400, uses=3), Tier.WORKING),  # its uses alone keep it above 0.15
        (life(0, told=5000, uses=4, used=1000), Tier.PERIPHERAL),
        (life(0, told=50, used=50, changing=True), Tier.PERIPHERAL),
        (life(8, uses=10, told=20, used=0), Tier.CORE),
        (life(8, uses=9, told=20, used=0), Tier.WORKING),
        (life(7.9, uses=10, told=20, used=0), Tier.WORKING),
    ],
)
def test_a_memory_rises_by_use_and_falls_with_time(lives, tier):
    assert tiers_of(lives).item() == tier


def test_a_core_memory_stays_one_however_long_it_rests():
    assert tiers_of(life(9, uses=12, told=3000, used=2900)).item() == Tier.CORE


def test_a_result_is_weighed_by_no_less_than_the_floor_of_its_tier():
    assert lifecycle_weights(life()) == pytest.approx(1)
    assert lifecycle_weights(life(told=5000)) == pytest.approx(0.3 + 0.7 * 0.5)
    assert lifecycle_weights(life(9, uses=12, told=5000, used=4900)) == pytest.approx(0.3 + 0.7 * 0.9)


@given(st.floats(0, 10), st.integers(0, 500), _DAYS, _DAYS, st.booleans())
def test_weights_stay_within_their_bounds(importance, uses, told, rest, changing):
    lives = life(importance, uses, told + rest, told, changing)

    assert 0.3 <= lifecycle_weights(lives).item() <= 1
    assert 0 <= composite(lives, tiers_of(lives)).item() <= 1

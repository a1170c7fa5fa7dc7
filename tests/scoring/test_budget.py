"""The room is never exceeded, and nothing that would fit is left."""

from hypothesis import given
from hypothesis import strategies as st

from st_bme.scoring.budget import take

prices_strategy = st.lists(st.integers(0, 50), max_size=12)


@given(prices_strategy, st.integers(-10, 200), st.integers(0, 10))
def test_the_room_is_never_exceeded(prices, room, opening):
    taken, spent = take(prices, room, opening=opening)

    assert spent == (sum(prices[place] for place in taken) + opening if taken else 0) <= max(room, 0)


@given(prices_strategy, st.integers(0, 200), st.integers(0, 10))
def test_nothing_that_would_fit_is_left(prices, room, opening):
    taken, spent = take(prices, room, opening=opening)

    assert taken == sorted(set(taken))
    left = set(range(len(prices))).difference(taken)
    assert all(prices[place] > room - (spent or opening) for place in left)


def test_the_first_come_first_and_a_shorter_one_takes_the_room_left():
    assert take([60, 60, 30], 100) == ([0, 2], 90)


def test_the_opening_is_paid_once_and_only_with_an_item():
    assert take([5, 5], 100, opening=3) == ([0, 1], 13)
    assert take([98], 100, opening=3) == ([], 0)

"""How much a memory is worth keeping in mind."""

import math

from hypothesis import given
from hypothesis import strategies as st

from st_bme.scoring.retention import retention

IMPORTANCES, COUNTS, HOURS = st.floats(0, 10), st.integers(0, 1_000), st.floats(0, 1e6)


@given(IMPORTANCES, COUNTS, HOURS)
def test_it_is_importance_times_recency_times_use(importance, accesses, hours):
    plain = importance / 10 / (1 + math.log10(1 + hours)) * (1 + accesses / max(1, hours / 24))

    assert math.isclose(retention(importance, accesses, hours), plain, rel_tol=1e-12)


@given(IMPORTANCES, COUNTS, HOURS, HOURS)
def test_it_never_rises_with_age(importance, accesses, hours, more):
    younger, older = retention([importance] * 2, [accesses] * 2, [hours, hours + more])

    assert older <= younger * (1 + 1e-12)


def test_an_age_below_nothing_counts_as_nothing():
    assert retention(5, 2, -3) == retention(5, 2, 0) == 1.5

"""The score of a memory from its signals."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from st_bme.scoring.hybrid import HybridWeights, Signals, hybrid_score

share = st.floats(-5, 15)


def test_the_weighted_sum_of_clamped_signals():
    scores = hybrid_score(
        Signals(graph=np.array([1.0, 9.0]), vector=np.array([0.5, -1.0]), lexical=0.0, importance=5.0), HybridWeights()
    )

    # (0.6·1/2 + 0.3·0.5 + 0.1·5/10) / 1.18 and (0.6·1 + 0.3·0 + 0.1·5/10) / 1.18
    assert scores == pytest.approx([0.5 / 1.18, 0.65 / 1.18])


def test_without_words_and_normalising_it_is_the_first_formula():
    weights = HybridWeights(lexical=0.0)

    score = hybrid_score(Signals(1.0, 0.5, 1.0, 5.0), weights, decay=0.9, is_normalized=False)

    assert score == pytest.approx(0.5 * 0.9)


def test_a_perfect_memory_of_today_scores_one():
    assert hybrid_score(Signals(2.0, 1.0, 1.0, 10.0), HybridWeights()) == pytest.approx(1)


def test_weights_of_zero_score_nothing():
    assert hybrid_score(Signals(2.0, 1.0, 1.0, 10.0), HybridWeights(0, 0, 0, 0)) == 0


@given(share, share, share, share, st.floats(0, 1))
def test_a_normalised_score_lies_within_0_and_1(graph, vector, lexical, importance, decay):
    score = hybrid_score(Signals(graph, vector, lexical, importance), HybridWeights(), decay=decay)

    assert 0 <= score <= 1 + 1e-12

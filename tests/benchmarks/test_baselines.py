"""The rankings that a memory must beat."""

import numpy as np
import pytest
from benchmarks.baselines import BASELINES, Bm25, Searched, lent

from st_bme.adapters.testing import HashEmbedder
from st_bme.model.message import Message
from st_bme.scoring.tokens import conservative_estimate


class _Counter:
    def count(self, text):
        return conservative_estimate(text)


def test_bm25_of_one_word():
    scores = Bm25(["mare mare", "vault", "vault door", "x"]).scores("Where is the mare?")

    # idf = ln(1 + 3.5/1.5); length 2 of a mean of 1.5; two times the word.
    norm = 1.2 * (0.25 + 0.75 * 2 / 1.5)
    assert scores == pytest.approx([np.log(1 + 3.5 / 1.5) * 2 * 2.2 / (2 + norm), 0, 0, 0])


def test_neighbours_lend_a_half_and_a_quarter():
    assert lent(np.array([0.0, 0, 0, 1, 0, 0])).tolist() == [0, 0.25, 0.5, 1, 0.5, 0.25]


def test_each_baseline_puts_its_own_first():
    words, meaning = np.array([3.0, 0, 2, 0, 0, 0]), np.array([0.0, 0, 0.95, 0, 1, 0.9])
    best = {name: int(np.argmax(score(words, meaning))) for name, score in BASELINES.items()}

    assert best["bm25"] == 0
    assert best["dense"] == 4
    assert best["rrf"] == 2  # second by both
    assert best["flat"] == 2


async def test_what_fits_is_counted_with_its_headings():
    messages = [Message(f"D1:{n}", "user", "Mira", f"The mare is number {n}.", n) for n in range(9)]
    texts = [message.text for message in messages]
    searched = Searched(messages, Bm25(texts), await HashEmbedder().embed(texts), "en")
    ranking = searched.ranking(np.arange(9.0))

    fitting = searched.fitting(ranking, 90, _Counter())

    assert [item.messages for item in fitting] == [(8,), (7,)]
    assert searched.fitting(ranking, 20, _Counter()) == []

"""Words that mean nearly the same."""

from __future__ import annotations

import numpy as np
import pytest

from st_bme.ports import VectorSpace
from st_bme.read.kindred import Kindred
from st_bme.read.vectors import PlacedTexts, VectorTable
from st_bme.scoring.similarity import unit_rows

SPACE = VectorSpace("model", 4)
# The last number is what all words have in common.
VECTORS = {
    "violin": [1, 0, 0, 2],
    "guitar": [0.9, 0.3, 0, 2],
    "instruments": [0.9, 0.2, 0.2, 2],
    "river": [0, 1, -0.5, 2],
    "winter": [-1, 0, 0.4, 2],
    "bread": [-0.8, -1, 0, 2],
}


def _table(*words):
    table = VectorTable(SPACE)
    table.put(words, unit_rows(np.array([VECTORS[word] for word in words], np.float32)))
    return table


def _kindred(*texts):
    kindred = Kindred()
    for text in texts:
        kindred.add(text)
    return kindred


def test_kin_are_near_once_what_all_words_share_is_taken_out():
    kindred = _kindred("The violin and the guitar.", "Instruments by the river, in winter, with bread.")

    [kin] = kindred.of(["instrument"], _table(*VECTORS))

    assert [term for term, _ in kin] == ["guitar", "violin"]
    assert [likeness for _, likeness in kin] == sorted((likeness for _, likeness in kin), reverse=True)
    assert all(0.35 < likeness < 1 for _, likeness in kin)


def test_likeness_is_the_cosine_without_the_mean():
    words = list(VECTORS)
    table = _table(*words)
    centred = unit_rows(np.array([table.vector(word) for word in words]) - table.mean(PlacedTexts(words)))

    [kin] = _kindred(" ".join(words)).of(["violin"], table)

    assert dict(kin)["guitar"] == pytest.approx(float(centred[0] @ centred[1]), abs=1e-5)


def test_a_word_without_a_vector_or_that_the_chat_does_not_have_has_no_kin():
    kindred = _kindred("violin guitar river winter bread")

    assert [list(kin) for kin in kindred.of(["piano", "bread"], _table("violin", "guitar", "river"))] == [[], []]


def test_without_any_vector_nothing_has_kin():
    assert list(_kindred("violin guitar").of(["violin"], VectorTable(SPACE))) == [()]


def test_words_have_kin_as_soon_as_both_have_their_vectors():
    kindred, table = _kindred("violin guitar river winter bread"), VectorTable(SPACE)
    table.put(["a message"], np.array([[0, 0, 0, 1]], np.float32))
    assert list(kindred.of(["violin"], table)[0]) == []

    for word in ("violin", "guitar", "river", "winter", "bread"):
        table.put([word], unit_rows(np.array([VECTORS[word]], np.float32)))

    assert [term for term, _ in kindred.of(["violin"], table)[0]] == ["guitar"]


def test_words_come_and_go_with_their_texts():
    kindred, table = _kindred("violin river winter bread"), _table(*VECTORS)
    assert list(kindred.of(["violin"], table)[0]) == []

    kindred.add("A guitar, one guitar.")
    assert [term for term, _ in kindred.of(["violin"], table)[0]] == ["guitar"]
    kindred.remove("A guitar, one guitar.")

    assert list(kindred.of(["violin"], table)[0]) == []


def test_kin_do_not_depend_on_the_order_in_which_words_came():
    forward, backward = list(VECTORS), list(VECTORS)[::-1]

    [one] = _kindred(*forward).of(["violin"], _table(*forward))
    [other] = _kindred(*backward).of(["violin"], _table(*backward))
    assert len(one) > 1
    assert dict(one) == pytest.approx(dict(other))
    assert [term for term, _ in one] == [term for term, _ in other]


def test_words_should_have_vectors_that_tell_something():
    kindred = _kindred("The 3 guitars, an x1, and 小提琴 with Mira's violins; a guitar.")
    assert kindred.words() == ["guitar", "mira", "violins"]

    kindred.remove("a guitar")

    assert kindred.words() == ["guitars", "mira", "violins"]

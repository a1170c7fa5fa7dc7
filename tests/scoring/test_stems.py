"""Forms of one word share a stem, and different words keep theirs."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from st_bme.scoring.stems import stem


@pytest.mark.parametrize(
    "forms",
    [
        ("door", "doors"),
        ("run", "running", "runs"),
        ("make", "making", "makes"),
        ("story", "stories"),
        ("try", "tried", "tries"),
        ("pass", "passes", "passed", "passing"),
        ("watch", "watched", "watching"),
        ("quick", "quickly"),
        ("башня", "башню", "башни", "башней", "башнями"),
        ("дверь", "двери", "дверью", "дверей"),
        ("старый", "старую", "старого", "старых"),
        ("история", "историю", "истории"),
        ("увидел", "увидела", "увидеть"),
        ("боялась", "боялся", "бояться"),
        ("иван", "ивана", "ивану", "иваном"),
    ],
    ids=lambda forms: forms[0],
)
def test_forms_of_one_word_share_a_stem(forms):
    assert len({stem(form) for form in forms}) == 1


@pytest.mark.parametrize(
    ("one", "other"), [("king", "kin"), ("red", "reed"), ("boss", "bos"), ("need", "nee"), ("дом", "дым")]
)
def test_different_words_stay_apart(one, other):
    assert stem(one) != stem(other)


@pytest.mark.parametrize("word", ["", "s", "bus", "yes", "42", "été", "钟楼", "민수"])
def test_short_words_and_other_alphabets_stay_as_they_are(word):
    assert stem(word) == word


@given(st.text("abcdegilnrsy", max_size=10) | st.text("аеиоулнстья", max_size=10))
def test_a_stem_keeps_three_letters(word):
    assert len(stem(word)) >= min(3, len(word))

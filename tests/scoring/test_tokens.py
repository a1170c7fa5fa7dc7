"""Estimates of tokens: the seed's figure, and one that errs upwards."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from st_bme.scoring.tokens import conservative_estimate, seed_estimate


def test_the_seed_counts_two_han_or_four_other_units_a_token():
    assert seed_estimate("Hello 世界") == 3  # 6/4 + 2/2 = 2.5


def test_an_emoji_is_two_units_for_the_seed():
    assert seed_estimate("🎉🎉") == 1


@pytest.mark.parametrize(
    ("text", "cl100k_tokens"),
    [
        # Counted with cl100k_base; the texts are ours.
        pytest.param("She enters the old tower and sees a hidden door behind the bookcase.", 14, id="english"),
        pytest.param("她走进旧塔楼，看见书柜后面有一扇暗门。", 27, id="chinese"),
        pytest.param("Анна вошла в старую башню и увидела потайную дверь за книжным шкафом.", 38, id="russian"),
        pytest.param("カタカナとひらがなを混ぜた日本語の文章で、彼女は塔の中に入った。", 37, id="japanese"),
        pytest.param("Η Άννα μπήκε στον παλιό πύργο", 27, id="greek"),
        pytest.param("🎉🎉😀❤️", 11, id="emoji"),
        pytest.param("| name | state |\n| --- | --- |\n| Ada | alert |\n", 15, id="table"),
        pytest.param("a8f3c0d9e7b2", 12, id="hexadecimal"),
    ],
)
def test_the_estimate_errs_upwards_but_not_wildly(text, cl100k_tokens):
    assert cl100k_tokens <= conservative_estimate(text) <= 2.5 * cl100k_tokens


@given(st.text(), st.text())
def test_a_longer_text_never_takes_less(text, more):
    assert conservative_estimate(text + more) >= conservative_estimate(text)


def test_half_an_emoji_is_counted_too():
    assert conservative_estimate("\ud83d") == 2

"""What a query asks for."""

from __future__ import annotations

import pytest

from st_bme.read.query import BlendWeights, QueryPart, blend, intent_segments, triviality


def test_the_users_text_weighs_most():
    assert blend("now", "reply", "before") == (
        QueryPart("user", "now", 0.7),
        QueryPart("assistant", "reply", 0.2),
        QueryPart("previous_user", "before", 0.1),
    )


def test_what_is_missing_leaves_its_share_to_the_others():
    assert blend("now", "", "before") == (QueryPart("user", "now", 0.875), QueryPart("previous_user", "before", 0.125))


def test_a_text_that_repeats_another_counts_once():
    assert blend("Go  on", "reply", "go on") == (
        QueryPart("user", "Go on", 0.778),
        QueryPart("assistant", "reply", 0.222),
    )


def test_shares_of_zero_count_alike():
    parts = blend("", "reply", "before", weights=BlendWeights(assistant=0, previous_user=0))

    assert [part.weight for part in parts] == [0.5, 0.5]


def test_nothing_said_is_no_query():
    assert blend(" \n", "", "") == ()


def test_clauses_are_segments_in_order_up_to_the_limit():
    assert intent_segments("Where is he? And the key, by the way; ok. Third thing! Fourth? Fifth") == (
        "Where is he",
        "And the key",
        "by the way",
        "Third thing",
    )


def test_chinese_connectives_part_segments():
    assert intent_segments("他在哪顺便问一下钥匙呢") == ("他在哪", "问一下钥匙呢")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "empty"),
        (" \n", "empty"),
        ("/help", "slash-command"),
        ("Good morning!", "greeting"),
        ("你好啊", ""),
        ("你好！", "greeting"),
        ("*Okay.*", "acknowledgement"),
        ("好的～", "acknowledgement"),
        ("go on, Gareth", ""),
        (".", ""),
        ("a/b", ""),
    ],
)
def test_trivial_texts_are_told_with_their_reason(text, reason):
    assert triviality(text) == reason

"""Who is meant by a name in a query."""

from __future__ import annotations

import pytest

from st_bme.read.speakers import Speakers

SPEAKERS = Speakers(["Isolde Marrow", "Tobias Wren", "Isolde Marrow", "苏晚棠"])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("What did Isolde hide?", [0, 2]),
        ("What did isolde marrow hide?", [0, 2]),
        ("Wren, are you there?", [1]),
        ("晚棠去哪了", [3]),
        ("苏晚棠去哪了", [3]),
        ("Isolde and Wren", [0, 1, 2]),
        ("Who hid it?", []),
        ("Isolde, Wren, 晚棠", []),
    ],
    ids=["part", "whole", "family", "given", "chinese", "two", "nobody", "everybody"],
)
def test_a_text_names_some_of_those_who_speak(text, expected):
    assert SPEAKERS.named_in(text).nonzero()[0].tolist() == expected


def test_of_a_name_words_that_say_nothing_are_no_part():
    assert not Speakers(["The Old Man", "Mira"]).named_in("the bell").any()


def test_without_speakers_nothing_is_named():
    assert Speakers([]).named_in("Mira").tolist() == []

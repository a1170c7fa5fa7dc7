"""What can answer something, and what cannot."""

from __future__ import annotations

import math

import pytest

from st_bme.read.substance import substance


def test_who_tells_much_loses_nothing():
    assert substance(" ".join(f"x{i}" for i in range(60)) + ".") == 0


def test_who_tells_little_loses_by_the_logarithm():
    assert substance("Mare, vault.") == pytest.approx(-2 * math.log(61 / 3))


@pytest.mark.parametrize(
    "text",
    [
        "Where is the mare?",
        '"Where is the mare?"',
        "*Where is the mare?*",
        "Where is the mare?!",
        "马在哪里？",
        "马在哪里？！",
        "“马在哪里呢。”",
    ],
)
def test_who_only_asks_tells_nothing(text):
    assert substance(text) == pytest.approx(-2 * math.log(61) - 2.5)


def test_what_is_told_before_a_question_counts():
    assert substance("The mare ran off. Did you see?") > substance("Did you see the mare that ran off?")

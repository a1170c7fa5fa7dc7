"""What makes messages worth reading at once."""

from __future__ import annotations

import pytest

from st_bme.model.message import Message, Role
from st_bme.write.patterns import NO_PATTERNS, compile_patterns
from st_bme.write.trigger import score_trigger


def messages(*texts: str, first: Role = "user") -> list[Message]:
    roles: tuple[Role, Role] = ("user", "assistant") if first == "user" else ("assistant", "user")
    return [Message(f"k{floor}", roles[floor % 2], "", text, floor) for floor, text in enumerate(texts)]


def points(*texts: str, patterns: str = "") -> dict[str, int]:
    compiled = compile_patterns(patterns) if patterns else NO_PATTERNS
    return {reason.kind: reason.points for reason in score_trigger(messages(*texts), compiled).reasons}


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        pytest.param(["we walk on", "yes, on"], {}, id="nothing happens"),
        pytest.param(["他突然停下"], {"keywords": 1}, id="one Chinese keyword"),
        pytest.param(["突然发现一个秘密"], {"keywords": 2}, id="more give no more than two points"),
        pytest.param(["he was betrayed and she betrays him"], {"keywords": 1}, id="forms of one word count once"),
        pytest.param(["the planet is a ruler's"], {}, id="no word inside another"),
        pytest.param(["a", "b", "c"], {"alternation": 1}, id="two changes of speaker"),
        pytest.param(["what?!"], {"emphasis": 1}, id="two marks"),
        pytest.param(["we met Iris here"], {"entity": 1}, id="a name"),
        pytest.param(["She walks. They stay."], {}, id="sentences begin with a capital"),
        pytest.param(["前往皇家学院"], {"entity": 1}, id="a Chinese place"),
        pytest.param(["", "  ", "\n"], {}, id="blank messages change no speaker"),
    ],
)
def test_points(texts, expected):
    assert points(*texts) == expected


def test_it_fires_at_two_points_by_default():
    assert not score_trigger(messages("they leave")).fires()
    assert score_trigger(messages("they leave suddenly")).fires()


def test_an_own_pattern_gives_two_points_once():
    assert points("the ring glows", patterns="ring\nglow") == {"pattern": 2}


def test_of_a_long_text_the_end_decides():
    assert points("secret " + "x" * 60_000) == {}

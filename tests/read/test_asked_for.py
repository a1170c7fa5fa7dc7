"""What a question wants to know, and who gives it."""

from __future__ import annotations

import pytest

from st_bme.read.asked_for import Wanted, asked_for, given


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("When did they meet?", Wanted(time=True)),
        ("How long was she away?", Wanted(time=True)),
        ("I remember. How many eggs are left?", Wanted(number=True)),
        ("他们什么时候见面的？", Wanted(time=True)),
        ("WHEN did they meet?!", Wanted(time=True)),
        ("In which year was he born?", Wanted(time=True)),
        ("你到底什么时候来？！", Wanted(time=True)),
        ("几点见面？", Wanted(time=True)),
        ("还剩多少鸡蛋？", Wanted()),
        ("When I came home, it rained.", Wanted()),
        ("Whenever?", Wanted()),
        ("Where is the mare?", Wanted()),
        ("", Wanted()),
    ],
)
def test_only_what_is_asked_is_wanted(text, expected):
    assert asked_for(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("We met on Tuesday.", Wanted(time=True)),
        ("Two eggs.", Wanted(number=True)),
        ("It was 1812.", Wanted(time=True, number=True)),
        ("昨天晚上下雨了。", Wanted(time=True)),
        ("他星期五走了。", Wanted(time=True)),
        ("周三凌晨，门开了。", Wanted(time=True)),
        ("周围很静。", Wanted()),
        ("The mare sleeps.", Wanted()),
        ("The Monday-ish lasts?", Wanted(time=True)),
        ("A twosome of onerous people.", Wanted()),
    ],
)
def test_what_a_text_gives(text, expected):
    assert given(text) == expected

"""A user's own patterns: how a setting is split, and that none can keep the server busy."""

from __future__ import annotations

import time

import pytest

from st_bme.write import patterns
from st_bme.write.patterns import compile_patterns, split_at_commas


@pytest.mark.parametrize(
    ("line", "parts"),
    [
        ("a,b", ["a", "b"]),
        ("a{1,3},b", ["a{1,3}", "b"]),
        ("[a,b],(c,d)", ["[a,b]", "(c,d)"]),
        (r"a\,b,c", [r"a\,b", "c"]),
        ("[a,b", ["[a", "b"]),
        ("a),b", ["a)", "b"]),
        (r"\(a,b", [r"\(a", "b"]),
        ("([a,b),c", ["([a,b)", "c"]),
    ],
)
def test_commas_split_but_for_those_inside_a_pair_of_brackets(line, parts):
    assert list(split_at_commas(line)) == parts


def test_case_does_not_matter_and_the_first_pattern_counts():
    compiled = compile_patterns("zebra, FOO\nbar")

    assert compiled.first_in("bar and foo") == "FOO"
    assert compiled.first_in("nothing") == ""
    assert compiled.refused == ()


@pytest.mark.parametrize("pattern", ["(?=x)", r"(a)\1", "(", "((a{100}){100}){100}", "x" * 501])
def test_what_cannot_be_run_in_linear_time_or_is_no_pattern_is_refused(pattern):
    compiled = compile_patterns(f"{pattern}\ngood")

    assert compiled.refused == (pattern,)
    assert compiled.first_in("good") == "good"


def test_more_than_a_hundred_are_too_many():
    assert len(compile_patterns("\n".join(f"p{i}" for i in range(150))).refused) == 50


def test_a_pattern_that_would_hang_another_engine_ends_at_once():
    compiled = compile_patterns("(a+)+$,(a|aa)+b")

    started = time.perf_counter()
    found = compiled.first_in("a" * 50_000 + "!")

    assert found == ""
    assert time.perf_counter() - started < 2


def test_without_the_engine_every_pattern_is_refused(monkeypatch):
    monkeypatch.setattr(patterns, "re2", None)

    assert compile_patterns("a,b").refused == ("a", "b")
    assert not patterns.is_available()

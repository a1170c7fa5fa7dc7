"""What the story's own time does to a score."""

from __future__ import annotations

import numpy as np
import pytest

from st_bme.scoring.story_gate import UNPLACED, StoryPlaces, story_cue, story_weights

NOW = 5


def _weighed(start, end=None, *, cue="", now=NOW, told=""):
    places = StoryPlaces(
        is_dated=np.array([True]),
        starts=np.array([start]),
        ends=np.array([start if end is None else end]),
        is_ahead=np.array([told == "ahead"]),
        is_flashback=np.array([told == "flashback"]),
    )
    weights, waits = story_weights(places, now, cue)
    return float(weights[0]), bool(waits[0])


@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [(5, 5, 1.15), (2, 8, 1.15), (4, 4, 1.0), (3, 3, 1.0), (2, 2, 0.64), (UNPLACED, UNPLACED, 0.9)],
)
def test_what_is_nearer_in_the_story_counts_more(start, end, expected):
    assert _weighed(start, end) == (pytest.approx(expected), False)


def test_what_is_still_to_come_waits_until_it_is_asked_for():
    assert _weighed(6) == (pytest.approx(0.22), True)
    assert _weighed(6, cue="future") == (pytest.approx(0.74), False)
    assert _weighed(UNPLACED, told="ahead") == (pytest.approx(0.2), True)
    assert _weighed(UNPLACED, told="ahead", cue="future") == (pytest.approx(0.72), False)


def test_what_was_told_ahead_waits_no_longer_once_the_story_is_there():
    """A plan for tomorrow is a fact of today once tomorrow has come."""
    assert _weighed(6, told="ahead") == (pytest.approx(0.2), True)
    assert _weighed(6, told="ahead", now=6) == (pytest.approx(1.15), False)
    assert _weighed(6, told="ahead", now=7) == (pytest.approx(1.0), False)


def test_who_looks_back_finds_the_far_past():
    assert _weighed(1) == (pytest.approx(0.64), False)
    assert _weighed(1, cue="flashback") == (pytest.approx(1.02), False)
    assert _weighed(4, told="flashback") == (pytest.approx(0.72), False)


def test_nothing_waits_where_the_story_stands_nowhere():
    assert _weighed(6, now=None) == (pytest.approx(0.92), False)


@pytest.mark.parametrize(
    ("text", "cue"),
    [
        ("Remember when we first met?", "flashback"),
        ("What is the plan for the raid?", "future"),
        ("We leave TOMORROW.", "future"),
        ("Back then he said: tomorrow.", "flashback"),
        ("还记得那天吗", "flashback"),
        ("明天出发", "future"),
        ("Pass the salt.", ""),
    ],
)
def test_a_text_looks_back_or_ahead(text, cue):
    assert story_cue([text]) == cue

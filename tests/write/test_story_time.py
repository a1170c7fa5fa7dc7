from __future__ import annotations

import pytest

from st_bme.model.story_time import StoryTime
from st_bme.write.story_time import parse_story_time


@pytest.mark.parametrize(
    ("value", "time"),
    [
        (
            {"label": " the next  morning ", "tense": "Ongoing", "relation": "after", "anchorLabel": "the feast"},
            StoryTime("the next morning", "ongoing", "after", "the feast"),
        ),
        ({"label": "dusk", "tense": "soon", "confidence": "high"}, StoryTime("dusk", confidence="high")),
        ("第二天", StoryTime("第二天")),
        ({"tense": "past"}, None),
        (7, None),
    ],
)
def test_story_time_of_an_answer(value, time):
    assert parse_story_time(value) == time

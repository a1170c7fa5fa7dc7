"""What the settings ask for."""

from __future__ import annotations

import pytest

from st_bme.model.message import Message
from st_bme.ports import Asking, TrackedVariable
from st_bme.settings import DEFAULTS, validate
from st_bme.write.asking import MOST_VARIABLES, asking_of, forbidden_names, tracked_variables
from st_bme.write.transcript import written

SAID = [Message("k1", "user", "Sam", "Hi.", 3), Message("k2", "assistant", "", "", 4)]


def test_everything_is_asked_for_in_one_call_by_default():
    assert asking_of(DEFAULTS) == Asking()


@pytest.mark.parametrize(
    ("key", "part"),
    [
        ("enableScopedMemory", "has_scopes"),
        ("enablePovMemory", "has_pov"),
        ("enableCognitiveMemory", "has_cognition"),
        ("enableStoryTimeline", "has_story_time"),
        ("enableSpatialAdjacency", "has_adjacency"),
    ],
)
def test_each_switch_has_its_part(key, part):
    assert asking_of(validate({key: False})) == Asking(**{part: False})


def test_what_is_missing_is_asked_for_only_where_it_is_wanted():
    assert asking_of(validate({"enableForceUpdate": True})) == Asking(asks_for_missing=True)


def test_variables_are_lines_of_a_name_and_what_it_means():
    text = "mood: how she feels: now\n心情：艾琳的心情\n\n: nameless\nMood: again\ngold"

    assert tracked_variables(text) == (
        TrackedVariable("mood", "how she feels: now"),
        TrackedVariable("心情", "艾琳的心情"),
        TrackedVariable("gold"),
    )
    assert len(tracked_variables("\n".join(map(str, range(100))))) == MOST_VARIABLES


def test_forbidden_names_are_lines():
    assert forbidden_names("password\n\n pin \npassword") == ("password", "pin")


def test_messages_are_written_in_the_form_that_was_chosen():
    transcript, row = "#3 [user|Sam]: Hi.", '{"floor": 3, "role": "user", "name": "Sam"'

    assert written(SAID, "transcript") == transcript
    assert written(SAID, "structured") == row + ', "text": "Hi."}'
    assert written(SAID, "both") == row + "}\n\n" + transcript
    assert written([], "both") == ""

from __future__ import annotations

import pytest

from st_bme.write.heuristics.english import find_mentions


@pytest.mark.parametrize(
    ("text", "people"),
    [
        ("I told Marcus about it.", ["Marcus"]),
        ("When Odalys arrived, nobody spoke.", ["Odalys"]),
        ("Bram nods and turns away.", ["Bram"]),
        ("Stick close, Petra.", ["Petra"]),
        ("My name is Ansel, by the way.", ["Ansel"]),
        ("We saw Captain Orsini on deck.", ["Captain Orsini"]),
        ("Mrs. Hale was there.", ["Mrs. Hale"]),
        ("It was Tilda's idea.", ["Tilda"]),
        ("My sister Ines and our dog Biscuit came along.", ["Ines", "Biscuit"]),
    ],
)
def test_people_by_what_stands_around_them(text, people):
    mentions = find_mentions(text, ())

    assert mentions.people == people
    assert mentions.places == []


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("She was born in Lisbon.", ["Lisbon"]),
        ("We moved to New Haven last spring.", ["New Haven"]),
        ("I'm from Bergen.", ["Bergen"]),
        ("They met at the Rusty Anchor.", ["Rusty Anchor"]),
        ("Beyond lies Hollow Forest, dark and old.", ["Hollow Forest"]),
        ("He waits at the tavern.", ["tavern"]),
    ],
)
def test_places_by_what_stands_around_them(text, places):
    mentions = find_mentions(text, ())

    assert mentions.places == places
    assert mentions.people == []


@pytest.mark.parametrize(
    "text",
    [
        "Rain is falling. Nothing moves. However, Monday comes.",
        "Oh, I speak English, and in January I watch Netflix.",
        "Thank God! On Christmas Eve, Everyone sings.",
        "Honestly, Maybe Yes. WOW! OK.",
        "She turns to face him, then looks back to the door.",
    ],
)
def test_what_only_opens_a_sentence_or_names_no_one_is_left_out(text):
    mentions = find_mentions(text, ())

    assert (mentions.people, mentions.places) == ([], [])


def test_a_gaze_goes_to_a_person_not_a_place():
    assert find_mentions("He goes quiet, then turns to Wren.", ()).places == []


def test_part_of_a_known_name_stands_for_the_whole():
    assert find_mentions("Elowen was here.", ["Elowen Thorne"]).people == ["Elowen Thorne"]
    assert find_mentions("In Silverbrook it rains.", ["Silverbrook party"]).people == []

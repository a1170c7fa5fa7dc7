"""What was stored is read strictly: a wrong form is named, never guessed."""

import pytest

from st_bme.errors import CorruptState
from st_bme.graph.json_reader import JsonReader, json_bytes, parse_json


@pytest.mark.parametrize("value", [None, [], "x", 1, True])
def test_what_is_no_object_is_refused(value):
    with pytest.raises(CorruptState, match="here is no JSON object"):
        JsonReader(value, "here")


@pytest.mark.parametrize(
    ("method", "value"),
    [
        ("text", "x"),
        ("integer", 3),
        ("number", 2.5),
        ("flag", True),
        ("texts", ["x"]),
        ("integers", [1]),
        ("text_map", {"x": "y"}),
        ("items", [1, "x"]),
    ],
)
def test_the_promised_form_is_read(method, value):
    read = getattr(JsonReader({"key": value}, "here"), method)("key")

    assert (list(read) if isinstance(value, list) else read) == value


@pytest.mark.parametrize(
    ("method", "value"),
    [
        ("text", 1),
        ("text", None),
        ("integer", "1"),
        ("integer", 1.0),
        ("integer", True),
        ("integer", None),
        ("number", "1"),
        ("number", 1e300),
        ("number", -(2**63)),
        ("number", True),
        ("flag", 1),
        ("flag", None),
        ("texts", "x"),
        ("texts", [1]),
        ("integers", ["1"]),
        ("integers", [True]),
        ("text_map", []),
        ("text_map", {"x": 1}),
        ("items", {}),
        ("objects", {}),
        ("objects", [1]),
        ("object", []),
    ],
)
def test_another_form_is_named_with_place_and_key(method, value):
    with pytest.raises(CorruptState, match=r"here.*key"):
        getattr(JsonReader({"key": value}, "here"), method)("key")


@pytest.mark.parametrize("method", ["text", "integer", "choice"])
def test_what_must_be_there_and_is_not_is_named(method):
    allowed = (["a"],) if method == "choice" else ()

    with pytest.raises(CorruptState, match="here: 'key'"):
        getattr(JsonReader({}, "here"), method)("key", *allowed, None)


def test_what_may_be_missing_has_its_default():
    reader = JsonReader({}, "here")

    assert (reader.text("key"), reader.integer("key"), reader.number("key"), reader.flag("key")) == ("", 0, None, False)
    assert (reader.texts("key"), reader.integers("key"), reader.text_map("key")) == ((), (), {})
    assert (reader.items("key"), reader.objects("key"), reader.object("key")) == ([], [], None)


def test_a_word_outside_the_closed_set_is_refused_with_the_set():
    with pytest.raises(CorruptState, match="one of a, b"):
        JsonReader({"key": "c"}, "here").choice("key", ("b", "a"))


@pytest.mark.parametrize(
    "text", ["", "{", '{"a": NaN}', r'"half \ud83d"', "[" * 300 + "]" * 300, "[" * 5_000 + "]" * 5_000]
)
def test_a_text_that_is_no_json_or_too_deep_is_refused_without_what_stands_in_it(text):
    with pytest.raises(CorruptState, match="here cannot be") as raised:
        parse_json(text, "here")

    assert "half" not in str(raised.value)


def test_json_of_any_usual_depth_is_read_and_written_again():
    text = '{"deep":' + "[" * 200 + "1" + "]" * 200 + "}"

    assert json_bytes(parse_json(text, "here"), "here") == text.encode()


def test_a_value_with_half_a_character_is_not_written():
    with pytest.raises(CorruptState, match="here cannot be written"):
        json_bytes({"name": "half \ud83d"}, "here")

"""Values are checked once, and a refusal says what is allowed."""

import math

import pytest

from st_bme.errors import BadRequest
from st_bme.session.settings_wire import settings_result
from st_bme.settings import DEFAULTS, GROUPS, SETTINGS, accept, validate


def test_defaults_hold_without_a_word():
    values = validate({})

    assert values.bool("enabled") is False
    assert values.int("recallTopK") == 15
    assert values.float("graphWeight") == 0.6
    assert values.text("injectPosition") == "atDepth"


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.key)
def test_every_default_is_allowed(setting):
    assert accept({setting.key: setting.default}).refused == ()


@pytest.mark.parametrize(
    ("key", "value", "allowed"),
    [
        ("enabled", 1, "true or false"),
        ("enabled", "true", "true or false"),
        ("extractEvery", 0, "a whole number from 1 to 50"),
        ("extractEvery", 51, "a whole number from 1 to 50"),
        ("extractEvery", 1.5, "a whole number from 1 to 50"),
        ("extractEvery", True, "a whole number from 1 to 50"),
        ("extractEvery", "3", "a whole number from 1 to 50"),
        ("extractEvery", math.nan, "a whole number from 1 to 50"),
        ("graphWeight", 1.01, "a number from 0 to 1"),
        ("graphWeight", math.inf, "a number from 0 to 1"),
        ("graphWeight", False, "a number from 0 to 1"),
        ("injectPosition", "inChat", "one of atDepth, afterPrompt, beforePrompt, macro"),
        ("injectPosition", 1, "one of atDepth, afterPrompt, beforePrompt, macro"),
        ("enabled", [], "true or false"),
        ("injectDepth", {}, "a whole number from 0 to 9999"),
    ],
)
def test_a_value_that_is_not_allowed_is_refused_with_what_is(key, value, allowed):
    with pytest.raises(BadRequest) as refusal:
        validate({key: value})

    assert str(refusal.value) == f"setting {key} must be {allowed}"


def test_an_unknown_key_is_refused():
    with pytest.raises(BadRequest, match="unknown setting 'recalTopK'"):
        validate({"recalTopK": 3})


def test_what_another_version_has_stored_keeps_what_can_be_kept():
    accepted = accept({"recallTopK": 20, "ofANewerVersion": 1, "graphWeight": 7})

    assert accepted.values.changed == {"recallTopK": 20}
    assert len(accepted.refused) == 2


def test_none_and_the_default_itself_are_no_change():
    values = validate({"recallTopK": 20, "extractEvery": 3})

    changed = values.with_changes({"recallTopK": None, "extractEvery": 1, "enabled": True})

    assert changed.changed == {"enabled": True}
    assert DEFAULTS.changed == {}


def test_a_whole_float_is_a_whole_number_and_a_whole_number_a_float():
    values = validate({"extractEvery": 3.0, "graphWeight": 1})

    assert values.int("extractEvery") == 3
    assert isinstance(values.int("extractEvery"), int)
    assert values.float("graphWeight") == 1.0


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.key)
def test_every_setting_is_whole(setting):
    texts = [setting.label, setting.help, *(choice.label for choice in setting.choices)]

    assert setting.group in {group.id for group in GROUPS}
    assert all(words.en and words.zh for words in texts)
    assert (setting.kind in ("int", "float")) == (setting.minimum is not None and setting.maximum is not None)
    assert (setting.kind == "choice") == bool(setting.choices)


def test_keys_are_unique_and_the_panel_gets_them_all():
    keys = [setting.key for setting in SETTINGS]

    sent = settings_result(DEFAULTS, {})

    assert len(keys) == len(set(keys))
    assert [setting.key for setting in sent.settings] == keys
    assert sent.values == {}

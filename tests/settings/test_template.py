"""Which prompts of the user's own are accepted."""

from __future__ import annotations

import pytest

from st_bme.errors import BadRequest
from st_bme.settings import validate
from st_bme.settings.template import template_fault

NAMES = ("run", "known", "pov")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Plain words.",
        "$known and ${run}, 5 $$ each",
        "?? pov\nviews\n??",
        "Read.\n=== user ===\n$run",
        "?? pov\na\n??\n?? known\nb\n??",
    ],
)
def test_what_can_be_filled_in_is_accepted(text):
    assert template_fault(text, NAMES) == ""


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("$unknown", "'$unknown' is no placeholder"),
        ("${known", "is no placeholder"),
        ("it costs 5$", "'$' is no placeholder"),
        ("?? views\na\n??", "'?? views'"),
        ("?? pov\na", "not closed"),
        ("a\n??\n", "'??'"),
        ("?? pov\n?? known\na\n??\n??", "'?? known'"),
        ("Read.\n=== user ===\n$known", "put $run"),
    ],
)
def test_a_fault_says_what_it_is(text, told):
    assert told in template_fault(text.replace("${known", "${knwn}"), NAMES)


def test_a_setting_refuses_a_faulty_template_and_says_why():
    with pytest.raises(BadRequest, match="nobody"):
        validate({"extractPrompt": "Ask $nobody."})

    assert validate({"extractPrompt": "Ask $character."}).text("extractPrompt") == "Ask $character."

"""What settings leave out of replies."""

from __future__ import annotations

from st_bme.model.message import Message, Role
from st_bme.settings import DEFAULTS, validate
from st_bme.write.cleaning import clean_message
from st_bme.write.filters import filter_rules


def read(text: str, *, role: Role = "assistant", **settings: str) -> str:
    rules = filter_rules(validate({f"extractAssistant{key}": value for key, value in settings.items()}))
    return clean_message(Message("k", role, "", text, 0), rules).text


def test_reasoning_is_left_out_by_default_in_every_spelling():
    told = read("<think>a</think>one<THINKING>b</THINKING>two<analysis>c</analysis>three<reasoning>d")

    assert told == "onetwothree"
    assert len(filter_rules(DEFAULTS).exclude) == 4


def test_own_tags_take_the_place_of_the_default_ones():
    assert read("<ooc>x</ooc>a<think>b</think>", ExcludeTags="ooc, <plan>") == "a<think>b</think>"


def test_extract_rules_come_before_exclude_rules():
    text = "before<content>a<ooc>x</ooc>b</content>after"

    assert read(text, ExtractTags="content", ExcludeTags="ooc") == "ab"


def test_the_first_extract_rule_that_finds_something_counts():
    assert read("<b>two</b><a>one</a>", ExtractTags="missing,a,b") == "one"
    assert read("no tags", ExtractTags="missing") == "no tags"


def test_rules_between_marks_are_one_a_line():
    rules = "[[ ... ]]\n{{…}}\nno end\n... nothing"

    assert read("a [[x]] b {{y}} c no end", ExcludeRules=rules) == "a  b  c no end"
    assert read("a <<b>> c", ExtractRules="<< ... >>") == "b"


def test_what_the_user_wrote_is_not_filtered():
    assert read("I <think>so</think>", role="user") == "I <think>so</think>"

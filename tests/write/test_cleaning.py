from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from st_bme.model.message import Message
from st_bme.read.inject import CLOSING, OPENING
from st_bme.write.cleaning import INJECTION_TAG, CleaningRules, TextRule, clean_message, strip_state


def reply(text: str) -> Message:
    return Message(key="k", role="assistant", name="Iris", text=text, floor=3)


def cleaned(text: str, rules: CleaningRules | None = None) -> str:
    return clean_message(reply(text), rules or CleaningRules()).text


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        pytest.param("<think>a plan</think>She smiled", "She smiled", id="one"),
        pytest.param("<think>1</think>mid<think>2</think>end", "midend", id="every occurrence"),
        pytest.param("<think>a<think>b</think>c</think>d", "d", id="nested"),
        pytest.param("Yes.<thinking>never closed", "Yes.", id="unclosed"),
        pytest.param("the plan</think>She smiled", "She smiled", id="opened by the prompt"),
        pytest.param('<Think mode="x">a</THINK >b', "b", id="attributes and case"),
        pytest.param("<analysis>a</analysis><reasoning>b</reasoning>c", "c", id="other tags"),
        pytest.param("<thinker>stays</thinker>", "<thinker>stays</thinker>", id="a longer tag is another tag"),
        pytest.param("<think>x</think>", "", id="nothing else"),
    ],
)
def test_reasoning_goes(text, rest):
    assert cleaned(text) == rest


def test_a_user_keeps_what_a_reply_would_lose():
    message = Message(key="k", role="user", name="Sam", text="I <think>maybe</think> so", floor=4)

    assert clean_message(message).text == "I <think>maybe</think> so"


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        pytest.param('Hi.\n```json\n{"hp": 3}\n```\nBye.', "Hi.\n\nBye.", id="json"),
        pytest.param("Hi.\n```yaml\nhp: 3", "Hi.", id="unclosed"),
        pytest.param('```\n{"hp": 3}\n```', "", id="data without a language"),
        pytest.param("~~~stats\nhp 3\n~~~\nHi.", "Hi.", id="tildes"),
        pytest.param("```\nDear Anna, come home.\n```", "```\nDear Anna, come home.\n```", id="a letter stays"),
        pytest.param("Hi.<!-- hp: 3 -->", "Hi.", id="comment"),
        pytest.param("Hi.<UpdateVariable>_.set('hp', 3);</UpdateVariable>", "Hi.", id="variables"),
        pytest.param("Hi.<StatusPlaceHolderImpl/>", "Hi.", id="empty tag"),
        pytest.param(f"a <{INJECTION_TAG}>\nold memory\n</{INJECTION_TAG}> b", "a  b", id="our own injection"),
        pytest.param(f"a <{INJECTION_TAG}> cut off", "a", id="our own injection, cut off"),
    ],
)
def test_state_and_injected_memory_go(text, rest):
    assert strip_state(text) == rest


def test_what_the_read_path_injects_is_never_read_back():
    assert strip_state(f"Before. {OPENING}\n| old | memory |\n{CLOSING}\nAfter.") == "Before. \nAfter."


def test_the_first_extract_rule_that_finds_something_decides():
    rules = CleaningRules(extract=(TextRule("missing"), TextRule("content"), TextRule("[", "]")))

    assert cleaned("pre<content>one</content>post [no] <content>two", rules) == "one\ntwo"


def test_spans_are_excluded_by_their_ends():
    rules = CleaningRules(exclude=(TextRule("[[", "]]"),))

    assert cleaned("a [[x]] b [[y", rules) == "a  b"


@given(st.lists(st.sampled_from(["<think>", "</think>", "<analysis>", "</analysis>", "word ", "\n"]), max_size=20))
def test_no_reasoning_tag_survives(parts):
    text = cleaned("".join(parts))

    assert "<think>" not in text
    assert "</think>" not in text


@given(st.text(alphabet='ab<>/think`{}"\n ', max_size=60))
def test_cleaning_twice_changes_nothing_more(text):
    once = strip_state(text)

    assert strip_state(once) == once


@pytest.mark.parametrize("part", ["<", "<think>", "</think>", "<!--", "```\n", "~~~x\n", "\n \n"], ids=repr)
def test_hostile_texts_end_soon(part):
    started = time.perf_counter()
    cleaned(part * (20_000 // len(part)))

    assert time.perf_counter() - started < 2

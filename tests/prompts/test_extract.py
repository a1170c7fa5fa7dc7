"""What an extraction asks: blocks in their order, each behind its switch, and no more tokens than promised."""

from __future__ import annotations

import sys
from dataclasses import replace

import pytest

from st_bme.adapters.token_counter import LocalTokenCounter
from st_bme.model.schema import STORY_TYPES
from st_bme.ports import Asking, Background, ChatPrompt, ExtractionInput, KnownNode, TrackedVariable
from st_bme.prompts.extract import Reading, extract_prompt
from st_bme.prompts.gate import gate_prompt
from st_bme.prompts.missing import missing_prompt
from st_bme.prompts.pov import pov_prompt
from st_bme.prompts.render import load_template
from st_bme.settings.asking import EXTRACT_PLACEHOLDERS
from st_bme.settings.template import template_fault

MOST_FIXED_TOKENS = 1_500
EVERYTHING = Background(
    persona="a sailor",
    card="a clockmaker",
    world_info="The tide rules.",
    counts={"event": 3, "thread": 0},
    summaries=("They met.",),
    story_time="[dusk]",
    regions="Mill | Ford",
    variables=(TrackedVariable("mood", "how Iris feels", "glad"),),
    forbidden=("password",),
)


def request(language: str = "en", **changes: object) -> ExtractionInput:
    given = ExtractionInput((), (), (), user_name="Sam", character_name="Iris", language=language)
    return replace(given, **changes)


def prompt(language: str = "en", *, run: str = "#1 [user|Sam]: hi", problem: str = "", **changes: object) -> ChatPrompt:
    return extract_prompt(request(language, **changes), Reading("#0 [assistant]: before", run, problem))


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_question_is_asked_coolly_and_for_an_answer_of_a_form(language):
    given, reading = request(language), Reading("", "#1 [user|Sam]: hi")
    spell = {"spell": STORY_TYPES["event"]}
    prompts = [
        extract_prompt(given, reading),
        gate_prompt(given, reading),
        pov_prompt(given, (), reading),
        missing_prompt(given, (), spell, reading),
    ]

    assert [each.task for each in prompts] == ["extract", "extract_gate", "extract_pov", "extract_missing"]
    assert all(0.1 <= each.temperature <= 0.3 for each in prompts)
    assert all(each.schema is not None and each.max_tokens > 0 for each in prompts)
    assert all("#1 [user|Sam]: hi" in each.user for each in prompts)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_fixed_part_is_short(language, capsys):
    """Everything is switched on; the messages and what is known of the story come on top."""
    counter = LocalTokenCounter()
    counter.load()
    asked = prompt(language, run="", background=Background(variables=(TrackedVariable("mood"),)))
    tokens = counter.count(asked.system) + counter.count(asked.user)
    with capsys.disabled():
        sys.stdout.write(f"\nfixed part of the extraction prompt, {language}: {tokens} tokens\n")

    assert tokens <= MOST_FIXED_TOKENS


@pytest.mark.parametrize("language", ["en", "zh"])
def test_blocks_stand_in_order_and_the_messages_last(language):
    node = KnownNode(ref="N1", id="abc", type="character", name="Tam", text="a smith")
    user = prompt(language, known=[node], background=EVERYTHING, run="#1 [user]: now", problem="no JSON").user
    parts = [
        "Sam",
        "Iris",
        "a sailor",
        "a clockmaker",
        "The tide rules.",
        "event 3",
        "N1 [character] Tam: a smith",
        "They met.",
        "[dusk]",
        "Mill | Ford",
        "mood: how Iris feels (= glad)",
        "password",
        "#0 [assistant]: before",
        "#1 [user]: now",
        "no JSON",
    ]

    assert sorted(parts, key=user.index) == parts
    assert "abc" not in user
    assert "thread 0" not in user


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize(
    ("switch", "words"),
    [
        ("has_pov", "ownerType"),
        ("has_scopes", "regionPrimary"),
        ("has_cognition", "cognitionUpdates"),
        ("has_story_time", "batchStoryTime"),
        ("has_adjacency", "regionUpdates"),
    ],
)
def test_a_block_is_asked_for_only_while_it_is_switched_on(language, switch, words):
    others = dict.fromkeys(("has_pov", "has_cognition"), False) if words == "ownerType" else {}
    on = prompt(language, asking=Asking(**{**others, switch: True}))
    off = prompt(language, asking=Asking(**{**others, switch: False}))

    assert (words in on.system, words in off.system) == (True, False)
    assert len(str(off.schema)) < len(str(on.schema))


def test_what_is_not_known_takes_no_heading():
    for language, heading in (("en", "SUMMARIES"), ("zh", "前情摘要")):
        assert heading not in prompt(language).user
        assert heading in prompt(language, background=EVERYTHING).user


def test_types_are_those_of_the_schema():
    assert all(f"{node_type}: " in prompt().system for node_type in STORY_TYPES)
    assert "pov_memory" not in prompt(asking=Asking(has_pov=False)).system


def test_a_language_without_a_template_is_asked_in_english():
    assert prompt("other") == prompt("en")


def test_text_of_the_chat_is_not_taken_for_a_template():
    said = "#1 [user]: $known ${types} $$\n?? pov\nhidden?\n??"

    assert said in prompt(run=said).user


def test_answer_schema_names_types_and_needs_a_citation():
    schema = prompt().schema
    assert schema is not None
    operation = schema["properties"]["operations"]["items"]

    assert operation["properties"]["type"]["enum"] == list(STORY_TYPES)
    assert "cite" in operation["required"]


def test_the_users_own_prompt_takes_the_place_of_the_built_in_one():
    half = prompt(asking=Asking(template="Note what $character did.\n?? pov\nViews too.\n??"))
    whole = prompt(asking=Asking(template="Read.\n=== user ===\n$known\n$run", has_pov=False))

    assert half.system == "Note what Iris did.\nViews too."
    assert half.user == prompt().user
    assert (whole.system, whole.user) == ("Read.", "(none)\n#1 [user|Sam]: hi")


def test_each_step_may_have_a_prompt_of_the_users_own():
    asking = Asking(template="Note all.", gate_template="Is it new?", pov_template="Who saw $character?")
    reading = Reading("", "#1 [user]: now")
    asked = request(asking=asking)
    gate, pov = gate_prompt(asked, reading), pov_prompt(asked, (), reading)

    assert (prompt(asking=asking).system, gate.system, pov.system) == ("Note all.", "Is it new?", "Who saw Iris?")
    assert "#1 [user]: now" in gate.user
    assert "#1 [user]: now" in pov.user


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("task", ["extract", "extract_gate", "extract_missing", "extract_pov"])
def test_the_built_in_templates_are_valid_ones(task, language):
    template = load_template(task, language)

    assert template_fault(f"{template.system}\n=== user ===\n{template.user}", EXTRACT_PLACEHOLDERS) == ""


def test_every_placeholder_is_filled():
    asked = prompt(background=EVERYTHING, asking=Asking(template="".join(f"${name}|" for name in EXTRACT_PLACEHOLDERS)))

    assert "$" not in asked.system


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_prompts_of_the_other_steps_show_the_messages(language):
    reading = Reading("", "#1 [user]: now")
    made = [{"ref": "a", "type": "event", "fields": {"summary": "Tam fell"}}]

    assert "#1 [user]: now" in gate_prompt(request(language), reading).user
    assert "a [event] Tam fell" in pov_prompt(request(language), made, reading).user

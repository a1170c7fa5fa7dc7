"""The form of the injected text."""

from __future__ import annotations

import pytest

from st_bme.model.node import Node
from st_bme.model.schema import STORY_TYPES
from st_bme.model.scope import Scope
from st_bme.read.inject import GROUPS, HEADINGS, Form, core_text, enclosed, group_of, recalled_text

GARETH = Node("c", "character", {"name": "Gareth", "state": "wary", "goal": ""}, ())
FEAST = Node("e", "event", {"summary": "the feast ends", "status": "over"}, ())
THREAD = Node("t", "thread", {"title": "the missing"}, ())
TABLES = Form(200)


def test_a_table_has_the_columns_that_are_filled_in_the_order_of_the_type():
    assert TABLES.lines([GARETH]) == ["character_table:", "| name | state |", "| --- | --- |", "| Gareth | wary |"]


def test_each_type_has_one_table():
    assert [line for line in TABLES.lines([FEAST, GARETH, FEAST]) if line.endswith(":")] == [
        "event_table:",
        "character_table:",
    ]


def test_as_lines_each_memory_says_its_type_and_what_is_known():
    assert Form(200, has_tables=False).lines([GARETH, FEAST, THREAD]) == [
        "- character: Gareth (state: wary)",
        "- event: the feast ends (status: over)",
        "- thread: the missing",
    ]


def test_points_of_view_stand_by_their_owners_and_the_users_with_a_caution():
    mira = Scope("pov", "character", "Mira", "Mira")
    user = Scope("pov", "user", "Ann", "Ann")
    views = [
        Node("m", "pov_memory", {"summary": "the key is lost"}, (), scope=mira),
        Node("u", "pov_memory", {"summary": "I hid the key"}, (), scope=user),
    ]

    lines = recalled_text([*views, GARETH], HEADINGS["en"], Form(200, has_tables=False)).splitlines()

    assert lines == [
        "[Memory - Recalled]",
        "## Current state",
        "- character: Gareth (state: wary)",
        "## As Mira sees it, rightly or not",
        "- pov_memory: the key is lost",
        "## As Ann (the user) sees it: no character knows this unless told",
        "- pov_memory: I hid the key",
    ]


def test_core_stands_under_its_heading():
    assert core_text([FEAST], HEADINGS["en"], TABLES).splitlines() == [
        "[Memory - Core]",
        "event_table:",
        "| summary | status |",
        "| --- | --- |",
        "| the feast ends | over |",
    ]


def test_recalled_memories_stand_in_groups():
    lines = recalled_text([FEAST, GARETH, THREAD], HEADINGS["zh"], TABLES).splitlines()

    assert [line for line in lines if line[0] in "[#" or line.endswith(":")] == [
        "[记忆 - 召回]",
        "## 当前状态",
        "character_table:",
        "## 发生过的事",
        "event_table:",
        "thread_table:",
    ]


def test_nothing_is_no_text():
    assert core_text([], HEADINGS["en"], TABLES) == recalled_text([], HEADINGS["en"], TABLES) == ""


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_group_has_a_heading_in_every_language(language):
    headings = HEADINGS[language]

    assert set(headings.groups) == set(GROUPS)
    assert {group_of(name) for name in STORY_TYPES} <= set(GROUPS)
    assert enclosed(["part"], headings).splitlines() == ["<memory>", headings.note, "part", "</memory>"]

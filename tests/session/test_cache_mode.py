"""In a chat that goes on, what seldom changes keeps its place and its words."""

from __future__ import annotations

import re

import pytest

from session.chats import bridge_in, open_chat
from st_bme.adapters.testing import ScriptedExtractor
from st_bme.protocol import commands

CHAT = [
    "[rule Curfew constraint=nobody_leaves_after_dark]",
    "[thread Heir summary=nobody_knows_who_follows_the_queen]",
    "[event the ferry sinks]",
    "[character Mira state=wet_and_angry]",
]


async def _recall(bridge, lineage: str, **more):
    ask = commands.ChatRecall(lineage=lineage, text="What of the ferry and Mira?", in_context_from=len(CHAT), **more)
    return await bridge.recall(ask)


@pytest.mark.parametrize(
    ("settings", "position"),
    [({"cacheMode": False}, 1), ({"injectPosition": "beforePrompt"}, 2), ({"injectPosition": "macro"}, -1)],
    ids=["off", "all-early", "macro"],
)
async def test_only_at_a_depth_there_is_a_part_that_stays(tmp_path, settings, position):
    async with bridge_in(tmp_path, extractor=ScriptedExtractor()) as (bridge, _):
        lineage = await open_chat(bridge, CHAT, enablePassages=False)
        await bridge.extract(commands.ChatExtract(lineage=lineage))
        usual = await _recall(bridge, lineage)
        await bridge.settings_set(commands.SettingsSet(values=settings))
        answer = await _recall(bridge, lineage)

    assert "Curfew" in usual.steady
    assert (usual.position, "Curfew" in usual.text) == (1, False)
    assert (answer.position, answer.steady, "Curfew" in answer.text) == (position, "", True)
    assert "Curfew" in answer.parts["core"]


async def test_a_budget_is_shared_by_both_texts(tmp_path):
    async with bridge_in(tmp_path, extractor=ScriptedExtractor()) as (bridge, _):
        lineage = await open_chat(bridge, CHAT, enablePassages=False, injectMaxTokens=150)
        await bridge.extract(commands.ChatExtract(lineage=lineage))

        answer = await _recall(bridge, lineage)

    assert 0 < answer.tokens <= 150


async def test_memories_can_be_written_as_lines(tmp_path):
    async with bridge_in(tmp_path, extractor=ScriptedExtractor()) as (bridge, _):
        lineage = await open_chat(bridge, CHAT, enablePassages=False, injectFormat="list", cacheMode=False)
        await bridge.extract(commands.ChatExtract(lineage=lineage))

        answer = await _recall(bridge, lineage)

    assert "- rule: Curfew (constraint: nobody leaves after dark)" in answer.text
    assert "- character: Mira (state: wet and angry)" in answer.text
    assert "| --- |" not in answer.text


async def test_memories_can_be_written_as_lines_with_their_rank(tmp_path):
    """What stays from turn to turn is written without one, or it would not stay."""
    async with bridge_in(tmp_path, extractor=ScriptedExtractor()) as (bridge, _):
        lineage = await open_chat(bridge, CHAT, enablePassages=False, injectFormat="marked")
        await bridge.extract(commands.ChatExtract(lineage=lineage))

        answer = await _recall(bridge, lineage)

    assert "- rule: Curfew (constraint: nobody leaves after dark)" in answer.steady
    assert re.search(r"- \[W\]\[character:global\] Mira \(state: wet and angry\) \(\d+%, \w+\)", answer.text)

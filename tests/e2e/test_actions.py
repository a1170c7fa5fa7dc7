"""Whatever the user does to a chat, the graph is what a fresh extraction of that chat gives."""

import json

import pytest

from st_bme.adapters.scripted_endpoint import ScriptedEndpoint

from .actions import Actions
from .bridge import Bridge
from .chat_page import OpenPage, wait_until
from .marks import E2E
from .memory import COPY_KEY, Memory, remembering
from .sillytavern import Api
from .told import REPLIES, SENT, told_chat
from .truth import assert_true_to_the_chat

# Each step is compared with a fresh extraction; the first limit of a test counts.
pytestmark = [pytest.mark.timeout(400, func_only=True), *E2E]


async def test_every_action_on_messages_leaves_the_graph_true(
    open_page: OpenPage, bridge: Bridge, endpoint: ScriptedEndpoint
) -> None:
    page = (await told_chat(open_page, bridge, endpoint)).page
    act = Actions(page)

    for step in (
        page.swipe_for_new_reply(),
        page.swipe_back(),
        act.swipe_forth(),
        act.delete_swipe(0),
        page.regenerate(),
        act.go_on(),
        page.edit_message(1, "My aunt Rosalind breeds falcons in Segovia."),
        page.hide_message(2),
        page.unhide_message(2),
        act.move_up(3),
        act.duplicate(2),
        page.delete_message(1),
        act.cut(1, 2),
        act.delete_from(3),
    ):
        await step
        await assert_true_to_the_chat(page)
    graph = json.dumps(await Memory(page).graph())
    for told in (*SENT, *REPLIES):
        assert (told in graph) <= (told in await page.spoken()), told


async def test_branch_checkpoint_and_rename_each_have_the_right_memory(
    open_page: OpenPage, bridge: Bridge, endpoint: ScriptedEndpoint
) -> None:
    told = await told_chat(open_page, bridge, endpoint)
    page, parent = told.page, told.graph
    act, memory = Actions(page), Memory(page)

    await act.checkpoint(4, "Half way")
    await page.branch(2)
    branch = await assert_true_to_the_chat(page)
    assert branch["lineage"] != parent["lineage"]
    assert not await memory.tells("Bertil")

    await page.open_chat("Half way")
    checkpoint = await assert_true_to_the_chat(page)
    assert checkpoint["lineage"] not in (parent["lineage"], branch["lineage"])
    assert await memory.tells("Bertil")

    await page.open_chat(told.name)
    await act.rename_chat("Renamed")
    renamed = await assert_true_to_the_chat(page)
    assert renamed["lineage"] == parent["lineage"]
    await page.wait_for_chat_file(lambda chat: COPY_KEY in chat.metadata, "the graph in the renamed file")

    async def is_kept() -> bool:
        lineage: str = (await memory.status())["chat"]["lineage"]
        return lineage == str(parent["lineage"])

    await act.rename_character("Mirabel")
    await memory.wait_for_badge("green", "ready")
    await wait_until(is_kept, "the lineage of before the character was renamed")

    bridge.stop()
    await memory.wait_for_badge("red", "server_off")
    await act.rename_character("Mirabella")
    bridge.start()
    await memory.wait_for_badge("green", "ready", timeout_s=30)
    await wait_until(is_kept, "the lineage of before the character was renamed while the server was off")


async def test_a_chat_that_was_renamed_while_nobody_looked_keeps_its_memory_and_its_branch_is_another(
    open_page: OpenPage, bridge: Bridge, endpoint: ScriptedEndpoint
) -> None:
    told = await told_chat(open_page, bridge, endpoint)
    page, lineage = told.page, told.graph["lineage"]
    act, memory, avatar = Actions(page), Memory(page), await page.avatar()
    await page.page.evaluate("() => SillyTavern.getContext().saveMetadata()")
    await page.wait_for_chat_file(lambda chat: "mark" in chat.metadata[COPY_KEY]["chat"], "the mark in the file")

    bridge.stop()
    await memory.wait_for_badge("red", "server_off")
    await page.branch(2)
    branch = await page.chat_id()
    await page.open_chat(told.name)
    await act.rename_chat("Renamed")
    await page.open_chat(branch)
    await page.reload()
    bridge.start()
    await page.select_character(avatar)
    await memory.wait_for_badge("green", "ready", timeout_s=30)
    assert (await assert_true_to_the_chat(page))["lineage"] != lineage
    await page.open_chat("Renamed")
    assert (await assert_true_to_the_chat(page))["lineage"] == lineage


async def test_of_two_tabs_the_one_that_goes_on_has_the_chat(
    open_page: OpenPage, bridge: Bridge, endpoint: ScriptedEndpoint
) -> None:
    told = await told_chat(open_page, bridge, endpoint)
    first = told.page
    second = await open_page(remembering(Api.CHAT_COMPLETION, bridge.url))
    await second.select_character(told.avatar)
    await second.open_chat(told.name)
    await Memory(second).wait_for_badge("green", "ready")
    await second.send("I found a map of Lisbon.")
    await assert_true_to_the_chat(second)

    await first.edit_message(1, "My aunt Rosalind breeds falcons in Segovia.")

    memory = Memory(first)
    await wait_until_problem(memory, "open_elsewhere")
    await assert_true_to_the_chat(second)
    await first.page.get_by_text("Use this one").dispatch_event("click")
    await memory.wait_for_badge("green", "ready")
    await assert_true_to_the_chat(first)


async def wait_until_problem(memory: Memory, problem: str) -> None:
    async def is_told() -> bool:
        status = await memory.status()
        return (status["chat"]["problem"], status["badge"]["color"]) == (problem, "amber")

    await wait_until(is_told, f"the problem {problem}")

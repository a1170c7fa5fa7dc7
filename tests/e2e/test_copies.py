"""Chats that are copied, brought back, lost and found: SillyTavern knows more ways to that than it has buttons."""

import json
from typing import Any

import pytest
import pytest_asyncio

from st_bme.adapters.scripted_endpoint import ScriptedEndpoint

from .actions import Actions
from .bridge import Bridge
from .chat_page import ChatPage, OpenPage
from .marks import E2E
from .memory import COPY_KEY, Memory
from .sillytavern import ChatFile
from .told import SENT, ToldChat, told_chat
from .truth import assert_true_to_the_chat

# Each step is compared with a fresh extraction; the first limit of a test counts.
pytestmark = [pytest.mark.timeout(240, func_only=True), *E2E]

LATER = "I found a map of Lisbon."
OFFER = "#st_bme_bridge .st-bme-notices li button"


@pytest_asyncio.fixture(loop_scope="session")
async def told(open_page: OpenPage, bridge: Bridge, endpoint: ScriptedEndpoint) -> ToldChat:
    return await told_chat(open_page, bridge, endpoint)


def contents(graph: dict[str, Any]) -> dict[str, Any]:
    """What is remembered, without whose it is and how it came about."""
    return {key: graph[key] for key in ("nodes", "edges", "known")}


def answers(graph: dict[str, Any]) -> list[list[str]]:
    """What was read, once for each answer: equal ones mean that nothing was read again."""
    return [record["run"] for record in graph["tail"] if record["kind"] == "answer"]


async def saved(page: ChatPage) -> ChatFile:
    """The file of the open chat with the newest copy of its graph."""
    await page.page.evaluate("() => SillyTavern.getContext().saveMetadata()")
    return await page.read_chat_file()


async def replace_file(page: ChatPage, file: ChatFile) -> None:
    """Put a file in the place of the open chat's while another chat is open, and open it."""
    chat = await page.chat_id()
    await page.new_chat()
    file.path.write_text(file.text)
    await page.open_chat(chat)


async def duplicate_character(page: ChatPage, avatar: str) -> str:
    """SillyTavern copies the card and none of the chats. The new avatar."""
    copy: str = await page.page.evaluate(
        """async (avatar) => {
            const { getRequestHeaders, getCharacters } = SillyTavern.getContext();
            const body = JSON.stringify({ avatar_url: avatar });
            const request = { method: 'POST', headers: getRequestHeaders(), body };
            const { path } = await (await fetch('/api/characters/duplicate', request)).json();
            await getCharacters();
            return path;
        }""",
        avatar,
    )
    return copy


async def test_an_exported_chat_that_is_imported_again_has_a_memory_of_its_own(told: ToldChat) -> None:
    page, act, memory = told.page, Actions(told.page), Memory(told.page)
    await saved(page)

    exported = await act.export_chat()
    imported = await act.import_chat(exported)
    await page.open_chat(imported)
    copy = await assert_true_to_the_chat(page)
    assert copy["lineage"] != told.graph["lineage"]
    assert contents(copy) == contents(told.graph)
    assert answers(copy) == answers(told.graph)
    await page.send(LATER)
    await page.delete_message(1)
    await assert_true_to_the_chat(page)

    await page.open_chat(told.name)
    assert contents(await assert_true_to_the_chat(page)) == contents(told.graph)
    assert LATER not in json.dumps(await memory.graph())


async def test_a_chat_that_became_a_group_takes_its_memory_along(told: ToldChat) -> None:
    page, act, memory = told.page, Actions(told.page), Memory(told.page)

    await act.convert_to_group()
    group = await assert_true_to_the_chat(page)
    assert group["lineage"] != told.graph["lineage"]
    assert contents(group) == contents(told.graph)
    assert answers(group) == answers(told.graph)
    await page.send_to_group(LATER)
    await page.delete_message(1)
    await assert_true_to_the_chat(page)
    assert SENT[0] not in json.dumps(await memory.graph())

    await page.select_character(told.avatar)
    await page.open_chat(told.name)
    assert contents(await assert_true_to_the_chat(page)) == contents(told.graph)


async def test_an_older_backup_is_followed_back_and_forth(told: ToldChat) -> None:
    page = told.page
    backup = await saved(page)
    await page.send(LATER)
    later = await assert_true_to_the_chat(page)
    newest = await saved(page)

    await replace_file(page, backup)
    restored = await assert_true_to_the_chat(page)
    assert restored["lineage"] == told.graph["lineage"]
    assert contents(restored) == contents(told.graph)
    assert LATER not in json.dumps(restored)

    await replace_file(page, newest)
    again = await assert_true_to_the_chat(page)
    assert await page.chat_id() == told.name
    assert contents(again) == contents(later)
    assert answers(again) == answers(later)


async def test_a_chat_that_was_replaced_by_its_greeting_can_have_its_memory_back(told: ToldChat) -> None:
    page = told.page
    whole = await saved(page)
    header, greeting, *_ = whole.text.splitlines()
    lost = json.loads(header)
    del lost["chat_metadata"][COPY_KEY]

    await replace_file(page, ChatFile(whole.path, f"{json.dumps(lost)}\n{greeting}"))
    nothing = await assert_true_to_the_chat(page)
    assert nothing["lineage"] != told.graph["lineage"]
    assert nothing["nodes"] == []
    await page.page.locator(OFFER).dispatch_event("click")
    await page.page.locator(OFFER).wait_for(state="detached")

    lines = [json.dumps(lost), *whole.text.splitlines()[1:]]
    await replace_file(page, ChatFile(whole.path, "\n".join(lines)))
    found = await assert_true_to_the_chat(page)
    assert contents(found) == contents(told.graph)
    assert answers(found) == answers(told.graph)


async def test_a_duplicated_character_knows_nothing_of_the_chats_of_the_first(told: ToldChat) -> None:
    page = told.page

    await page.select_character(await duplicate_character(page, told.avatar))
    other = await assert_true_to_the_chat(page)
    assert other["lineage"] != told.graph["lineage"]
    assert other["nodes"] == []
    await page.select_character(told.avatar)
    assert contents(await assert_true_to_the_chat(page)) == contents(told.graph)


async def test_a_chat_whose_metadata_is_gone_has_its_graph_again(told: ToldChat) -> None:
    page = told.page
    whole = await saved(page)
    _, *lines = whole.text.splitlines()

    await replace_file(page, ChatFile(whole.path, "\n".join([json.dumps({"chat_metadata": {}}), *lines])))
    again = await assert_true_to_the_chat(page)
    assert again["lineage"] == told.graph["lineage"]
    assert contents(again) == contents(told.graph)
    assert again["tail"] == told.graph["tail"]

"""What the graph in the metadata costs SillyTavern: bytes and time of a save, and saves that would not have been made.

Time is measured by `figures.py saves`, on a machine that does nothing else; what the tests hold is bytes and counts.
"""

import json
import os
from collections.abc import Sequence

import pytest
from benchmarks.chats import generate
from benchmarks.memories import put_chat
from playwright.async_api import Request

from st_bme.adapters.scripted_endpoint import ScriptedEndpoint
from st_bme.adapters.sqlite_store import SqliteStore
from st_bme.ports import ChatName

from .bridge import Bridge
from .chat_page import ChatPage, OpenPage, wait_until
from .figures import report
from .long_chat import chat_lines
from .marks import E2E
from .memory import COPY_KEY, Memory, remembering
from .sillytavern import Api, SillyTavern

MESSAGES = int(os.environ.get("SAVES_MESSAGES", "5000"))
TURNS = int(os.environ.get("SAVES_TURNS", "7"))
CHAT = "Long chat"
ADDED_PER_100_TURNS = 5
ADDED_BYTES_LIMIT = 0.12  # of the chat
OWN_SAVES_A_TURN = 2  # SillyTavern's: behind the message and behind the reply
_SAVE_WAITS_MS = 150  # a save waits so long for one before it

pytestmark = [pytest.mark.timeout(120 + 20 * TURNS, func_only=True), *E2E]

SAVE = """async ([key, saves, isWith]) => {
    const { chatMetadata, saveMetadata } = SillyTavern.getContext();
    window.copyOfTest ??= chatMetadata[key];
    if (isWith) chatMetadata[key] = window.copyOfTest;
    else delete chatMetadata[key];
    await saveMetadata();  // this one reads the chat file as the kind before left it
    const startedAt = performance.now();
    for (let save = 0; save < saves; save++) await saveMetadata();
    return saves && (performance.now() - startedAt) / saves;
}"""
_HIDE = """() => {
    Object.defineProperty(document, 'hidden', { configurable: true, value: true });
    document.dispatchEvent(new Event('visibilitychange'));
    delete document.hidden;
}"""


async def test_a_save_carries_the_state_once_and_it_is_small_beside_the_chat(
    open_page: OpenPage, bridge: Bridge, silly_tavern: SillyTavern
) -> None:
    page = await open_page(remembering(Api.CHAT_COMPLETION, bridge.url))
    await open_long_chat(page, bridge, silly_tavern)
    state = json.dumps({COPY_KEY: await Memory(page).graph()}, ensure_ascii=False, separators=(",", ":"))
    state_bytes = len(state.encode()) - len("{}")

    file_bytes = {}
    for is_with in (False, True):
        await page.page.evaluate(SAVE, [COPY_KEY, 0, is_with])
        file_bytes[is_with] = len((await page.read_chat_file()).text.encode())

    report(messages=MESSAGES, chat_bytes=file_bytes[False], state_bytes=state_bytes)
    assert file_bytes[True] - file_bytes[False] == state_bytes + len(",")
    assert state_bytes <= ADDED_BYTES_LIMIT * file_bytes[False]


async def open_long_chat(page: ChatPage, bridge: Bridge, silly_tavern: SillyTavern) -> None:
    """A generated chat as a file of SillyTavern's, with all that is remembered of it in the server's store."""
    avatar = await page.create_character("Mira")
    chat = generate(MESSAGES)
    silly_tavern.write_chat(avatar, CHAT, chat_lines(chat.messages))
    bridge.stop()
    store = SqliteStore(bridge.data_dir / "memory.sqlite3")
    await store.open()
    await put_chat(store, chat, ChatName(CHAT, avatar))
    await store.close()
    bridge.start()
    await page.select_character(avatar)
    await page.open_chat(CHAT)
    await wait_until(lambda: _is_remembered(page), "the state of the whole chat", timeout_s=60)


async def _is_remembered(page: ChatPage) -> bool:
    """True once the state is that of the long chat: the one before it is attached while this one is opened."""
    return int((await Memory(page).graph()).get("lastProcessedSeq", 0)) > MESSAGES // 2


async def test_few_saves_are_added_however_often_the_page_is_hidden(
    open_page: OpenPage, bridge: Bridge, endpoint: ScriptedEndpoint
) -> None:
    del endpoint
    page = await open_page(remembering(Api.CHAT_COMPLETION, bridge.url))
    memory = Memory(page)
    await page.select_character(await page.create_character("Mira"))
    await memory.wait_until_attached()
    saves = watch_saves(page)
    for number in range(TURNS):
        await page.send(f"My cousin {number} keeps {number} bees.")
        await memory.wait_until_told(f"keeps {number} bees")
        await page.page.evaluate(_HIDE)
        await page.page.wait_for_timeout(_SAVE_WAITS_MS)
    added = len(saves) - OWN_SAVES_A_TURN * TURNS

    report(turns=TURNS, saves=len(saves), added=added)
    assert 0 < added <= ADDED_PER_100_TURNS * max(1, TURNS / 100)


def watch_saves(page: ChatPage) -> Sequence[Request]:
    """The saves of chats that this page makes from now on."""
    saves: list[Request] = []
    page.page.on("request", lambda request: saves.append(request) if request.url.endswith("/chats/save") else None)
    return saves

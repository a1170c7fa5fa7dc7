"""What the graph in the metadata costs SillyTavern: time of a save, and saves that would not have been made.

`figures.py saves` measures longer.
"""

import json
import os
import statistics
from collections.abc import Sequence

import pytest
from benchmarks.chats import generate
from benchmarks.memories import put_chat
from playwright.async_api import Request

from st_bme.adapters.scripted_endpoint import ScriptedEndpoint
from st_bme.adapters.sqlite_store import SqliteStore
from st_bme.ports import ChatName

from .bridge import Bridge
from .chat_page import ChatPage, OpenPage
from .figures import report
from .long_chat import chat_lines
from .marks import E2E
from .memory import COPY_KEY, Memory, remembering
from .sillytavern import Api, SillyTavern

MESSAGES = int(os.environ.get("SAVES_MESSAGES", "5000"))
ROUNDS = int(os.environ.get("SAVES_ROUNDS", "7"))
TURNS = int(os.environ.get("SAVES_TURNS", "7"))
CHAT = "Long chat"
ADDED_PER_100_TURNS = 5
# The promise is a tenth, which `figures.py` measures on a quiet machine; one that does other things is not so exact.
ADDED_TIME_LIMIT = 1.2
OWN_SAVES_A_TURN = 2  # SillyTavern's: behind the message and behind the reply
_SAVE_WAITS_MS = 150  # a save waits so long for one before it

pytestmark = [pytest.mark.timeout(120 + 5 * TURNS, func_only=True), *E2E]

_TIME_SAVES = """async ([key, rounds]) => {
    const { chatMetadata, saveMetadata } = SillyTavern.getContext();
    const copy = chatMetadata[key];
    const times = { with: [], without: [] };
    for (let round = 0; round < 2 * rounds; round++) {
        if (round % 2) chatMetadata[key] = copy;
        else delete chatMetadata[key];
        const startedAt = performance.now();
        await saveMetadata();
        times[round % 2 ? 'with' : 'without'].push(performance.now() - startedAt);
        await new Promise(resolve => setTimeout(resolve, 300));
    }
    return times;
}"""
_HIDE = """() => {
    Object.defineProperty(document, 'hidden', { configurable: true, value: true });
    document.dispatchEvent(new Event('visibilitychange'));
    delete document.hidden;
}"""


async def test_the_state_adds_little_to_the_time_of_a_save(
    open_page: OpenPage, bridge: Bridge, silly_tavern: SillyTavern
) -> None:
    page = await open_page(remembering(Api.CHAT_COMPLETION, bridge.url))
    await open_long_chat(page, bridge, silly_tavern)
    state_bytes = len(json.dumps((await page.metadata())[COPY_KEY], ensure_ascii=False).encode())

    times: dict[str, list[float]] = await page.page.evaluate(_TIME_SAVES, [COPY_KEY, ROUNDS])

    plain, remembered = (statistics.median(times[kind]) for kind in ("without", "with"))
    report(
        messages=MESSAGES,
        chat_bytes=len((await page.read_chat_file()).text.encode()),
        state_bytes=state_bytes,
        save_ms=round(plain),
        save_ms_with_state=round(remembered),
        times=times,
    )
    assert remembered <= ADDED_TIME_LIMIT * plain


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
    await Memory(page).wait_until_attached(timeout_s=60)


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

"""The strongest thing to ask of a graph: is it what a reading of the same chat from nothing gives?"""

import contextlib
import json
import tempfile
from pathlib import Path
from typing import Any

from st_bme.adapters.chat_file import read_chat_file
from st_bme.commands.replay import replay

from .chat_page import ChatPage, wait_until
from .memory import Memory

_SHARED = ("known", "knownFloors", "nodes", "edges", "pending")


async def assert_true_to_the_chat(page: ChatPage, *, timeout_s: float = 20.0) -> dict[str, Any]:
    """Wait until the graph in the metadata is that of a fresh extraction of the open chat. Gives the graph.

    Raises: AssertionError with what differs.
    """
    memory = Memory(page)
    await memory.wait_until_attached()
    right = await _read_anew(page)
    # A message of the user at the end waits for its reply; a fresh extraction reads it at once.
    await page.run_slash_command("/bme-extract")

    async def is_right() -> bool:
        return _shared(await memory.graph()) == right

    with contextlib.suppress(AssertionError):
        await wait_until(is_right, "the graph of a fresh extraction", timeout_s=timeout_s)
    graph = await memory.graph()
    found = _shared(graph)
    wrong = {key: (found[key], right[key]) for key in _SHARED if found[key] != right[key]}
    assert not wrong, f"found and right at rev {graph.get('rev')}: {json.dumps(wrong, ensure_ascii=False)}"
    return graph


async def _read_anew(page: ChatPage) -> dict[str, Any]:
    chat: str = await page.page.evaluate(
        """() => {
            const { chat, name1, name2 } = SillyTavern.getContext();
            const lines = [{ user_name: name1, character_name: name2, chat_metadata: {} }, ...chat];
            return lines.map((line) => JSON.stringify(line)).join('\\n');
        }"""
    )
    with tempfile.TemporaryDirectory(prefix="st-bme-") as folder:
        path = Path(folder) / "chat.jsonl"
        path.write_text(chat)
        return _shared((await replay(read_chat_file(path), [])).state)


def _shared(state: dict[str, Any]) -> dict[str, Any]:
    return {key: state.get(key, []) for key in _SHARED}

"""What lies in the chat file, and what of it is there after everything was started anew."""

import json
from collections.abc import Iterator
from typing import Any

from docs.pages import code, read_page, table_below

from .bridge import Bridge
from .chat_page import OpenPage, wait_until
from .marks import E2E
from .memory import COPY_KEY, Memory, remembering
from .sillytavern import Api, ChatFile, SillyTavern

pytestmark = E2E

FACT = "My sister Yelena keeps bees in Ostrava."
OTHER_FACT = "My uncle Bertil builds violins in Cremona."
TOKENS = "() => Object.entries(localStorage).filter(([name]) => name.includes('token')).map(([, token]) => token)"
PAGE = read_page("storage.md")


async def test_the_chat_file_holds_the_graph_and_nothing_that_is_private(
    api: Api, open_page: OpenPage, bridge: Bridge, silly_tavern: SillyTavern
) -> None:
    page = await open_page(remembering(api, bridge.url))
    memory = Memory(page)
    await page.select_character(await page.create_character("Mira"))
    await page.send(FACT)
    await memory.wait_until_told(FACT)
    await page.send("It is late.")
    chat = await page.wait_for_chat_file(_tells_fact, "the graph in the chat file")

    graph = chat.metadata[COPY_KEY]
    assert graph["version"] == 10
    assert graph["chat"]["name"] == await page.chat_id()
    assert set(graph) <= _known_keys("State keys")
    assert {key for node in graph["nodes"] for key in node} <= _known_keys("Node")
    assert all(len(edge.split(" ")) in (2, 3, 4) for alike in graph["edges"].values() for edge in alike)
    assert {key for record in graph["tail"] for key in record} <= _known_keys("Record", "Answer", "Origin")
    assert [values for values in _lists(graph) if len(values) > 4 and all(isinstance(v, float) for v in values)] == []
    (token,) = await page.page.evaluate(TOKENS)
    for private in (token, bridge.url, str(bridge.port), str(bridge.data_dir), silly_tavern.url, "http:", "127.0.0.1"):
        assert private not in chat.text


async def test_after_a_restart_of_both_programs_nothing_is_read_again(
    open_page: OpenPage, bridge: Bridge, silly_tavern: SillyTavern
) -> None:
    setup = remembering(Api.CHAT_COMPLETION, bridge.url)
    page = await open_page(setup)
    memory = Memory(page)
    avatar = await page.create_character("Mira")
    await page.select_character(avatar)
    await page.send(FACT)
    await memory.wait_until_told(FACT, "Scripted reply number 1.")
    await page.send("It is late.")
    await memory.wait_until_told("Scripted reply number 2.")
    before = await memory.graph()
    await page.close()
    silly_tavern.stop()
    bridge.stop()

    bridge.start()
    silly_tavern.start()
    page = await open_page(setup)
    memory = Memory(page)
    await page.select_character(avatar)
    await memory.wait_for_badge("green", "ready")
    await memory.wait_until_told(FACT)
    await page.send("Good night.")
    await memory.wait_until_told("Scripted reply number 3.")

    after = await memory.graph()
    assert after["lineage"] == before["lineage"]
    assert after["tail"][: len(before["tail"])] == before["tail"]
    assert len(after["tail"]) == len(before["tail"]) + 1


async def test_a_server_that_lost_its_data_takes_the_graph_from_the_chat(open_page: OpenPage, bridge: Bridge) -> None:
    page = await open_page(remembering(Api.CHAT_COMPLETION, bridge.url))
    memory = Memory(page)
    await page.select_character(await page.create_character("Mira"))
    await page.send(FACT)
    await memory.wait_until_told(FACT, "Scripted reply number 1.")
    await page.edit_message(1, OTHER_FACT)
    await memory.wait_until_told(OTHER_FACT)
    whole = await memory.graph()
    record = await _record_that_says(OTHER_FACT, memory, bridge)
    undone = await _mark(record, "undo", memory, bridge)
    before = await _mark(record, "redo", memory, bridge)
    assert before["nodes"] == whole["nodes"] != undone["nodes"]
    bridge.stop()
    for kept in bridge.data_dir.glob("*.sqlite3*"):
        kept.unlink()

    bridge.start()
    await memory.wait_for_badge("green", "ready", timeout_s=15)
    assert (await memory.graph())["nodes"] == whole["nodes"]
    assert (await _mark(record, "undo", memory, bridge))["nodes"] == undone["nodes"]
    assert (await _mark(record, "redo", memory, bridge))["nodes"] == whole["nodes"]
    await page.send("It is late.")
    await memory.wait_until_told("Scripted reply number 2.")

    after = await memory.graph()
    assert after["lineage"] == before["lineage"]
    assert after["tail"][: len(before["tail"])] == before["tail"]
    assert len(_answers(after)) == len(_answers(before)) + 1


async def _record_that_says(words: str, memory: Memory, bridge: Bridge) -> str:
    """Id of the one record that counts and says so."""
    lineage = (await memory.graph())["lineage"]
    entries = (await memory.command(bridge.url, "history/list", lineage=lineage))["entries"]
    (record,) = [entry["id"] for entry in entries if entry["state"] == "live" and words in str(entry["operations"])]
    return str(record)


async def _mark(record: str, how: str, memory: Memory, bridge: Bridge) -> dict[str, Any]:
    """Undo or redo a record, and give the graph that the page then has."""
    before = await memory.graph()
    await memory.command(bridge.url, f"history/{how}", lineage=before["lineage"], records=[record])

    async def is_there() -> bool:
        return bool((await memory.graph())["rev"] > before["rev"])

    await wait_until(is_there, f"the graph behind {how}")
    return await memory.graph()


def _answers(graph: dict[str, Any]) -> list[dict[str, Any]]:
    return [record for record in graph["tail"] if record["kind"] == "answer"]


def _tells_fact(chat: ChatFile) -> bool:
    return FACT in json.dumps(chat.metadata.get(COPY_KEY, {}))


def _known_keys(*headings: str) -> set[str]:
    return {code(row["key"]) for heading in headings for row in table_below(PAGE, heading).rows}


def _lists(value: Any) -> Iterator[list[Any]]:
    if isinstance(value, list):
        yield value
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for member in inner:
        yield from _lists(member)

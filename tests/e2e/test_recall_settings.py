"""What each setting of recall does to what is recalled, changed in the real block."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import pytest

from st_bme.adapters.scripted_endpoint import RecordedRequest, ScriptedEndpoint

from .block import Block
from .bridge import Bridge
from .chat_page import ChatPage, OpenPage, wait_until
from .marks import E2E
from .memory import Memory, fill_context, remembering
from .sillytavern import Api

pytestmark = E2E

KEY = "key-of-the-embeddings"
TOLD = (
    "My sister Yelena keeps bees in Ostrava.",
    "My uncle Bertil builds violins in Cremona.",
    "My cousin Ludmila tames wolves in Karelia.",
)
UNREAD = "Whoever guards the cellar of Yelena's house must be told the word marzipan."
DRAFT = "Tell me once more of Ludmila and her wolves."
QUESTION = "Where does Yelena keep her bees, and what is the word for the cellar?"

Recalled = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Case:
    """A changed setting, and what it makes of a recall."""

    key: str
    value: object
    is_right: Callable[[Recalled, Recalled], bool]


def scores(recalled: Recalled) -> dict[str, float]:
    return {item["node_id"]: item["score"] for item in recalled["items"] if item["section"] != "core"}


def are_weighed_anew(before: Recalled, after: Recalled) -> bool:
    """Whether what both found counts for more or less than before."""
    both = scores(before).keys() & scores(after).keys()
    return bool(both) and any(scores(before)[node] != scores(after)[node] for node in both)


def has_no_quote(before: Recalled, after: Recalled) -> bool:
    return "marzipan" in before["text"] and "marzipan" not in after["text"]


CASES = (
    Case("graphWeight", 0, are_weighed_anew),
    Case("vectorWeight", 0, are_weighed_anew),
    Case("lexicalWeight", 0, are_weighed_anew),
    Case("importanceWeight", 0, are_weighed_anew),
    Case("normalizeWeights", False, are_weighed_anew),
    Case("recallTopK", 1, lambda before, after: len(scores(after)) < len(scores(before))),
    Case("enablePassages", False, has_no_quote),
    Case("passageMaxTokens", 0, has_no_quote),
    Case("injectMaxTokens", 100, lambda before, after: after["tokens"] <= 100 < before["tokens"]),
    Case("injectFormat", "list", lambda before, after: "| --- |" in before["text"] and "| --- |" not in after["text"]),
    Case("injectFormat", "marked", lambda before, after: "- [W][" in after["text"] and "- [W][" not in before["text"]),
)


async def test_settings_of_recall_change_what_is_recalled(
    open_page: OpenPage, bridge: Bridge, endpoint: ScriptedEndpoint, second: ScriptedEndpoint
) -> None:
    page, memory, block = await told(open_page, bridge)
    await embed_at(second, block)
    lineage = (await memory.status())["chat"]["lineage"]
    asked = {"lineage": lineage, "text": QUESTION, "early": True, "in_context_from": len(await page.spoken()) - 1}

    async def ask() -> Recalled:
        return await memory.command(bridge.url, "chat/recall", **asked)

    async def has_vectors() -> bool:
        weighed = [item["scores"] for item in (await ask())["items"] if "lexical" in item["scores"]]
        return bool(weighed) and all("vector" in found for found in weighed)

    await wait_until(has_vectors, "vectors of all memories")
    await wait_until(lambda: is_quiet(second), "vectors of words, which come last")
    plain = await ask()
    wrong = []
    for case in CASES:
        before = (await block.controls())[case.key]
        await block.change(case.key, case.value)
        changed = await ask()
        if not case.is_right(plain, changed):
            wrong.append((case.key, case.value, changed))
        await block.change(case.key, before)
    assert wrong == []
    assert scores(await ask()) == pytest.approx(scores(plain), rel=1e-6)  # sums in another order
    assert embeddings(endpoint) == []
    of_the_model = [request for request in embeddings(second) if request.body["model"] == second.model]
    assert {request.headers.get("Authorization") for request in of_the_model} == {f"Bearer {KEY}"}
    assert await is_hidden_by_visibility(memory, block, bridge.url, asked)
    await block.change("recallWhileTyping", True)
    await page.page.fill("#send_textarea", DRAFT)
    await wait_until(lambda: has_embedded(second, DRAFT), "a vector of what is being typed")
    await block.change("includeHiddenMessages", False)
    await page.hide_message(1)
    await memory.wait_until_forgotten(TOLD[0])
    await block.change("includeHiddenMessages", True)
    await memory.wait_until_told(TOLD[0])


async def is_hidden_by_visibility(memory: Memory, block: Block, url: str, asked: Mapping[str, object]) -> bool:
    """Whether a memory that is for somebody else is recalled for the speaker only without the setting."""
    asking = {**asked, "speaker": "Mira"}
    items = (await memory.command(url, "chat/recall", **asking))["items"]
    node = next(item["node_id"] for item in items if item["section"] == "states")
    fields = {"visibility": "Bertil"}
    await memory.command(url, "graph/update", lineage=asked["lineage"], node=node, fields=fields)
    found = []
    for is_on in (True, False):
        await block.change("enableVisibility", is_on)
        items = (await memory.command(url, "chat/recall", **asking))["items"]
        found.append(node in {item["node_id"] for item in items})
    return found == [False, True]


async def told(open_page: OpenPage, bridge: Bridge) -> tuple[ChatPage, Memory, Block]:
    """A chat with memories and with a message that was not read; all of it left the context."""
    page = await open_page(remembering(Api.CHAT_COMPLETION, bridge.url))
    memory, block = Memory(page), Block(page, bridge.url)
    await page.select_character(await page.create_character("Mira"))
    await block.show_all()
    for fact in TOLD:
        await page.send(fact)
    await memory.wait_until_told(*TOLD)
    await block.change("extractAutoEnabled", False)
    await page.send(UNREAD)
    await fill_context(page)
    return page, memory, block


async def embed_at(second: ScriptedEndpoint, block: Block) -> None:
    """A key belongs to the address that is set when it is given."""
    await block.change("embeddingSource", "openai")
    await block.change("embeddingApiUrl", f"{second.url}/v1")
    await block.change("embeddingApiKey", KEY)
    await block.change("embeddingModel", second.model)


async def has_embedded(endpoint: ScriptedEndpoint, text: str) -> bool:
    return any(text in str(request.body["input"]) for request in embeddings(endpoint))


async def is_quiet(endpoint: ScriptedEndpoint) -> bool:
    """Whether nothing was embedded there for half a second."""
    count = len(embeddings(endpoint))
    await asyncio.sleep(0.5)
    return len(embeddings(endpoint)) == count


def embeddings(endpoint: ScriptedEndpoint) -> list[RecordedRequest]:
    return [request for request in endpoint.requests if request.kind == "embeddings"]

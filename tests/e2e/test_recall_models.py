"""Models of recall that are changed while a chat goes on: where vectors come from, and who chooses."""

from typing import Any

from st_bme.adapters.scripted_endpoint import ScriptedEndpoint, ScriptedReply

from .block import Block
from .bridge import Bridge
from .chat_page import ChatPage, OpenPage, wait_until
from .marks import E2E
from .memory import Memory
from .prompts import reply_prompts
from .test_recall_settings import QUESTION, TOLD, embed_at, embeddings, told

pytestmark = E2E

RERANK_KEY = "key-of-the-choice"


class Asking:
    """Asks the open chat the same again and again."""

    def __init__(self, page: ChatPage, memory: Memory, url: str) -> None:
        self._page, self._memory, self._url = page, memory, url

    async def recalled(self, text: str = QUESTION) -> dict[str, Any]:
        lineage = (await self._memory.status())["chat"]["lineage"]
        start = len(await self._page.spoken()) - 1
        asked = {"lineage": lineage, "text": text, "early": True, "in_context_from": start}
        return await self._memory.command(self._url, "chat/recall", **asked)

    async def has_vectors(self) -> bool:
        """Whether meaning speaks for a memory."""
        items = (await self.recalled())["items"]
        return any("vector" in item["scores"] for item in items if item["type"] != "passage")


async def test_the_old_vectors_serve_until_the_new_ones_are_ready(
    open_page: OpenPage, bridge: Bridge, endpoint: ScriptedEndpoint, second: ScriptedEndpoint, third: ScriptedEndpoint
) -> None:
    page, memory, block = await told(open_page, bridge)
    asking = Asking(page, memory, bridge.url)
    await embed_at(second, block)
    await wait_until(asking.has_vectors, "vectors of the first model", timeout_s=30)
    third.may_embed.clear()

    await block.change("embeddingApiUrl", f"{third.url}/v1")
    await wait_until(lambda: has_asked(third), "a call for vectors of the other model")
    await wait_until(asking.has_vectors, "vectors of the first model meanwhile")
    await page.send(QUESTION)

    assert TOLD[0] in reply_prompts(endpoint)[-1].memory
    assert is_embedded(QUESTION, second)
    assert not is_embedded(QUESTION, third)
    third.may_embed.set()
    await wait_until(lambda: is_asked_for(third, asking), "a question to the other model", timeout_s=20)
    await wait_until(asking.has_vectors, "vectors of the other model")
    assert await memory.badge() == ("green", "ready")
    assert "Traceback" not in bridge.log.read_text()
    await choose_with(third, block, asking)


def is_embedded(text: str, endpoint: ScriptedEndpoint) -> bool:
    """Whether this text was turned into a vector there."""
    return any(text in str(request.body["input"]) for request in embeddings(endpoint))


async def has_asked(endpoint: ScriptedEndpoint) -> bool:
    return bool(embeddings(endpoint))


async def is_asked_for(endpoint: ScriptedEndpoint, asking: Asking) -> bool:
    """Whether a question is embedded there by now."""
    await asking.recalled()
    return is_embedded(QUESTION, endpoint)


async def choose_with(chooser: ScriptedEndpoint, block: Block, asking: Asking) -> None:
    """A model that ranks the last the best chooses one memory; when it is late the order stands."""
    plain = await asking.recalled()
    await block.change("recallEnableLLM", True)
    await block.change("rerankSource", "endpoint")
    await block.change("rerankApiUrl", f"{chooser.url}/v1")
    await block.change("rerankApiKey", RERANK_KEY)
    await block.change("rerankModel", chooser.model)
    await block.change("recallMaxNodes", 1)

    chosen = await asking.recalled()

    (request,) = [request for request in chooser.requests if request.kind == "rerank"]
    assert (request.body["model"], request.body["top_n"]) == (chooser.model, 1)
    assert request.headers["Authorization"] == f"Bearer {RERANK_KEY}"
    assert chosen["degraded"] == []
    assert len(recalled_memories(chosen)) < len(recalled_memories(plain))
    chooser.script = lambda _: ScriptedReply(delay_s=5.0)
    await block.change("recallLLMTimeoutS", 1)
    late = await asking.recalled("Who builds violins?")
    assert "rerank" in late["degraded"]


def recalled_memories(recalled: dict[str, Any]) -> list[str]:
    """Those that were found, without the core and what belongs to their scene."""
    found = (item for item in recalled["items"] if item["section"] != "core" and item["reason"] != "scene")
    return [item["node_id"] for item in found if item["node_id"]]

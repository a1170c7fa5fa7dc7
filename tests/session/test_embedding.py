"""Vectors come behind the replies; words and the vectors there are serve meanwhile."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence

import numpy as np
import orjson
import pytest
from numpy.typing import NDArray

from session import chats
from session.chats import bridge_in, jobs, long_chat, open_chat, tools_in, until
from st_bme.adapters.testing import HashEmbedder
from st_bme.errors import ModelFailed
from st_bme.ports import VectorSpace
from st_bme.protocol import commands
from st_bme.read.query import QueryPart
from st_bme.session import embedding
from st_bme.session.embedding import EmbeddingQueue

TEXTS = [f"the ferry bell rings on day {day}" for day in range(200)]
ASKED = (QueryPart("user", "which day does the bell ring?", 1.0),)
SECRET = "Mira whispers that the vault opens with the word heliotrope."


class PacedEmbedder(HashEmbedder):
    """Embeds when it is let, in a space of its own name and dimension, and keeps what it was asked."""

    def __init__(self, name: str = "paced", dimension: int = 256) -> None:
        self.name = name
        self.dimension = dimension
        self.asked: list[list[str]] = []
        self.queries: list[list[str]] = []
        self.failures = 0
        self.pause_at = 0  # the call of this number waits
        self.go_on = asyncio.Event()
        self.go_on.set()

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.asked.append(list(texts))
        if len(self.asked) == self.pause_at:
            self.go_on.clear()
        await self.go_on.wait()
        if self.failures:
            self.failures -= 1
            raise ModelFailed("the endpoint is down")
        vectors = await super().embed(texts)
        return np.ascontiguousarray(vectors[:, : self.dimension])

    async def embed_queries(self, queries: Sequence[str]) -> NDArray[np.float32]:
        self.queries.append(list(queries))
        await self.go_on.wait()
        return np.ascontiguousarray((await super().embed(queries))[:, : self.dimension])

    @property
    def embedded(self) -> list[str]:
        return [text for batch in self.asked for text in batch]


def queue_of(tools, texts=TEXTS) -> EmbeddingQueue:
    async def newest_first():
        return texts

    return EmbeddingQueue("lineage", tools, newest_first)


async def test_texts_are_embedded_newest_first_in_batches_with_progress(tmp_path):
    embedder = PacedEmbedder()
    async with tools_in(tmp_path, embedder) as tools:
        queue = queue_of(tools)
        queue.wake()
        await until(lambda: queue.is_idle)

        assert embedder.embedded == TEXTS
        assert max(map(len, embedder.asked)) == embedding.BATCH_TEXTS
        told = jobs(tools.events, "embedding")
        assert (told[0]["state"], told[0]["done"], told[0]["total"]) == ("running", 0, 200)
        assert (told[-1]["state"], told[-1]["done"], told[-1]["total"]) == ("done", 200, 200)


async def test_what_is_stored_is_not_embedded_again(tmp_path):
    first, second = PacedEmbedder(), PacedEmbedder()
    async with tools_in(tmp_path, first) as tools:
        queue = queue_of(tools)
        queue.wake()
        await until(lambda: queue.is_idle)
    async with tools_in(tmp_path, second) as tools:
        queue = queue_of(tools, ["a new message", *TEXTS])
        queue.wake()
        await until(lambda: queue.is_idle)

        assert second.embedded == ["a new message"]
        assert len((await queue.meaning(ASKED)).table) == 201


async def test_the_first_table_serves_while_it_grows(tmp_path):
    embedder = PacedEmbedder()
    embedder.pause_at = 2
    async with tools_in(tmp_path, embedder) as tools:
        queue = queue_of(tools)
        queue.wake()
        await until(lambda: len(embedder.asked) == 2)
        embedder.go_on.set()
        meaning = await queue.meaning(ASKED)
        await queue.stop()

        assert embedding.BATCH_TEXTS <= len(meaning.table) < len(TEXTS)


async def test_the_old_model_serves_until_the_new_one_is_ready(tmp_path):
    old, new = PacedEmbedder("old", 256), PacedEmbedder("new", 64)
    async with tools_in(tmp_path, old) as tools:
        queue = queue_of(tools)
        queue.wake()
        await until(lambda: queue.is_idle)
        new.go_on.clear()
        tools.models.embedder = new
        queue.wake()
        await until(lambda: bool(new.asked))
        during = await queue.meaning(ASKED)
        new.go_on.set()
        await until(lambda: queue.is_idle)
        after = await queue.meaning(ASKED)

        assert (during.table.space, during.query.shape) == (VectorSpace("old", 256), (256,))
        assert (after.table.space, after.query.shape) == (VectorSpace("new", 64), (64,))
        assert len(after.table) == len(TEXTS)
        assert await tools.vectors.count() == {VectorSpace("old", 256): 200, VectorSpace("new", 64): 200}


async def test_a_new_model_that_fails_leaves_the_old_one_serving(tmp_path):
    old, new = PacedEmbedder("old"), PacedEmbedder("new", 64)
    new.failures = 1
    async with tools_in(tmp_path, old) as tools:
        queue = queue_of(tools)
        queue.wake()
        await until(lambda: queue.is_idle)
        tools.models.embedder = new
        queue.wake()
        await until(lambda: jobs(tools.events, "embedding")[-1]["state"] == "failed")

        assert (await queue.meaning(ASKED)).table.space == VectorSpace("old", 256)
        await queue.stop()


async def test_a_failure_is_told_once_and_tried_again(tmp_path, monkeypatch):
    monkeypatch.setattr(embedding, "FIRST_RETRY_S", 0.02)
    embedder = PacedEmbedder()
    embedder.failures = 3
    async with tools_in(tmp_path, embedder) as tools:
        queue = queue_of(tools)
        queue.wake()
        await until(lambda: queue.is_idle)

        assert len((await queue.meaning(ASKED)).table) == 200
        assert _notices(tools.events) == ["model_failed"]


async def test_another_model_is_tried_at_once_after_a_failure(tmp_path):
    broken, sound = PacedEmbedder("broken"), PacedEmbedder("sound")
    broken.failures = 1
    async with tools_in(tmp_path, broken) as tools:
        queue = queue_of(tools)
        queue.wake()
        await until(lambda: bool(_notices(tools.events)))
        tools.models.embedder = sound
        queue.wake()
        await until(lambda: queue.is_idle)

        assert (await queue.meaning(ASKED)).table.space.model == "sound"


async def test_without_a_model_there_is_no_meaning(tmp_path):
    async with tools_in(tmp_path, PacedEmbedder()) as tools:
        queue = queue_of(tools)
        queue.wake()
        await until(lambda: queue.is_idle)
        tools.models.embedder = None
        queue.wake()
        await until(lambda: queue.is_idle)

        assert await queue.meaning(ASKED) is None


async def test_a_late_query_does_not_hold_up_the_reply_and_is_there_for_the_next(tmp_path, monkeypatch):
    monkeypatch.setattr(embedding, "QUERY_DEADLINE_S", 0.05)
    embedder = PacedEmbedder()
    async with tools_in(tmp_path, embedder) as tools:
        queue = queue_of(tools)
        queue.wake()
        await until(lambda: queue.is_idle)
        embedder.go_on.clear()
        late, beside = await queue.meaning(ASKED), await queue.meaning(ASKED)
        embedder.go_on.set()
        await asyncio.sleep(0.05)
        then = await queue.meaning(ASKED)

        assert (late, beside) == (None, None)
        assert then.query.shape == (256,)
        assert len(embedder.queries) == 1


async def test_stopping_leaves_the_rest_for_later(tmp_path):
    embedder = PacedEmbedder()
    embedder.go_on.clear()
    async with tools_in(tmp_path, embedder) as tools:
        queue = queue_of(tools)
        queue.wake()
        await until(lambda: bool(embedder.asked))
        await queue.stop()
        embedder.go_on.set()
        await asyncio.sleep(0.05)

        assert len(embedder.asked) == 1
        assert await tools.vectors.count() == {}


@pytest.mark.parametrize("model", ["hash", "none"])
async def test_the_start_of_an_old_chat_is_recalled_within_a_minute_without_a_model_call(tmp_path, model):
    chat = long_chat(1548)
    chat[3] = SECRET
    started = time.perf_counter()
    async with bridge_in(tmp_path, HashEmbedder()) as (bridge, events):
        lineage = await open_chat(bridge, chat, embeddingModel=model)
        words = await _recall(bridge, lineage)
        words_s = time.perf_counter() - started
        if model != "none":
            await until(lambda: (jobs(events, "embedding") or [{}])[-1].get("state") == "done")
        answer = await _recall(bridge, lineage)

        assert words_s < 10
        assert time.perf_counter() - started < 60
        for text in (words.text, answer.text):
            assert f"- #3 Ann: {SECRET}" in text
        assert answer.items[0].section == "passages"
        assert answer.degraded == []
        assert jobs(events, "extraction") == []


async def test_what_the_prompt_holds_is_not_quoted(tmp_path):
    chat = long_chat(60)
    chat[3] = SECRET
    async with bridge_in(tmp_path) as (bridge, _):
        lineage = await open_chat(bridge, chat)
        held = await _recall(bridge, lineage, in_context_from=2)
        gone = await _recall(bridge, lineage, in_context_from=20)

        assert "heliotrope" not in held.text
        assert "heliotrope" in gone.text


async def test_without_word_of_what_the_prompt_holds_it_is_reckoned_from_its_room(tmp_path):
    chat = long_chat(60)
    chat[3] = SECRET
    async with bridge_in(tmp_path) as (bridge, _):
        lineage = await open_chat(bridge, chat)
        roomy = await _recall(bridge, lineage, in_context_from=None, context_tokens=8000)
        narrow = await _recall(bridge, lineage, in_context_from=None, context_tokens=600)

        assert "heliotrope" not in roomy.text
        assert "heliotrope" in narrow.text


async def test_quotes_can_be_switched_off(tmp_path):
    chat = long_chat(60)
    chat[3] = SECRET
    async with bridge_in(tmp_path) as (bridge, _):
        lineage = await open_chat(bridge, chat, enablePassages=False)

        assert (await _recall(bridge, lineage, in_context_from=20)).text == ""


async def test_a_deleted_message_is_not_quoted_any_more(tmp_path):
    chat = long_chat(60)
    chat[3] = SECRET
    async with bridge_in(tmp_path) as (bridge, _):
        lineage = await open_chat(bridge, chat)
        before = await _recall(bridge, lineage, in_context_from=20)
        left = chats.message_list([*chat[:2], *chat[4:]])
        event = commands.ChatEvent(lineage=lineage, event="MESSAGE_DELETED", messages=left)
        await bridge.event(event)
        after = await _recall(bridge, lineage, in_context_from=18)

        assert "heliotrope" in before.text
        assert "heliotrope" not in after.text


async def test_a_recall_before_there_are_vectors_says_so(tmp_path):
    embedder = PacedEmbedder()
    embedder.go_on.clear()
    chat = long_chat(60)
    chat[3] = SECRET
    async with bridge_in(tmp_path, embedder) as (bridge, _):
        lineage = await open_chat(bridge, chat, embeddingModel="paced")
        answer = await _recall(bridge, lineage, in_context_from=20)

        assert answer.degraded == ["vectors"]
        assert "heliotrope" in answer.text


async def test_a_message_that_came_later_gets_a_vector(tmp_path):
    embedder = PacedEmbedder()
    chat = long_chat(20)
    async with bridge_in(tmp_path, embedder) as (bridge, _events):
        lineage = await open_chat(bridge, chat, embeddingModel="paced")
        await until(lambda: "Mira: " + chat[0] in embedder.embedded)
        await open_chat(bridge, [*chat, SECRET], embeddingModel="paced")
        await until(lambda: f"Mira: {SECRET}" in embedder.embedded)

        assert lineage
        assert len(embedder.embedded) == len(set(embedder.embedded))


async def _recall(bridge, lineage, *, in_context_from=1500, context_tokens=None):
    return await bridge.recall(
        commands.ChatRecall(
            lineage=lineage,
            text="With which word does the vault open?",
            early=True,
            in_context_from=in_context_from,
            context_tokens=context_tokens,
        )
    )


def _notices(events) -> list[str]:
    found, number = [], 0
    while (event := events.after(number)) is not None:
        number = event.number
        if event.name == "notice":
            found.append(orjson.loads(event.data)["notice"]["code"])
    return found

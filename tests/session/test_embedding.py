"""Vectors come behind the replies; words and the vectors there are serve meanwhile."""

from __future__ import annotations

import asyncio

import orjson

from session.chats import PacedEmbedder, jobs, tools_in, until
from st_bme.ports import VectorSpace
from st_bme.read.query import QueryPart
from st_bme.session import embedding
from st_bme.session.embedding import EmbeddingQueue

TEXTS = [f"the ferry bell rings on day {day}" for day in range(200)]
ASKED = (QueryPart("user", "which day does the bell ring?", 1.0),)


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


async def test_vectors_are_the_same_after_a_restart(tmp_path):
    found = []
    for _ in range(2):
        async with tools_in(tmp_path, PacedEmbedder()) as tools:
            queue = queue_of(tools)
            queue.wake()
            await until(lambda queue=queue: queue.is_idle)
            found.append([queue.vector_of(text).tolist() for text in TEXTS])

    assert found[0] == found[1]


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


async def test_without_a_model_the_words_are_indexed_all_the_same(tmp_path):
    asked = []

    async def texts():
        asked.append(True)
        return TEXTS

    async with tools_in(tmp_path, PacedEmbedder()) as tools:
        tools.models.embedder = None
        queue = embedding.EmbeddingQueue("line", tools, texts)
        queue.wake()
        await until(lambda: queue.is_idle)

    assert asked == [True]


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


def _notices(events) -> list[str]:
    found, number = [], 0
    while (event := events.after(number)) is not None:
        number = event.number
        if event.name == "notice":
            found.append(orjson.loads(event.data)["notice"]["code"])
    return found


async def test_new_vectors_are_made_of_everything_while_the_old_ones_serve(tmp_path):
    embedder = PacedEmbedder()
    async with tools_in(tmp_path, embedder) as tools:
        queue = queue_of(tools)
        queue.wake()
        await until(lambda: queue.is_idle)
        before = (await queue.meaning(ASKED)).table
        asked = len(embedder.asked)
        embedder.go_on.clear()
        queue.renew()
        await until(lambda: len(embedder.asked) > asked)
        during = (await queue.meaning(ASKED)).table
        embedder.go_on.set()
        await until(lambda: queue.is_idle)
        after = (await queue.meaning(ASKED)).table

        assert during is before
        assert after is not before
        assert len(after) == len(TEXTS)
        assert embedder.embedded == [*TEXTS, *TEXTS]


async def test_new_vectors_that_are_asked_for_while_some_are_made_are_made_afterwards(tmp_path):
    embedder = PacedEmbedder()
    embedder.pause_at = 2
    async with tools_in(tmp_path, embedder) as tools:
        queue = queue_of(tools)
        queue.wake()
        await until(lambda: len(embedder.asked) == 2)
        queue.renew()
        embedder.go_on.set()
        await until(lambda: queue.is_idle)

        assert embedder.embedded == [*TEXTS, *TEXTS]


async def test_new_vectors_go_on_where_the_model_failed(tmp_path, monkeypatch):
    monkeypatch.setattr(embedding, "FIRST_RETRY_S", 0.02)
    embedder = PacedEmbedder()
    async with tools_in(tmp_path, embedder) as tools:
        queue = queue_of(tools)
        queue.wake()
        await until(lambda: queue.is_idle)
        embedder.failures = 1
        queue.renew()
        await until(lambda: queue.is_idle)

        assert embedder.embedded == [*TEXTS, *TEXTS[: embedding.BATCH_TEXTS], *TEXTS]

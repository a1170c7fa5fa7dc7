"""A model chooses among what a recall found, and a reroll keeps the choice."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from session.chats import PacedEmbedder, bridge_in, jobs, open_chat, published, until
from st_bme.errors import ModelFailed
from st_bme.protocol import commands
from st_bme.session.reranking import needs_judgement

PEOPLE = ("Mira", "Olaf", "Petra", "Quentin", "Rosa", "Sven")
CHAT = [
    text
    for person in PEOPLE
    for text in (f"{person} lives in the tower of Arkenfall.", f"I nod. The tower of Arkenfall belongs to {person}.")
]
QUESTION = "Who lives in the tower of Arkenfall?"


class PickingReranker:
    """Keeps the last texts it is shown, last first, after `delay_s`; fails while `failures` are left."""

    name = "picking"

    def __init__(self, *, keep: int = 2, delay_s: float = 0.0, failures: int = 0) -> None:
        self.keep, self.delay_s, self.failures = keep, delay_s, failures
        self.asked: list[tuple[str, tuple[str, ...], int]] = []

    async def rerank(self, query: str, texts: Sequence[str], *, most: int, timeout_s: float) -> Sequence[int]:
        self.asked.append((query, tuple(texts), most))
        await asyncio.sleep(self.delay_s)
        if self.failures:
            self.failures -= 1
            raise ModelFailed("the endpoint is down")
        return list(reversed(range(len(texts))))[: min(self.keep, most)]


async def _opened(bridge, **settings: bool | int | str) -> str:
    lineage = await open_chat(bridge, CHAT, recallEnableLLM=True, enablePassages=False, **settings)
    await bridge.extract(commands.ChatExtract(lineage=lineage))
    return lineage


async def _recall(bridge, lineage: str, generation="normal", **more):
    ask = commands.ChatRecall(lineage=lineage, text=QUESTION, in_context_from=len(CHAT), generation=generation, **more)
    return await bridge.recall(ask)


def _recalled(answer) -> list[str]:
    return [item.text for item in answer.items if item.section != "core" and item.reason != "scene"]


async def test_what_the_model_chose_is_recalled(tmp_path):
    reranker = PickingReranker()
    async with bridge_in(tmp_path, reranker=reranker) as (bridge, _):
        lineage = await _opened(bridge)

        answer = await _recall(bridge, lineage)

    query, texts, most = reranker.asked[0]
    assert query.endswith(QUESTION)
    assert most == 8
    assert len(texts) > 2
    assert set(_recalled(answer)) == set(texts[-2:])
    assert answer.degraded == []


def test_a_model_is_asked_below_20_and_above_200_memories():
    assert [count for count in (0, 19, 20, 200, 201, 5_000) if needs_judgement(count)] == [0, 19, 201, 5_000]


async def test_a_model_that_fails_leaves_the_order_that_was_found(tmp_path):
    async with bridge_in(tmp_path, reranker=PickingReranker(failures=2)) as (bridge, events):
        lineage = await _opened(bridge)
        failed = await _recall(bridge, lineage)
        await _recall(bridge, lineage)
        notices = [data["notice"] for data in published(events, "notice") if data["notice"]["code"] == "model_failed"]
        chosen = await _recall(bridge, lineage)
        await bridge.settings_set(commands.SettingsSet(values={"recallEnableLLM": False}))
        plain = await _recall(bridge, lineage)

    assert failed.degraded == ["rerank"]
    assert _recalled(failed) == _recalled(plain) != []
    assert [notice["data"]["task"] for notice in notices] == ["rerank"]
    assert len(_recalled(chosen)) == 2


async def test_a_model_that_is_late_is_not_waited_for(tmp_path):
    async with bridge_in(tmp_path, reranker=PickingReranker(delay_s=30)) as (bridge, _):
        lineage = await _opened(bridge, recallLLMTimeoutS=1)
        started = asyncio.get_running_loop().time()

        answer = await _recall(bridge, lineage)

        assert asyncio.get_running_loop().time() - started < 5
    assert answer.degraded == ["rerank"]
    assert _recalled(answer)


async def test_a_recall_that_began_early_has_the_choice_ready(tmp_path):
    reranker = PickingReranker()
    async with bridge_in(tmp_path, reranker=reranker) as (bridge, _):
        lineage = await _opened(bridge)

        early = await _recall(bridge, lineage, early=True)
        answer = await _recall(bridge, lineage, early=True)

    assert len(reranker.asked) == 1
    assert early.text == answer.text


@pytest.mark.parametrize("generation", ["swipe", "regenerate"])
async def test_a_reroll_recalls_the_same_and_asks_no_model(tmp_path, generation):
    reranker, embedder = PickingReranker(), PacedEmbedder()
    async with bridge_in(tmp_path, embedder, reranker=reranker) as (bridge, events):
        lineage = await _opened(bridge, embeddingModel="paced")
        await until(lambda: (jobs(events, "embedding") or [{}])[-1].get("state") == "done")
        first = await _recall(bridge, lineage)
        reranker.keep = 1

        rerolls = [await _recall(bridge, lineage, generation) for _ in range(5)]

    assert {reroll.text for reroll in rerolls} == {first.text}
    assert len(reranker.asked) == 1
    assert len(embedder.queries) == 1


async def test_a_reroll_follows_what_the_user_changed(tmp_path):
    async with bridge_in(tmp_path, reranker=PickingReranker()) as (bridge, _):
        lineage = await _opened(bridge)
        first = await _recall(bridge, lineage)
        for item in first.items:
            await bridge.graph_archive(commands.GraphArchive(lineage=lineage, node=item.node_id, archived=True))

        again = await _recall(bridge, lineage, "swipe")

    assert not {item.node_id for item in first.items} & {item.node_id for item in again.items}

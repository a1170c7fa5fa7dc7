"""Rerankers: a `/rerank` endpoint over a real socket, and a chat model from a script."""

import orjson
import pytest

from adapters.endpoints import answering
from st_bme.adapters.chat_reranker import ChatReranker
from st_bme.adapters.endpoint_reranker import EndpointReranker
from st_bme.adapters.key_ring import EndpointKeys
from st_bme.adapters.openai_client import OutgoingLimits
from st_bme.adapters.testing import ScriptedChatModel
from st_bme.errors import AnswerUnusable

TEXTS = ("The key is silver.", "It rains.", "The vault is locked.")


async def _from_endpoint(results: object, *, most: int = 2) -> list[int]:
    async with answering(orjson.dumps({"results": results})) as endpoint:
        reranker = EndpointReranker("rerank-1", endpoint, EndpointKeys(endpoint.origin, ()), OutgoingLimits())
        try:
            return list(await reranker.rerank("Where is the key?", TEXTS, most=most, timeout_s=10))
        finally:
            await reranker.close()


@pytest.mark.parametrize("score", ["relevance_score", "score"])
async def test_an_endpoint_ranks_by_its_scores(score):
    results = [{"index": 1, score: 0.1}, {"index": 2, score: 0.7}, {"index": 0, score: 0.9}]

    assert await _from_endpoint(results) == [0, 2]


@pytest.mark.parametrize(
    "results",
    [
        [{"index": 3, "score": 1.0}],
        [{"index": 0, "score": 1.0}, {"index": 0, "score": 0.5}],
        [{"index": -1, "score": 1.0}],
        [{"index": 0}],
        "none",
    ],
    ids=["unknown", "twice", "negative", "no-score", "no-list"],
)
async def test_a_ranking_that_is_none_is_an_error(results):
    with pytest.raises(AnswerUnusable):
        await _from_endpoint(results)


@pytest.mark.parametrize(
    ("answer", "chosen"),
    [
        ('{"selected": [3, 1]}', [2, 0]),
        ('<think>Maybe [2]?</think>```json\n{"selected": [3, 3, 9, 1, 2]}\n```', [2, 0]),
        ('{"selected": []}', []),
    ],
    ids=["plain", "wrapped", "none-helps"],
)
async def test_a_chat_model_names_the_numbers_of_memories(answer, chosen):
    model = ScriptedChatModel([answer])

    assert await ChatReranker(model).rerank("Where is the key?", TEXTS, most=2, timeout_s=10) == chosen

    prompt = model.prompts[0]
    assert "1. The key is silver.\n2. It rains.\n3. The vault is locked." in prompt.user
    assert prompt.user.endswith("Where is the key?")
    assert prompt.is_urgent


@pytest.mark.parametrize("answer", ["I cannot choose.", '{"selected": [7]}', '{"selected": "all"}', "[1, 2]"])
async def test_an_answer_without_known_numbers_is_an_error(answer):
    with pytest.raises(AnswerUnusable):
        await ChatReranker(ScriptedChatModel([answer])).rerank("Where?", TEXTS, most=2, timeout_s=10)


async def test_a_chinese_chat_is_asked_in_chinese():
    model = ScriptedChatModel(['{"selected": []}'])

    await ChatReranker(model).rerank("钥匙在哪里？", TEXTS, most=2, timeout_s=10)

    assert "记忆编号" in model.prompts[0].system

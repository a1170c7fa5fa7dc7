"""The scripted endpoint, spoken to over HTTP as SillyTavern and the official client do."""

import asyncio
import math
import time
from collections.abc import AsyncIterator

import aiohttp
import openai
import pytest
import pytest_asyncio

from st_bme.adapters.scripted_endpoint import RecordedRequest, ScriptedEndpoint, ScriptedReply


@pytest_asyncio.fixture
async def endpoint() -> AsyncIterator[ScriptedEndpoint]:
    endpoint = ScriptedEndpoint()
    await endpoint.start()
    yield endpoint
    await endpoint.stop()


@pytest_asyncio.fixture
async def client(endpoint: ScriptedEndpoint) -> AsyncIterator[openai.AsyncOpenAI]:
    async with openai.AsyncOpenAI(api_key="none", base_url=f"{endpoint.url}/v1", max_retries=0) as client:
        yield client


async def test_chat_completion_takes_the_next_queued_reply(
    endpoint: ScriptedEndpoint, client: openai.AsyncOpenAI
) -> None:
    endpoint.enqueue("First.", "Second.")

    answers = [await client.chat.completions.create(model="m", messages=[_ask("Hi")]) for _ in range(2)]

    assert [answer.choices[0].message.content for answer in answers] == ["First.", "Second."]
    usage = answers[0].usage
    assert usage is not None
    assert (usage.prompt_tokens, usage.completion_tokens, usage.total_tokens) == (1, 1, 2)


async def test_streamed_pieces_join_to_the_reply_with_usage_when_asked(
    endpoint: ScriptedEndpoint, client: openai.AsyncOpenAI
) -> None:
    text = "The lighthouse keeper  counts ships. 灯塔看守人在数船只和海鸥。"
    endpoint.enqueue(text)

    stream = await client.chat.completions.create(
        model="m", messages=[_ask("Hi")], stream=True, stream_options={"include_usage": True}
    )
    chunks = [chunk async for chunk in stream]

    pieces = [chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices]
    assert "".join(pieces) == text
    assert len([piece for piece in pieces if piece]) > 5
    assert [chunk.usage is not None for chunk in chunks] == [False] * (len(chunks) - 1) + [True]


async def test_text_completion_answers_streamed_and_whole(
    endpoint: ScriptedEndpoint, client: openai.AsyncOpenAI
) -> None:
    endpoint.enqueue("Whole text.", "Streamed text.")

    whole = await client.completions.create(model="m", prompt="Once")
    stream = await client.completions.create(model="m", prompt="Once", stream=True)
    streamed = "".join([chunk.choices[0].text async for chunk in stream])

    assert whole.choices[0].text == "Whole text."
    assert streamed == "Streamed text."
    assert [request.prompt for request in endpoint.requests] == ["Once", "Once"]


async def test_script_sees_the_request_and_decides_the_reply(
    endpoint: ScriptedEndpoint, client: openai.AsyncOpenAI
) -> None:
    def echo(request: RecordedRequest) -> ScriptedReply:
        return ScriptedReply(f"{request.kind}: {request.messages[-1][1]}")

    endpoint.script = echo
    answer = await client.chat.completions.create(model="m", messages=[_ask("Where is Mira?")])

    assert answer.choices[0].message.content == "chat: Where is Mira?"


async def test_error_reply_carries_status_headers_and_message(
    endpoint: ScriptedEndpoint, client: openai.AsyncOpenAI
) -> None:
    endpoint.enqueue(ScriptedReply("slow down", status=429, headers={"Retry-After": "7"}))

    with pytest.raises(openai.RateLimitError) as caught:
        await client.chat.completions.create(model="m", messages=[_ask("Hi")])

    assert caught.value.response.headers["Retry-After"] == "7"
    assert "slow down" in str(caught.value)


async def test_delay_comes_before_the_first_byte(endpoint: ScriptedEndpoint, client: openai.AsyncOpenAI) -> None:
    endpoint.enqueue(ScriptedReply("Late.", delay_s=0.2))
    started = time.monotonic()

    await client.chat.completions.create(model="m", messages=[_ask("Hi")])

    assert time.monotonic() - started >= 0.2


async def test_requests_keep_path_headers_body_and_time(endpoint: ScriptedEndpoint) -> None:
    before = time.monotonic()
    async with aiohttp.ClientSession() as session:
        async with session.get(f"{endpoint.url}/v1/models") as response:
            models = await response.json()
        payload = {"messages": [{"role": "system", "content": "Be brief."}], "temperature": 0.25}
        await session.post(f"{endpoint.url}/v1/chat/completions", json=payload, headers={"X-Probe": "yes"})

    listed, completed = endpoint.requests
    assert [model["id"] for model in models["data"]] == ["scripted-model"]
    assert (listed.path, listed.kind) == ("/v1/models", None)
    assert (completed.path, completed.kind) == ("/v1/chat/completions", "chat")
    assert completed.headers["X-Probe"] == "yes"
    assert completed.body["temperature"] == 0.25
    assert completed.messages == [("system", "Be brief.")]
    assert before <= listed.received_at_s <= completed.received_at_s <= time.monotonic()


async def test_embeddings_are_unit_vectors_near_each_other_for_shared_words(
    endpoint: ScriptedEndpoint, client: openai.AsyncOpenAI
) -> None:
    texts = ["the red lantern on the pier", "a red lantern near the pier", "quarterly tax forms"]

    answer = await client.embeddings.create(model="m", input=texts)
    again = await client.embeddings.create(model="m", input=texts[0], encoding_format="float")

    first, second, third = (row.embedding for row in answer.data)
    assert len(first) == 64
    assert math.hypot(*first) == pytest.approx(1.0, abs=1e-6)
    assert again.data[0].embedding == pytest.approx(first, abs=1e-6)
    assert _dot(first, second) > 0.5 > _dot(first, third)


async def test_embeddings_fail_when_the_script_says_so(endpoint: ScriptedEndpoint, client: openai.AsyncOpenAI) -> None:
    endpoint.script = lambda request: ScriptedReply("no such model", status=404)

    with pytest.raises(openai.NotFoundError, match="no such model"):
        await client.embeddings.create(model="m", input="text")


async def test_reset_forgets_requests_queue_and_script(endpoint: ScriptedEndpoint, client: openai.AsyncOpenAI) -> None:
    endpoint.script = lambda request: ScriptedReply("Old script.")
    endpoint.enqueue("Old queue.")
    await client.embeddings.create(model="m", input="text")

    endpoint.reset()

    assert endpoint.requests == []
    answer = await client.chat.completions.create(model="m", messages=[_ask("Hi")])
    assert answer.choices[0].message.content == "Scripted reply number 1."


async def test_stop_ends_a_reply_that_is_still_streaming(endpoint: ScriptedEndpoint) -> None:
    endpoint.enqueue(ScriptedReply("word " * 1000, token_delay_s=0.05))
    async with aiohttp.ClientSession() as session:
        response = await session.post(f"{endpoint.url}/v1/completions", json={"prompt": "Go", "stream": True})
        await response.content.readline()

        await asyncio.wait_for(endpoint.stop(), timeout=2)

        with pytest.raises(aiohttp.ClientError):
            await response.read()


def _ask(text: str) -> openai.types.chat.ChatCompletionUserMessageParam:
    return {"role": "user", "content": text}


def _dot(left: list[float], right: list[float]) -> float:
    return sum(a * b for a, b in zip(left, right, strict=True))


async def test_the_last_of_the_texts_to_rank_is_the_best(endpoint: ScriptedEndpoint) -> None:
    body = {"model": "m", "query": "Which?", "documents": ["one", "two", "three"]}

    async with aiohttp.ClientSession() as http, http.post(f"{endpoint.url}/v1/rerank", json=body) as answer:
        results = (await answer.json())["results"]

    assert max(results, key=lambda result: result["relevance_score"])["index"] == 2
    assert [request.kind for request in endpoint.requests] == ["rerank"]

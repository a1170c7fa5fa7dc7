"""Embeddings over real sockets."""

from collections.abc import AsyncIterator

import numpy as np
import orjson
import pytest
import pytest_asyncio

from adapters.endpoints import KEY, answering, scripted
from st_bme.adapters.endpoint import Endpoint, parse_endpoint
from st_bme.adapters.key_ring import EndpointKeys
from st_bme.adapters.openai_embeddings import BATCH_TEXTS, OpenAiEmbedder
from st_bme.adapters.scripted_endpoint import ScriptedEndpoint
from st_bme.errors import AnswerUnusable


@pytest_asyncio.fixture
async def endpoint() -> AsyncIterator[ScriptedEndpoint]:
    async with scripted() as endpoint:
        yield endpoint


def _embedder(endpoint: Endpoint, *keys: str) -> OpenAiEmbedder:
    return OpenAiEmbedder("text-embedding-3-small", endpoint, EndpointKeys(endpoint.origin, keys))


def _answer(*rows: tuple[int, list[float]]) -> bytes:
    return orjson.dumps({"data": [{"index": index, "embedding": vector} for index, vector in rows]})


async def test_texts_become_unit_vectors_in_their_order(endpoint: ScriptedEndpoint):
    embedder = _embedder(parse_endpoint(endpoint.url), KEY)
    assert embedder.dimension == 0

    vectors = await embedder.embed(["the silver key", "a storm at sea", "the key is silver"])
    await embedder.close()

    assert (vectors.shape, vectors.dtype) == ((3, 64), np.float32)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)
    assert vectors[0] @ vectors[2] > vectors[0] @ vectors[1]
    assert embedder.dimension == 64
    assert embedder.name == f"text-embedding-3-small@{endpoint.url.removeprefix('http://')}"
    assert endpoint.requests[0].headers["Authorization"] == f"Bearer {KEY}"


async def test_many_texts_are_sent_in_batches(endpoint: ScriptedEndpoint):
    embedder = _embedder(parse_endpoint(endpoint.url))

    vectors = await embedder.embed([f"text {number}" for number in range(2 * BATCH_TEXTS + 1)])
    alone = await embedder.embed([f"text {2 * BATCH_TEXTS}"])
    await embedder.close()

    sizes = [len(texts) for request in endpoint.requests if isinstance(texts := request.body["input"], list)]
    assert sizes == [BATCH_TEXTS, BATCH_TEXTS, 1, 1]
    np.testing.assert_array_equal(vectors[-1:], alone)


async def test_no_text_is_no_call(endpoint: ScriptedEndpoint):
    embedder = _embedder(parse_endpoint(endpoint.url))

    assert (await embedder.embed([])).shape == (0, 0)

    await embedder.close()
    assert endpoint.requests == []


async def test_a_blank_text_is_sent_as_something(endpoint: ScriptedEndpoint):
    embedder = _embedder(parse_endpoint(endpoint.url))

    assert (await embedder.embed(["  "])).shape == (1, 64)

    await embedder.close()
    assert endpoint.requests[0].body["input"] == ["-"]


async def test_rows_in_another_order_are_put_in_order():
    async with answering(_answer((1, [0.0, 2.0]), (0, [3.0, 4.0]))) as endpoint:
        embedder = _embedder(endpoint)
        vectors = await embedder.embed(["a", "b"])
        await embedder.close()

    np.testing.assert_allclose(vectors, [[0.6, 0.8], [0.0, 1.0]], atol=1e-6)


async def test_a_vector_without_direction_does_not_cost_the_others():
    async with answering(_answer((0, [0.0, 0.0]), (1, [0.0, 2.0]))) as endpoint:
        embedder = _embedder(endpoint)
        vectors = await embedder.embed(["a", "b"])
        await embedder.close()

    assert vectors.tolist() == [[0.0, 0.0], [0.0, 1.0]]


@pytest.mark.parametrize(
    "body",
    [
        b"<html></html>",
        b'{"data": []}',
        _answer((0, [1.0, 0.0])),
        _answer((0, [1.0, 0.0]), (0, [0.0, 1.0])),
        _answer((0, [1.0, 0.0]), (1, [1.0])),
        _answer((0, []), (1, [])),
        b'{"data": [{"index": 0, "embedding": [1e300, 1]}, {"index": 1, "embedding": [1, 1]}]}',
    ],
    ids=["a page", "nothing", "one too few", "one twice", "two lengths", "empty", "too large"],
)
async def test_what_are_no_vectors_for_the_texts_is_refused(body: bytes):
    async with answering(body) as endpoint:
        embedder = _embedder(endpoint)
        with pytest.raises(AnswerUnusable):
            await embedder.embed(["a", "b"])
        await embedder.close()

    assert embedder.dimension == 0


async def test_vectors_of_another_length_than_before_are_refused(endpoint: ScriptedEndpoint):
    embedder = _embedder(parse_endpoint(endpoint.url))
    await embedder.embed(["a"])
    endpoint.dimensions = 32

    with pytest.raises(AnswerUnusable, match="32 numbers, before of 64"):
        await embedder.embed(["b"])

    await embedder.close()
    assert embedder.dimension == 64

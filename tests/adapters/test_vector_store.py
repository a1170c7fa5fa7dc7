"""Vectors on the disk."""

import os
import sqlite3
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import numpy as np
import pytest
import pytest_asyncio
from numpy.typing import NDArray

from st_bme.adapters import vector_store
from st_bme.adapters.vector_store import SqliteVectorStore
from st_bme.ports import VectorSpace

SPACE = VectorSpace("model", 8)
SERVER = Path(vector_store.__file__).resolve().parents[2]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / vector_store.FILE_NAME


@pytest_asyncio.fixture
async def store(path: Path) -> AsyncIterator[SqliteVectorStore]:
    store = SqliteVectorStore(path)
    await store.open()
    yield store
    await store.close()


def _vectors(count: int, dimension: int = 8, seed: int = 0) -> NDArray[np.float32]:
    vectors = np.random.default_rng(seed).standard_normal((count, dimension)).astype(np.float32)
    unit: NDArray[np.float32] = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return unit


def _write(path: Path, content: bytes) -> None:
    path.write_bytes(content)


def _damage(path: Path) -> None:
    """The first pages stay, so that the file opens."""
    content = bytearray(path.read_bytes())
    content[40_000:] = b"\xff" * (len(content) - 40_000)
    path.write_bytes(content)


async def test_what_was_put_is_found_in_the_order_asked_for(store: SqliteVectorStore):
    vectors = _vectors(3)
    await store.put(SPACE, ["a", "b", "c"], vectors)

    found = await store.get(SPACE, ["c", "unknown", "a", "c"])

    assert found.positions.tolist() == [0, 2, 3]
    assert found.vectors.dtype == np.float32
    np.testing.assert_allclose(found.vectors, vectors[[2, 0, 2]], atol=1e-3)


async def test_thousands_are_found_at_once(store: SqliteVectorStore):
    texts = [f"text {number}" for number in range(2100)]
    vectors = _vectors(2100)
    await store.put(SPACE, texts, vectors)

    found = await store.get(SPACE, texts)

    assert found.positions.tolist() == list(range(2100))
    np.testing.assert_allclose(found.vectors, vectors, atol=1e-3)


@pytest.mark.parametrize("other", [VectorSpace("other", 8), VectorSpace("model", 4)], ids=["model", "dimension"])
async def test_spaces_are_never_mixed(store: SqliteVectorStore, other: VectorSpace):
    theirs = _vectors(1, other.dimension, seed=1)
    await store.put(SPACE, ["a"], _vectors(1))
    assert (await store.get(other, ["a"])).vectors.shape == (0, other.dimension)

    await store.put(other, ["a"], theirs)

    np.testing.assert_allclose((await store.get(other, ["a"])).vectors, theirs, atol=1e-3)
    np.testing.assert_allclose((await store.get(SPACE, ["a"])).vectors, _vectors(1), atol=1e-3)
    assert await store.count() == {SPACE: 1, other: 1}


@pytest.mark.parametrize("shape", [(1, 8), (2, 4)])
async def test_vectors_of_another_shape_than_promised_are_refused(store: SqliteVectorStore, shape: tuple[int, int]):
    with pytest.raises(ValueError, match="dimension 8"):
        await store.put(SPACE, ["a", "b"], _vectors(*shape))

    assert await store.count() == {}


async def test_a_space_can_be_dropped_and_all_but_some_texts_forgotten(store: SqliteVectorStore):
    old = VectorSpace("old", 8)
    await store.put(old, ["a", "b"], _vectors(2))
    await store.put(SPACE, ["a", "b"], _vectors(2))

    await store.drop(old)
    await store.keep_only(["a", "never seen"])

    assert await store.count() == {SPACE: 1}
    assert (await store.get(SPACE, ["a", "b"])).positions.tolist() == [0]


async def test_texts_themselves_are_not_in_the_file(store: SqliteVectorStore, path: Path):
    await store.put(SPACE, ["Alice hid the silver key."], _vectors(1))

    content = b"".join(file.read_bytes() for file in path.parent.iterdir())
    assert b"model" in content
    assert b"silver" not in content


async def test_a_text_with_half_a_character_is_a_text(store: SqliteVectorStore):
    await store.put(SPACE, ["\ud83d"], _vectors(1))

    assert (await store.get(SPACE, ["\ud83d", "\ufffd"])).positions.tolist() == [0]


WRITER = """
import asyncio, sys, numpy as np
from pathlib import Path
from st_bme.adapters.vector_store import SqliteVectorStore
from st_bme.ports import VectorSpace

async def main():
    store = SqliteVectorStore(Path(sys.argv[1]))
    await store.open()
    for number in range(1_000_000):
        await store.put(VectorSpace("model", 8), [f"text {number}"], np.full((1, 8), 8 ** -0.5, dtype=np.float32))
        print(number, flush=True)

asyncio.run(main())
"""


def _write_until_killed(path: Path, least: int) -> int:
    """The last number that the writer said it had put."""
    environment = {**os.environ, "PYTHONPATH": str(SERVER)}
    with subprocess.Popen([sys.executable, "-c", WRITER, path], env=environment, stdout=subprocess.PIPE) as writer:
        assert writer.stdout is not None
        for _ in range(least):
            writer.stdout.readline()
        writer.kill()
        return max(map(int, writer.stdout.read().splitlines()[:-1]), default=least - 1)


async def test_what_was_put_survives_a_kill(path: Path):
    last = _write_until_killed(path, least=200)

    store = SqliteVectorStore(path)
    await store.open()
    found = await store.get(SPACE, [f"text {number}" for number in range(last + 1)])
    await store.close()

    assert found.positions.tolist() == list(range(last + 1))


@pytest.mark.parametrize("content", [b"no database at all" * 1000, b""], ids=["damaged", "empty"])
async def test_a_file_that_cannot_be_read_is_begun_anew(path: Path, content: bytes):
    _write(path, content)
    store = SqliteVectorStore(path)
    await store.open()

    await store.put(SPACE, ["a"], _vectors(1))

    assert await store.count() == {SPACE: 1}
    await store.close()


async def test_a_file_of_another_version_is_begun_anew(path: Path):
    with sqlite3.connect(path) as database:
        database.execute("PRAGMA user_version=99")
        database.execute("CREATE TABLE vectors (something TEXT)")
    database.close()
    store = SqliteVectorStore(path)
    await store.open()

    await store.put(SPACE, ["a"], _vectors(1))

    assert await store.count() == {SPACE: 1}
    await store.close()


async def test_a_file_damaged_while_open_loses_vectors_and_stops_nothing(path: Path):
    store = SqliteVectorStore(path)
    await store.open()
    texts = [f"text {number}" for number in range(3000)]
    await store.put(SPACE, texts, _vectors(3000))
    await store.close()
    _damage(path)
    store = SqliteVectorStore(path)
    await store.open()

    assert len((await store.get(SPACE, texts)).positions) == 0

    await store.put(SPACE, ["a"], _vectors(1))
    assert (await store.get(SPACE, ["a"])).positions.tolist() == [0]
    await store.close()


async def test_a_file_that_another_program_holds_loses_vectors_and_stops_nothing(path: Path):
    store = SqliteVectorStore(path)
    await store.open()
    await store.put(SPACE, ["a"], _vectors(1))
    store._db.execute("PRAGMA busy_timeout=50")
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")

    await store.put(SPACE, ["b"], _vectors(1))
    other.execute("ROLLBACK")
    other.close()

    assert (await store.get(SPACE, ["a", "b"])).positions.tolist() == [0]
    await store.close()

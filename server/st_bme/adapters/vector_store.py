"""Vectors by text, in a file of their own beside the memories.

Vectors can be made again, memories cannot. In a file of their own they need no slow write to the disk, never keep
the memories' writer waiting, stay out of backups, and a damaged file is thrown away.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from st_bme.ports import FoundVectors, VectorSpace

_T = TypeVar("_T")

_LOGGER = logging.getLogger(__name__)

FILE_NAME = "vectors.sqlite3"
SCHEMA_VERSION = 1
# Vectors of 1 to 3 KB would leave much of a page of 4 KB empty.
_PAGE_BYTES = 16_384
_HASH_BYTES = 16
_ROWS_AT_ONCE = 500
_SCHEMA = """
CREATE TABLE IF NOT EXISTS spaces (
    number INTEGER PRIMARY KEY, model TEXT NOT NULL, dimension INTEGER NOT NULL, UNIQUE (model, dimension)
) STRICT;
CREATE TABLE IF NOT EXISTS vectors (
    space INTEGER NOT NULL, hash BLOB NOT NULL, vector BLOB NOT NULL, UNIQUE (space, hash)
) STRICT;
"""


class SqliteVectorStore:
    """`VectorStore` on a file. All calls run on one thread, in the order in which they were made."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="vectors")
        self._db: sqlite3.Connection

    async def open(self) -> None:
        """Open the file; one that cannot be read, or is of another version, is begun anew."""
        await self._run(self._open)

    async def get(self, space: VectorSpace, texts: Sequence[str]) -> FoundVectors:
        nothing = FoundVectors(np.empty(0, dtype=np.intp), np.empty((0, space.dimension), dtype=np.float32))
        return await self._run(lambda: self._kept(lambda: self._get(space, texts), lost=nothing))

    async def put(self, space: VectorSpace, texts: Sequence[str], vectors: NDArray[np.float32]) -> None:
        if vectors.shape != (len(texts), space.dimension):
            raise ValueError(f"{vectors.shape} vectors for {len(texts)} texts of dimension {space.dimension}")
        await self._run(lambda: self._kept(lambda: self._put(space, texts, vectors), lost=None))

    async def count(self) -> Mapping[VectorSpace, int]:
        """How many vectors there are, by space."""
        nothing: dict[VectorSpace, int] = {}
        return await self._run(lambda: self._kept(self._count, lost=nothing))

    async def drop(self, space: VectorSpace) -> None:
        await self._run(lambda: self._kept(lambda: self._drop(space), lost=None))

    async def keep_only(self, texts: Sequence[str]) -> None:
        """Remove the vectors of all other texts from every space: a text can be guessed from its vector."""
        await self._run(lambda: self._kept(lambda: self._keep_only(texts), lost=None))

    async def close(self) -> None:
        await self._run(self._db.close)
        self._thread.shutdown()

    async def _run(self, work: Callable[[], _T]) -> _T:
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)

    def _open(self) -> None:
        try:
            self._db = _connect(self._path)
        except sqlite3.OperationalError:
            raise  # the disk or the folder: nothing is wrong with the file
        except sqlite3.DatabaseError as error:
            self._begin_anew(error)

    def _begin_anew(self, reason: Exception) -> None:
        _LOGGER.warning("%s is begun anew, and its vectors are made again: %s", self._path.name, reason)
        for suffix in ("", "-wal", "-shm"):
            self._path.with_name(self._path.name + suffix).unlink(missing_ok=True)
        self._db = _connect(self._path)

    def _kept(self, work: Callable[[], _T], *, lost: _T) -> _T:
        """What `work` gives, or `lost` where the file fails: no recall and no indexing stops for lack of it."""
        try:
            try:
                return work()
            except sqlite3.OperationalError:
                raise
            except sqlite3.DatabaseError as error:
                self._db.close()
                self._begin_anew(error)
                return work()
        except sqlite3.OperationalError as error:
            _LOGGER.warning("%s cannot be used now: %s", self._path.name, error)
            return lost

    def _count(self) -> Mapping[VectorSpace, int]:
        query = "SELECT model, dimension, count(hash) FROM spaces LEFT JOIN vectors ON space = number GROUP BY number"
        return {VectorSpace(model, dimension): rows for model, dimension, rows in self._db.execute(query)}

    def _number(self, space: VectorSpace) -> int | None:
        query = "SELECT number FROM spaces WHERE model = ? AND dimension = ?"
        row = self._db.execute(query, (space.model, space.dimension)).fetchone()
        return None if row is None else int(row[0])

    def _get(self, space: VectorSpace, texts: Sequence[str]) -> FoundVectors:
        number = self._number(space)
        wanted: dict[bytes, list[int]] = {}
        for position, text in enumerate(texts):
            wanted.setdefault(_hash(text), []).append(position)
        positions: list[int] = []
        blobs: list[bytes] = []
        for part in _parts(list(wanted)) if number is not None else ():
            marks = ",".join("?" * len(part))
            query = f"SELECT hash, vector FROM vectors WHERE space = ? AND hash IN ({marks})"  # noqa: S608 - marks only
            for digest, blob in self._db.execute(query, (number, *part)):
                positions += wanted[digest]
                blobs += [blob] * len(wanted[digest])
        vectors = np.frombuffer(b"".join(blobs), dtype="<f2").reshape(len(blobs), space.dimension)
        order = np.argsort(np.array(positions, dtype=np.intp))
        return FoundVectors(np.array(positions, dtype=np.intp)[order], vectors[order].astype(np.float32))

    def _put(self, space: VectorSpace, texts: Sequence[str], vectors: NDArray[np.float32]) -> None:
        halves = vectors.astype("<f2")
        with self._db:
            self._db.execute("INSERT OR IGNORE INTO spaces (model, dimension) VALUES (?, ?)", _pair(space))
            number = self._number(space)
            self._db.executemany(
                "INSERT OR REPLACE INTO vectors (space, hash, vector) VALUES (?, ?, ?)",
                ((number, _hash(text), half.tobytes()) for text, half in zip(texts, halves, strict=True)),
            )

    def _drop(self, space: VectorSpace) -> None:
        number = self._number(space)
        with self._db:
            self._db.execute("DELETE FROM vectors WHERE space = ?", (number,))
            self._db.execute("DELETE FROM spaces WHERE number = ?", (number,))

    def _keep_only(self, texts: Sequence[str]) -> None:
        self._db.execute("PRAGMA secure_delete=ON")
        with self._db:
            self._db.execute("CREATE TEMP TABLE kept (hash BLOB PRIMARY KEY)")
            self._db.executemany("INSERT OR IGNORE INTO kept VALUES (?)", [(_hash(text),) for text in texts])
            self._db.execute("DELETE FROM vectors WHERE hash NOT IN (SELECT hash FROM kept)")
            self._db.execute("DROP TABLE kept")
        self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _connect(path: Path) -> sqlite3.Connection:
    """Raises: sqlite3.DatabaseError: the file cannot be read or is of another version."""
    database = sqlite3.connect(path, check_same_thread=False)
    try:
        _prepare(database)
    except BaseException:
        database.close()
        raise
    return database


def _prepare(database: sqlite3.Connection) -> None:
    database.execute(f"PRAGMA page_size={_PAGE_BYTES}")
    database.execute("PRAGMA journal_mode=WAL")
    # After a power cut the last vectors may be missing, never wrong.
    database.execute("PRAGMA synchronous=NORMAL")
    version: int = database.execute("PRAGMA user_version").fetchone()[0]
    if version not in (0, SCHEMA_VERSION):
        raise sqlite3.DatabaseError(f"version {version}")
    database.executescript(_SCHEMA)
    database.execute(f"PRAGMA user_version={SCHEMA_VERSION}")


def _pair(space: VectorSpace) -> tuple[str, int]:
    return space.model, space.dimension


def _hash(text: str) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=_HASH_BYTES).digest()


def _parts(hashes: Sequence[bytes]) -> Iterator[Sequence[bytes]]:
    for start in range(0, len(hashes), _ROWS_AT_ONCE):
        yield hashes[start : start + _ROWS_AT_ONCE]

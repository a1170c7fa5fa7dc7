"""The durable store: one SQLite file, one writer thread, every commit on the disk before it is acknowledged."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

from st_bme.errors import CorruptState
from st_bme.model.usage import Spent, UsageRow
from st_bme.ports import ChatName, Commit, SetAside, StoredChat, StoredList, StoredRecord, StoredText

_LOGGER = logging.getLogger(__name__)

_T = TypeVar("_T")

SCHEMA_VERSION = 2
_SCHEMA = """
CREATE TABLE IF NOT EXISTS chats (
    lineage TEXT PRIMARY KEY, name TEXT NOT NULL, owner TEXT NOT NULL, rev INTEGER NOT NULL DEFAULT 0,
    slots BLOB NOT NULL DEFAULT x'5b5d', side BLOB NOT NULL DEFAULT x'7b7d', copy TEXT NOT NULL DEFAULT '',
    written INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX IF NOT EXISTS chats_by_name ON chats (owner, name);
CREATE TABLE IF NOT EXISTS records (
    lineage TEXT NOT NULL, id TEXT NOT NULL, n INTEGER NOT NULL, body BLOB NOT NULL, PRIMARY KEY (lineage, id)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS commits (
    lineage TEXT NOT NULL, rev INTEGER NOT NULL, head TEXT NOT NULL, PRIMARY KEY (lineage, rev)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS texts (
    lineage TEXT NOT NULL, key TEXT NOT NULL, cleaned TEXT NOT NULL, text TEXT NOT NULL, PRIMARY KEY (lineage, key)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS aliases (
    lineage TEXT NOT NULL, raw TEXT NOT NULL, key TEXT NOT NULL, PRIMARY KEY (lineage, raw)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS purged (
    lineage TEXT NOT NULL, id TEXT NOT NULL, PRIMARY KEY (lineage, id)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS usage (
    day TEXT NOT NULL, lineage TEXT NOT NULL, task TEXT NOT NULL, calls INTEGER NOT NULL,
    prompt_tokens INTEGER NOT NULL, answer_tokens INTEGER NOT NULL, PRIMARY KEY (day, lineage, task)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS set_aside (
    number INTEGER PRIMARY KEY, time_ms INTEGER NOT NULL, reason TEXT NOT NULL, body BLOB NOT NULL
) STRICT;
"""
_SECOND_SCHEMA = """
BEGIN;
ALTER TABLE chats ADD COLUMN written INTEGER NOT NULL DEFAULT 0;
UPDATE chats SET written = (SELECT count(*) FROM records WHERE records.lineage = chats.lineage);
PRAGMA user_version=2;
COMMIT;
"""


def _prepare(connection: sqlite3.Connection) -> int:
    """Set the file up, unless a newer program did; returns the version that it had."""
    version: int = connection.execute("PRAGMA user_version").fetchone()[0]
    if version <= SCHEMA_VERSION:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=FULL")
        if version == 1:
            connection.executescript(_SECOND_SCHEMA)
        connection.executescript(_SCHEMA)
        connection.execute(f"PRAGMA user_version={SCHEMA_VERSION}")
    return version


class SqliteStore:
    """`Store` on a file. All calls run on one thread, in the order in which they were made."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="store")
        self._connection: sqlite3.Connection | None = None

    async def open(self) -> None:
        """Open the file and bring it to the current schema.

        Raises CorruptState for a file that is no database or one of a newer program; it is left as it is.
        """
        await self._run(self._open)

    def _open(self) -> None:
        if self._path.exists() and self._path.stat().st_size == 0:
            _LOGGER.warning("%s is empty: what it held is lost; each chat brings back what its file has", self._path)
        connection = sqlite3.connect(self._path, isolation_level=None, check_same_thread=False)
        try:
            version = _prepare(connection)
        except sqlite3.DatabaseError as error:
            connection.close()
            raise self._unreadable(error) from error
        if version > SCHEMA_VERSION:
            connection.close()
            raise CorruptState(f"{self._path} was written by a newer version of this program; update the program")
        self._connection = connection

    def _unreadable(self, error: sqlite3.DatabaseError) -> CorruptState:
        return CorruptState(f"{self._path} cannot be read ({error}); move it away and start again")

    async def _run(self, work: Callable[[], _T]) -> _T:
        """Raises CorruptState where a part of the file turns out to be damaged."""
        try:
            return await asyncio.get_running_loop().run_in_executor(self._thread, work)
        except sqlite3.DatabaseError as error:
            if type(error) is sqlite3.DatabaseError:  # its kinds tell of a full disk, or of a mistake of ours
                raise self._unreadable(error) from error
            raise

    @property
    def _db(self) -> sqlite3.Connection:
        if self._connection is None:
            raise CorruptState(f"{self._path} is not open")
        return self._connection

    async def find(self, chat: ChatName) -> Sequence[str]:
        """Lineages last seen under this name, newest first."""
        query = "SELECT lineage FROM chats WHERE owner = ? AND name = ? ORDER BY rowid DESC"
        return await self._run(lambda: [row[0] for row in self._db.execute(query, (chat.owner, chat.name))])

    async def chats(self) -> Mapping[str, ChatName]:
        """Every chat by its lineage, newest first."""
        query = "SELECT lineage, name, owner FROM chats ORDER BY rowid DESC"
        return await self._run(lambda: {row[0]: ChatName(row[1], row[2]) for row in self._db.execute(query)})

    async def load_list(self, lineage: str) -> StoredList | None:
        return await self._run(lambda: self._load_list(lineage))

    def _load_list(self, lineage: str) -> StoredList | None:
        query = "SELECT name, owner, slots FROM chats WHERE lineage = ?"
        found = self._db.execute(query, (lineage,)).fetchone()
        return None if found is None else StoredList(ChatName(*found[:2]), found[2])

    async def load(self, lineage: str) -> StoredChat | None:
        return await self._run(lambda: self._load(lineage))

    def _load(self, lineage: str) -> StoredChat | None:
        one = (lineage,)
        query = "SELECT name, owner, rev, slots, side, copy, written FROM chats WHERE lineage = ?"
        head = self._db.execute(query, one).fetchone()
        if head is None:
            return None
        name, owner, rev, slots, side, copy, written = head
        records = self._db.execute("SELECT id, n, body FROM records WHERE lineage = ? ORDER BY n, id", one).fetchall()
        texts = self._db.execute("SELECT key, cleaned, text FROM texts WHERE lineage = ?", one)
        aliases = self._db.execute("SELECT raw, key FROM aliases WHERE lineage = ?", one)
        purged = self._db.execute("SELECT id FROM purged WHERE lineage = ?", one)
        return StoredChat(
            lineage=lineage,
            chat=ChatName(name, owner),
            rev=rev,
            slots=slots,
            records=tuple(map(StoredRecord._make, records)),
            texts=tuple(map(StoredText._make, texts)),
            aliases=dict(aliases.fetchall()),
            side=side,
            copy=copy,
            purged=frozenset(row[0] for row in purged),
            missing=max(0, written - len(records)),
        )

    async def create(self, lineage: str, chat: ChatName) -> None:
        query = "INSERT INTO chats (lineage, name, owner) VALUES (?, ?, ?)"
        await self._run(lambda: self._db.execute(query, (lineage, chat.name, chat.owner)))

    async def rename(self, lineage: str, chat: ChatName) -> None:
        query = "UPDATE chats SET name = ?, owner = ? WHERE lineage = ?"
        await self._run(lambda: self._db.execute(query, (chat.name, chat.owner, lineage)))

    async def rename_owner(self, old: str, new: str) -> None:
        query = "UPDATE chats SET owner = ? WHERE owner = ?"
        await self._run(lambda: self._db.execute(query, (new, old)))

    async def write(self, lineage: str, commit: Commit) -> None:
        """Write a commit whole or not at all."""
        await self._run(lambda: self._write(lineage, commit))

    def _write(self, lineage: str, commit: Commit) -> None:
        database = self._db
        database.execute("BEGIN IMMEDIATE")
        try:
            added = database.executemany(
                "INSERT INTO records (lineage, id, n, body) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
                [(lineage, record.id, record.n, record.body) for record in commit.records],
            ).rowcount
            database.executemany(
                "INSERT INTO texts (lineage, key, cleaned, text) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
                [(lineage, text.key, text.cleaned, text.text) for text in commit.texts],
            )
            database.executemany(
                "INSERT INTO aliases (lineage, raw, key) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
                [(lineage, raw, key) for raw, key in (commit.aliases or {}).items()],
            )
            # A commit that was begun before a revision was sent may be written after it: the newest one stays.
            database.execute(
                "UPDATE chats SET rev = max(rev, ?), slots = coalesce(?, slots), copy = coalesce(?, copy), "
                "written = written + ? WHERE lineage = ?",
                (commit.rev, commit.slots, commit.copy, added, lineage),
            )
            # Pages have the head that a revision was sent with; what is appended behind it comes with the next one.
            database.execute("INSERT OR IGNORE INTO commits VALUES (?, ?, ?)", (lineage, commit.rev, commit.head))
        except BaseException:
            database.execute("ROLLBACK")
            raise
        database.execute("COMMIT")

    async def purge(self, lineage: str, records: Sequence[str], keys: Sequence[str]) -> None:
        """Remove records, and the texts and aliases of keys, so that nothing of them is left in the file."""
        await self._run(lambda: self._purge(lineage, records, keys))

    def _purge(self, lineage: str, records: Sequence[str], keys: Sequence[str]) -> None:
        database = self._db
        database.execute("PRAGMA secure_delete=ON")
        database.execute("BEGIN IMMEDIATE")
        try:
            ids, texts = [(lineage, identity) for identity in records], [(lineage, key) for key in keys]
            database.executemany("INSERT OR IGNORE INTO purged (lineage, id) VALUES (?, ?)", ids)
            removed = database.executemany("DELETE FROM records WHERE lineage = ? AND id = ?", ids).rowcount
            database.execute("UPDATE chats SET written = written - ? WHERE lineage = ?", (removed, lineage))
            database.executemany("DELETE FROM texts WHERE lineage = ? AND key = ?", texts)
            database.executemany("DELETE FROM aliases WHERE lineage = ? AND key = ?", texts)
        except BaseException:
            database.execute("ROLLBACK")
            raise
        database.execute("COMMIT")
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    async def put_side(self, lineage: str, side: bytes) -> None:
        """Replace the side table (what recalls counted), which no graph depends on."""
        await self._run(lambda: self._db.execute("UPDATE chats SET side = ? WHERE lineage = ?", (side, lineage)))

    async def heads(self, lineage: str) -> Mapping[int, str]:
        """Head of each revision as it was first committed, which is as pages know it.

        None where records are gone that were written: a page that knows a head may have them.
        """
        query = (
            "SELECT rev, head FROM commits WHERE lineage = :lineage AND (SELECT count(*) FROM records "
            "WHERE lineage = :lineage) >= (SELECT written FROM chats WHERE lineage = :lineage)"
        )
        return await self._run(lambda: dict(self._db.execute(query, {"lineage": lineage}).fetchall()))

    async def accept_loss(self, lineage: str) -> None:
        """What is there of the records is all that there is from now on; pages may have more than any head says."""
        await self._run(lambda: self._accept_loss(lineage))

    def _accept_loss(self, lineage: str) -> None:
        count = (
            "UPDATE chats SET written = (SELECT count(*) FROM records WHERE lineage = :lineage) "
            "WHERE lineage = :lineage"
        )
        self._db.execute("DELETE FROM commits WHERE lineage = ?", (lineage,))
        self._db.execute(count, {"lineage": lineage})

    async def set_aside(self, reason: str, body: bytes) -> SetAside:
        """Keep what could not be read or came from elsewhere, byte for byte and once."""
        return await self._run(lambda: self._set_aside(reason, body))

    def _set_aside(self, reason: str, body: bytes) -> SetAside:
        kept = self._db.execute("SELECT number FROM set_aside WHERE body = ?", (body,)).fetchone()
        if kept is not None:
            return SetAside(str(kept[0]), is_new=False)
        query = "INSERT INTO set_aside (time_ms, reason, body) VALUES (?, ?, ?)"
        values = (time.time_ns() // 1_000_000, reason, body)
        return SetAside(str(self._db.execute(query, values).lastrowid), is_new=True)

    async def add_usage(self, day: str, lineage: str, task: str, spent: Spent) -> None:
        """Add to what a task cost on a day in a chat."""
        query = (
            "INSERT INTO usage VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET calls = calls + excluded.calls, "
            "prompt_tokens = prompt_tokens + excluded.prompt_tokens, "
            "answer_tokens = answer_tokens + excluded.answer_tokens"
        )
        values = (day, lineage, task, spent.calls, spent.prompt_tokens, spent.answer_tokens)
        await self._run(lambda: self._db.execute(query, values))

    async def usage(self, since: str) -> Sequence[UsageRow]:
        """What was used on this day and later, the newest day first, and of a day the dearest."""
        query = (
            "SELECT day, usage.lineage, coalesce(name, ''), task, calls, prompt_tokens, answer_tokens FROM usage "
            "LEFT JOIN chats USING (lineage) WHERE day >= ? "
            "ORDER BY day DESC, prompt_tokens + answer_tokens DESC, usage.lineage, task"
        )
        rows = await self._run(lambda: self._db.execute(query, (since,)).fetchall())
        return [UsageRow(day, lineage, chat, task, Spent(*spent)) for day, lineage, chat, task, *spent in rows]

    async def close(self) -> None:
        if self._connection is not None:
            await self._run(self._connection.close)
            self._connection = None
        self._thread.shutdown()

"""What was written is there after any end of the process, whole or not at all (docs/storage.md, rule 32)."""

import asyncio
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time

import pytest

from st_bme.adapters.sqlite_store import SqliteStore
from st_bme.errors import CorruptState
from st_bme.ports import ChatName, Commit, SetAside, StoredList, StoredRecord, StoredText

CHAT = ChatName("Chat", "ann.png")


@pytest.fixture
async def store(tmp_path):
    store = SqliteStore(tmp_path / "memory.sqlite3")
    await store.open()
    yield store
    await store.close()


def record(number):
    return StoredRecord(f"id{number}", number, f'{{"n":{number}}}'.encode())


async def test_a_commit_is_read_back_whole(store):
    await store.create("line", CHAT)
    commit = Commit(
        rev=1,
        head="head",
        records=(record(2), record(1)),
        slots=b"[null]",
        texts=(StoredText("key", "cleaned", "text \u2028 \U0001f600"),),
        aliases={"raw": "key"},
        copy="digest",
    )

    await store.write("line", commit)

    chat = await store.load("line")
    assert (chat.lineage, chat.chat, chat.rev, chat.slots, chat.copy) == ("line", CHAT, 1, b"[null]", "digest")
    assert chat.records == (record(1), record(2)), "by n"
    assert (chat.texts, chat.aliases, chat.side) == (commit.texts, {"raw": "key"}, b"{}")
    assert await store.heads("line") == {1: "head"}


async def test_the_list_of_messages_is_read_without_the_rest(store):
    await store.create("line", CHAT)
    await store.write("line", Commit(1, "a", slots=b"[1]"))

    assert await store.load_list("line") == StoredList(CHAT, b"[1]")
    assert await store.load_list("other") is None


async def test_what_a_commit_leaves_out_stays(store):
    await store.create("line", CHAT)
    await store.write("line", Commit(1, "a", slots=b"[1]", copy="x"))

    await store.write("line", Commit(2, "b"))

    chat = await store.load("line")
    assert (chat.rev, chat.slots, chat.copy) == (2, b"[1]", "x")
    assert await store.heads("line") == {1: "a", 2: "b"}


async def test_a_revision_keeps_the_head_that_pages_know(store):
    """A record that is appended before the next revision is sent must not make pages strangers to their own state."""
    await store.create("line", CHAT)
    await store.write("line", Commit(1, "sent"))

    await store.write("line", Commit(1, "appended", (record(1),)))

    assert await store.heads("line") == {1: "sent"}


async def test_a_revision_never_goes_back(store):
    """What is appended while the next revision is being written still names the one before."""
    await store.create("line", CHAT)
    await store.write("line", Commit(2, "sent"))

    await store.write("line", Commit(1, "appended", (record(1),)))

    stored = await store.load("line")
    assert stored.rev == 2


async def test_a_record_is_never_replaced(store):
    await store.create("line", CHAT)
    await store.write("line", Commit(1, "a", (record(1),)))

    await store.write("line", Commit(2, "b", (StoredRecord("id1", 9, b"other"), record(2))))

    assert (await store.load("line")).records == (record(1), record(2))


async def test_lineages_are_kept_apart(store):
    for lineage in ("one", "two"):
        await store.create(lineage, CHAT)
    await store.write("one", Commit(1, "a", (record(1),), texts=(StoredText("k", "", "t"),), aliases={"r": "k"}))

    other = await store.load("two")

    assert (other.records, other.texts, other.aliases, other.rev) == ((), (), {}, 0)


async def test_lineages_of_a_name_come_newest_first(store):
    for lineage, chat in (("one", CHAT), ("two", CHAT), ("other", ChatName("Chat", "bob.png"))):
        await store.create(lineage, chat)

    assert await store.find(CHAT) == ["two", "one"]
    await store.rename("two", ChatName("New", "ann.png"))
    assert await store.find(CHAT) == ["one"]
    assert await store.find(ChatName("New", "ann.png")) == ["two"]


async def test_an_unknown_lineage_is_none(store):
    assert await store.load("line") is None
    assert await store.heads("line") == {}


@pytest.mark.parametrize("name", ["'; DROP TABLE chats; --", '"', "../../etc", "聊天\U0001f600", ""])
async def test_a_name_is_only_compared(store, name):
    await store.create("line", ChatName(name, name))

    assert await store.find(ChatName(name, name)) == ["line"]
    assert (await store.load("line")).chat == ChatName(name, name)


async def test_a_commit_that_fails_in_the_middle_leaves_nothing(store):
    await store.create("line", CHAT)
    torn = Commit(5, "head", (record(1),), texts=(StoredText("key", "", None),), slots=b"[]")

    with pytest.raises(sqlite3.IntegrityError):
        await store.write("line", torn)

    chat = await store.load("line")
    assert (chat.records, chat.rev) == ((), 0)
    await store.write("line", Commit(1, "head", (record(1),)))
    assert len((await store.load("line")).records) == 1


async def test_the_side_table_is_replaced_whole(store):
    await store.create("line", CHAT)
    await store.put_side("line", b'{"a":1}')

    assert (await store.load("line")).side == b'{"a":1}'


async def test_what_is_set_aside_is_kept_byte_for_byte_under_a_number_of_its_own(store):
    first, second = await store.set_aside("damaged", b"\x00\xff"), await store.set_aside("old", b"{}")
    again = await store.set_aside("old", b"{}")

    assert (first.is_new, second.is_new, again) == (True, True, SetAside(second.number, is_new=False))
    kept = store._connection.execute("SELECT number, reason, body FROM set_aside ORDER BY number").fetchall()
    assert kept == [(int(first.number), "damaged", b"\x00\xff"), (int(second.number), "old", b"{}")]


async def test_calls_at_once_are_done_in_their_order(store):
    await store.create("line", CHAT)

    await asyncio.gather(*(store.write("line", Commit(rev, f"h{rev}", (record(rev),))) for rev in range(1, 40)))

    chat = await store.load("line")
    assert (chat.rev, len(chat.records)) == (39, 39)


async def test_every_commit_waits_for_the_disk(store):
    assert store._connection.execute("PRAGMA synchronous").fetchone() == (2,)
    assert store._connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)


@pytest.mark.parametrize("content", [b"this is no database at all" * 50, b"SQLite format 3\x00" + b"\xff" * 2_000])
async def test_a_file_that_is_no_database_is_told_and_left_as_it_is(tmp_path, content):
    path = tmp_path / "memory.sqlite3"
    path.write_bytes(content)
    store = SqliteStore(path)

    with pytest.raises(CorruptState, match=r"memory\.sqlite3"):
        await store.open()
    await store.close()

    assert path.read_bytes() == content


async def test_a_damage_that_is_met_later_is_told_as_well(tmp_path):
    path = tmp_path / "memory.sqlite3"
    store = SqliteStore(path)
    await store.open()
    await store.create("line", CHAT)
    await store.close()
    header, pages = path.read_bytes()[:4096], path.stat().st_size - 4096
    path.write_bytes(header + b"\xab" * pages)
    store = SqliteStore(path)
    await store.open()

    with pytest.raises(CorruptState, match=r"memory\.sqlite3.*move it away"):
        await store.load("line")
    await store.close()


async def test_a_file_of_the_first_schema_is_brought_to_the_second_and_misses_nothing(tmp_path):
    path = tmp_path / "memory.sqlite3"
    store = SqliteStore(path)
    await store.open()
    await store.create("line", CHAT)
    await store.write("line", Commit(1, "head", (record(1), record(2))))
    await store.close()
    with sqlite3.connect(path) as connection:
        connection.execute("ALTER TABLE chats DROP COLUMN written")
        connection.execute("PRAGMA user_version=1")
    connection.close()
    store = SqliteStore(path)
    await store.open()
    await store.write("line", Commit(2, "next", (record(2), record(3))))

    chat = await store.load("line")
    assert (len(chat.records), chat.missing) == (3, 0)
    assert await store.heads("line") == {1: "head", 2: "next"}
    assert store._connection.execute("PRAGMA user_version").fetchone() == (2,)
    await store.close()


async def test_records_that_somebody_removed_are_missing_until_that_is_accepted(store):
    await store.create("line", CHAT)
    await store.write("line", Commit(1, "head", (record(1), record(2), record(3))))
    await store.purge("line", ["id1"], [])
    store._connection.execute("DELETE FROM records WHERE id = 'id2'")

    assert ((await store.load("line")).missing, await store.heads("line")) == (1, {})
    await store.accept_loss("line")
    await store.write("line", Commit(2, "less", (record(2),)))
    assert ((await store.load("line")).missing, await store.heads("line")) == (0, {2: "less"})


async def test_a_file_of_a_newer_program_is_told_and_left_as_it_is(tmp_path):
    path = tmp_path / "memory.sqlite3"
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA user_version=99")
        connection.execute("CREATE TABLE later (x)")
    connection.close()
    before = path.read_bytes()
    store = SqliteStore(path)

    with pytest.raises(CorruptState, match="newer version"):
        await store.open()
    await store.close()

    assert path.read_bytes() == before


async def test_a_store_that_is_not_open_says_so(tmp_path):
    store = SqliteStore(tmp_path / "memory.sqlite3")

    with pytest.raises(CorruptState, match="not open"):
        await store.load("line")
    await store.close()


_WRITER = """
import asyncio, sys
from pathlib import Path
from st_bme.adapters.sqlite_store import SqliteStore
from st_bme.ports import ChatName, Commit, StoredRecord, StoredText

async def main(path, first):
    store = SqliteStore(Path(path))
    await store.open()
    if await store.load("line") is None:
        await store.create("line", ChatName("Chat", ""))
    for rev in range(first, first + 100_000):
        records = tuple(StoredRecord(f"r{rev}.{part}", rev, b"x" * 3_000) for part in range(3))
        text = StoredText(f"k{rev}", "", "t" * 5_000)
        await store.write("line", Commit(rev, f"h{rev}", records, texts=(text,), slots=b"%d" % rev))
        print(rev, flush=True)

asyncio.run(main(sys.argv[1], int(sys.argv[2])))
"""


async def _loaded(path):
    store = SqliteStore(path)
    await store.open()
    try:
        return await store.load("line")
    finally:
        await store.close()


def test_a_killed_writer_loses_nothing_that_it_acknowledged(tmp_path):
    path, rng, acknowledged = tmp_path / "memory.sqlite3", random.Random(9), 0
    for _ in range(5):
        writer = subprocess.Popen(
            [sys.executable, "-c", _WRITER, str(path), str(acknowledged + 1)],
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": ":".join(sys.path)},
        )
        lines = iter(writer.stdout.readline, b"")
        acknowledged = int(next(lines))
        time.sleep(rng.random() * 0.2)
        writer.send_signal(signal.SIGKILL)
        acknowledged = max([acknowledged, *(int(line) for line in lines if line.endswith(b"\n"))])
        writer.wait()
        writer.stdout.close()

        chat = asyncio.run(_loaded(path))

        assert chat.rev in (acknowledged, acknowledged + 1), "one more may be on the disk and not told yet"
        assert len(chat.records) == 3 * chat.rev
        assert len(chat.texts) == chat.rev
        assert chat.slots == b"%d" % chat.rev
        acknowledged = chat.rev

"""`benchmarks/kill.py` on a few kills, and that it would see what it looks for."""

import json
import sqlite3
import subprocess
import sys
from dataclasses import replace

import pytest
from benchmarks.acknowledged import Acknowledged, Findings, StoreReader
from benchmarks.chats import generate
from benchmarks.memories import LINEAGE, memory_in, put_chat

from repository.files import ROOT
from st_bme.graph.records import record_id
from st_bme.session.chat_session import stored_record


@pytest.fixture
async def stored(tmp_path):
    """A folder with a stored chat, and a book in which all of it was acknowledged."""
    chat = generate(21)
    async with memory_in(tmp_path) as memory:
        await put_chat(memory.store, chat)
        heads = await memory.store.heads(LINEAGE)
    book = Acknowledged(
        lineage=LINEAGE,
        texts={message.key: message.text for message in chat.messages},
        lists=[tuple(message.key for message in chat.messages)],
        records={record_id(record) for record in chat.records()},
        heads=dict(heads),
    )
    return tmp_path, book


def findings_of(folder, book):
    findings = Findings()
    StoreReader(folder).check([book], findings)
    return len(findings.lost), len(findings.duplicated), len(findings.corrupt)


def damage(folder, statement, values=()):
    with sqlite3.connect(folder / "memory.sqlite3") as database:
        database.execute(statement, values)
    database.close()


async def test_a_whole_store_has_no_findings(stored):
    assert findings_of(*stored) == (0, 0, 0)


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM records WHERE n = 2",
        "DELETE FROM texts WHERE key = (SELECT min(key) FROM texts)",
        "UPDATE texts SET text = 'another' WHERE key = (SELECT min(key) FROM texts)",
        "UPDATE chats SET slots = x'5b5d'",
        "UPDATE commits SET head = 'another'",
    ],
    ids=["record", "text", "changed text", "list", "revision"],
)
async def test_what_was_acknowledged_and_is_not_there_is_lost(stored, statement):
    folder, book = stored

    damage(folder, statement)

    assert findings_of(folder, book) == (1, 0, 0)


async def test_an_edit_and_an_undo_that_are_not_there_are_lost(stored):
    folder, book = stored
    book.edits.add("by hand")
    book.undone.add(min(book.records))

    assert findings_of(folder, book) == (2, 0, 0)


async def test_a_message_that_two_answers_read_is_duplicated(stored):
    folder, book = stored
    answer = generate(21).records()[1]
    again = stored_record(replace(answer, stamp=replace(answer.stamp, n=99)))

    damage(folder, "INSERT INTO records VALUES (?, ?, ?, ?)", (LINEAGE, again.id, again.n, again.body))

    assert findings_of(folder, book) == (0, len(answer.run), 0)


@pytest.mark.parametrize("body", ["'{'", "replace(body, 'gpt', 'tpg')"], ids=["unreadable", "not what its id says"])
async def test_a_record_that_is_not_itself_is_corrupt(stored, body):
    folder, book = stored

    damage(folder, f"UPDATE records SET body = CAST({body} AS BLOB) WHERE n = 2")

    assert findings_of(folder, book)[2] == 1


async def test_a_file_that_is_no_database_is_corrupt(stored):
    folder, book = stored
    for path in folder.glob("memory.sqlite3*"):
        path.write_bytes(b"no database" * 1_000)

    assert findings_of(folder, book)[2] == 1


@pytest.mark.slow
@pytest.mark.timeout(200)
def test_a_server_that_is_killed_loses_doubles_and_breaks_nothing():
    command = [sys.executable, "benchmarks/kill.py", "--kills", "12", "--json"]

    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)

    assert json.loads(ended.stdout) == {"kills": 12, "lost": 0, "duplicated": 0, "corrupt": 0}, ended.stderr

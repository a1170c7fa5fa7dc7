"""A stored chat that cannot be read is told of by name, and never taken for an empty one."""

import sqlite3

import pytest

from session.desk import Page, serving
from st_bme.errors import CorruptState
from st_bme.protocol import commands


@pytest.mark.parametrize("body", [b"{", b"[]", b'{"kind": "gossip"}'])
async def test_a_record_that_cannot_be_read_is_named(tmp_path, body):
    async with serving(tmp_path) as desk:
        page = Page(desk)
        await page.attach()
        await page.turn("hello", "[character Bob]")
        (*_, record) = desk.session(page.lineage).records.in_order()
    with sqlite3.connect(tmp_path / "memory.sqlite3") as database:
        database.execute("UPDATE records SET body = ? WHERE id = ?", (body, record[1]))
    database.close()

    async with serving(tmp_path) as desk:
        again = Page(desk, page.chat, file=page.file)
        with pytest.raises(CorruptState, match=record[1]):
            await again.attach()


@pytest.mark.parametrize("body", [b"{", b"[]", b'{"used": {"some node": [1]}}'])
async def test_a_side_table_that_cannot_be_read_begins_anew_and_costs_no_memory(tmp_path, body):
    async with serving(tmp_path) as desk:
        page = Page(desk)
        await page.attach()
        await page.turn("hello", "[character Bob]")
    with sqlite3.connect(tmp_path / "memory.sqlite3") as database:
        database.execute("UPDATE chats SET side = ?", (body,))
    database.close()

    async with serving(tmp_path) as desk:
        again = Page(desk, page.chat, file=page.file)
        await again.attach()
        again.chat.send("Where is Bob?", "")

        assert "Bob" in (await again.recall()).text


async def told(desk):
    page = Page(desk)
    await page.attach()
    for word in ("Bob", "Cleo", "Dan"):
        await page.turn(f"hello {word}", f"[character {word}]")
    return page


def said(page):
    return [(notice.code, notice.level, notice.data) for notice in page.notices]


def without_records(folder, which):
    with sqlite3.connect(folder / "memory.sqlite3") as database:
        database.execute(f"DELETE FROM records WHERE {which}")
    database.close()


async def test_an_empty_database_is_told_and_chats_bring_their_memory_back(tmp_path, caplog):
    async with serving(tmp_path) as desk:
        page = await told(desk)
    (tmp_path / "memory.sqlite3").write_bytes(b"")

    async with serving(tmp_path) as desk:
        again = Page(desk, page.chat, file=page.file)
        await again.attach()
        await again.settled()

        assert "memory.sqlite3 is empty" in caplog.text
        assert said(again) == [("restored_from_file", "warning", {"memories": 3})]
        assert again.names() == {"Bob", "Cleo", "Dan"}
        assert desk.extractor.runs == []
        reloaded = Page(desk, again.chat, file=again.file)
        await reloaded.attach()
        assert said(reloaded) == []


@pytest.mark.parametrize(
    ("which", "missing"), [("true", 4), ("n = 2", 1), ("n > 2", 2)], ids=["all", "one in between", "the newest"]
)
async def test_records_that_somebody_removed_come_back_from_the_chat_file(tmp_path, caplog, which, missing):
    """The heads that were committed are no reason to believe that the store has what the page has."""
    async with serving(tmp_path) as desk:
        page = await told(desk)
    without_records(tmp_path, which)

    async with serving(tmp_path) as desk:
        again = Page(desk, page.chat, file=page.file)
        await again.attach()
        await again.settled()

        assert said(again) == [("records_missing", "error", {"missing": missing, "returned": missing})]
        assert f"{page.lineage} (Chat) lacks {missing} records" in caplog.text
        assert again.names() == {"Bob", "Cleo", "Dan"}
        assert desk.session(again.lineage).records.head == page.file["head"]
        assert desk.extractor.runs == []
        reloaded = Page(desk, again.chat, file=again.file)
        await reloaded.attach()
        assert (said(reloaded), reloaded.was_asked_for_copy) == ([], False)


async def test_a_page_without_a_copy_is_told_and_a_copy_that_comes_later_still_brings_them_back(tmp_path):
    async with serving(tmp_path) as desk:
        page = await told(desk)
    without_records(tmp_path, "n > 2")

    async with serving(tmp_path) as desk:
        bare = Page(desk, page.chat, extractAutoEnabled=False)
        await bare.attach()
        assert said(bare) == [("records_missing", "error", {"missing": 2, "returned": 0})]
        assert bare.names() == {"Bob"}
        again = Page(desk, page.chat, file=page.file, extractAutoEnabled=False)
        await again.attach()

        assert again.was_asked_for_copy
        assert said(again) == []
        assert again.names() == {"Bob", "Cleo", "Dan"}


async def test_what_was_purged_is_not_missing(tmp_path):
    async with serving(tmp_path) as desk:
        page = await told(desk)
        del page.chat.lines[-2:]
        await page.event("MESSAGE_DELETED")
        await page.settled()
        await desk.bridge.purge(commands.ChatPurge(lineage=page.lineage, confirm=True))
        await page.read_events()

    async with serving(tmp_path) as desk:
        again = Page(desk, page.chat, file=page.file)
        await again.attach()

        assert said(again) == []
        assert again.names() == {"Bob", "Cleo"}

"""A stored chat that cannot be read is told of by name, and never taken for an empty one."""

import sqlite3

import pytest

from session.desk import Page, serving
from st_bme.errors import CorruptState


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

"""Memory across chats: a chat takes over what another one of the same character remembers."""

import asyncio

import pytest

from session.desk import Page, serving
from st_bme.errors import NotFound
from st_bme.protocol import commands


async def old_chat(desk, *, owner="ann.png"):
    """A page with a chat in which Ann is known."""
    page = Page(desk, name="Old", owner=owner)
    await page.attach()
    await page.turn("hello", "[character Ann state=glad] [event They met]")
    return page


async def new_chat(desk):
    page = Page(desk, name="New")
    await page.attach()
    return page


async def others(page):
    return (await page.desk.bridge.others(commands.ChatOthers(lineage=page.lineage))).chats


async def bring(page, source):
    brought = await page.desk.bridge.bring(commands.ChatBring(lineage=page.lineage, source=source))
    await page.read_events()
    return brought


async def test_the_other_chats_of_the_character_are_named_and_no_others(tmp_path):
    async with serving(tmp_path) as desk:
        old = await old_chat(desk)
        await old_chat(desk, owner="bo.png")
        new = await new_chat(desk)

        named = await others(new)

        assert [(chat.lineage, chat.name, chat.messages) for chat in named] == [(old.lineage, "Old", 2)]
        assert await others(old) == []  # the new one has no message yet


async def test_a_new_chat_recalls_what_was_brought_at_its_first_turn(tmp_path):
    async with serving(tmp_path) as desk:
        old, new = await old_chat(desk), await new_chat(desk)

        brought = await bring(new, old.lineage)
        new.chat.send("Where is Ann?", "")
        recalled = await new.recall()

        assert (brought.memories, brought.total) == (2, 2)
        assert "glad" in recalled.text
        assert "They met" in recalled.text
        assert new.names() == old.names()


async def test_bringing_it_twice_brings_it_once(tmp_path):
    async with serving(tmp_path) as desk:
        old, new = await old_chat(desk), await new_chat(desk)

        await bring(new, old.lineage)
        again = await bring(new, old.lineage)

        assert (again.memories, again.record) == (0, "")
        assert len(new.file["nodes"]) == 2


async def test_two_pages_that_bring_it_at_once_bring_it_once(tmp_path):
    async with serving(tmp_path) as desk:
        old, new = await old_chat(desk), await new_chat(desk)

        both = await asyncio.gather(bring(new, old.lineage), bring(new, old.lineage))

        assert sorted(brought.memories for brought in both) == [0, 2]
        assert len(desk.session(new.lineage).graph.nodes) == 2


async def test_one_undo_takes_all_of_it_away_and_the_other_chat_stays_as_it_is(tmp_path):
    async with serving(tmp_path) as desk:
        old, new = await old_chat(desk), await new_chat(desk)
        before = await old.state()

        brought = await bring(new, old.lineage)
        await desk.bridge.history_undo(commands.HistoryUndo(lineage=new.lineage, records=[brought.record]))

        assert desk.session(new.lineage).graph.nodes == {}
        assert await old.state() == before


async def test_a_chat_of_someone_else_is_not_read(tmp_path):
    async with serving(tmp_path) as desk:
        strange, new = await old_chat(desk, owner="bo.png"), await new_chat(desk)

        with pytest.raises(NotFound):
            await bring(new, strange.lineage)

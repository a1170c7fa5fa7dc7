"""Chats that come back without messages, or without those in front (docs/storage.md, rules 41 and 44)."""

import copy

import pytest

from session.desk import Page, serving
from st_bme.errors import NotFound
from st_bme.protocol import commands

GREETING = "Welcome."


async def told(desk, words=("Bob", "Cleo", "Dan"), **options):
    page = Page(desk, **options)
    page.chat.send("greet", GREETING)
    page.chat.delete(0)
    await page.attach()
    for word in words:
        await page.turn(f"hello {word}", f"[character {word}]")
    return page


def bare(page, *, file=None, length=1):
    """The same chat with nothing but its greeting, or not even that."""
    chat = copy.deepcopy(page.chat)
    chat.lines = chat.lines[:length]
    return Page(page.desk, chat, file=file)


@pytest.mark.parametrize("length", [0, 1])
@pytest.mark.parametrize("has_copy", [True, False])
async def test_a_chat_without_messages_begins_anew_and_the_old_one_is_kept(tmp_path, length, has_copy):
    async with serving(tmp_path) as desk:
        page = await told(desk)
        await page.close()
        lost = bare(page, file=page.file if has_copy else None, length=length)
        await lost.attach()

        assert lost.lineage != page.lineage
        assert lost.names() == set()
        (notice,) = lost.notices
        assert (notice.code, notice.data) == ("restore_offered", {"lineage": page.lineage, "messages": 7})
        assert len((await desk.store.load(page.lineage)).records) == 4


async def test_opening_it_again_goes_on_with_the_new_lineage_and_offers_again(tmp_path):
    async with serving(tmp_path) as desk:
        page = await told(desk)
        lost = bare(page, file=page.file)
        await lost.attach()
        again = bare(page, file=page.file)
        await again.attach()

        assert again.lineage == lost.lineage
        assert [notice.code for notice in again.notices] == ["restore_offered"]
        await again.turn("hello Eve", "[character Eve]")
        last = Page(desk, again.chat, file=again.file)
        await last.attach()
        assert last.notices == []


async def test_a_copy_that_only_the_file_has_is_kept_before_it_is_replaced(tmp_path):
    async with serving(tmp_path / "first") as desk:
        page = await told(desk)
        records = {record.id for record in (await desk.store.load(page.lineage)).records}
    async with serving(tmp_path / "second") as desk:
        page.desk = desk
        lost = bare(page, file=page.file)
        await lost.attach()

        assert lost.was_asked_for_copy
        assert lost.lineage != page.lineage
        assert lost.notices[0].data == {"lineage": page.lineage, "messages": 7}
        assert {record.id for record in (await desk.store.load(page.lineage)).records} == records


async def test_restoring_unites_what_was_known_and_costs_no_call_when_the_messages_are_back(tmp_path):
    async with serving(tmp_path) as desk:
        page = await told(desk)
        calls = len(desk.extractor.runs)
        lost = bare(page, file=page.file)
        await lost.attach()
        await desk.bridge.restore(commands.ChatRestore(lineage=lost.lineage, source=page.lineage))
        lost.chat.lines = copy.deepcopy(page.chat.lines)
        await lost.event("CHAT_CHANGED")
        await lost.settled()

        assert lost.names() == {"Bob", "Cleo", "Dan"}
        assert len(desk.extractor.runs) == calls
        again = bare(page, file=lost.file)
        await again.attach()
        assert again.notices[0].data["lineage"] == lost.lineage, "lost once more: now from here"


async def test_what_was_restored_is_not_offered_again(tmp_path):
    async with serving(tmp_path) as desk:
        page = await told(desk)
        lost = bare(page, file=page.file)
        await lost.attach()
        await desk.bridge.restore(commands.ChatRestore(lineage=lost.lineage, source=page.lineage))
        again = bare(page, file=lost.file)
        await again.attach()

        assert again.lineage == lost.lineage
        assert again.notices == []


async def test_another_character_s_memory_is_not_restored(tmp_path):
    async with serving(tmp_path) as desk:
        page = await told(desk)
        other = await told(desk, words=("Zed",), name="Other", owner="zed.png")

        for source in (other.lineage, "abcdefgh"):
            with pytest.raises(NotFound):
                await desk.bridge.restore(commands.ChatRestore(lineage=page.lineage, source=source))


async def test_deleting_all_messages_is_followed_and_nothing_is_offered(tmp_path):
    async with serving(tmp_path) as desk:
        page = await told(desk)
        page.chat.lines = page.chat.lines[:1]
        await page.event("MESSAGE_DELETED")
        await page.settled()
        again = Page(desk, page.chat, file=page.file)
        await again.attach()

        assert again.lineage == page.lineage
        assert again.notices == []
        assert again.names() == set()


WORDS = [f"N{number}" for number in range(14)]


def end_of(page, front, **options):
    chat = copy.deepcopy(page.chat)
    chat.lines = chat.lines[front:]
    return Page(page.desk, chat, file=page.file, **options)


async def test_a_list_without_its_front_keeps_it_and_says_so(tmp_path):
    async with serving(tmp_path) as desk:
        page = await told(desk, WORDS)
        calls, before = len(desk.extractor.runs), page.file["nodes"]
        cut = end_of(page, 21)
        attached = await cut.attach()
        await cut.settled()

        assert attached.need == []
        assert [(notice.code, notice.data) for notice in cut.notices] == [("front_kept", {"messages": 21})]
        assert cut.file["nodes"] == before
        assert len(desk.extractor.runs) == calls


async def test_a_chat_goes_on_behind_the_front(tmp_path):
    async with serving(tmp_path) as desk:
        page = await told(desk, WORDS)
        cut = end_of(page, 21)
        await cut.attach()
        await cut.turn("hello Eve", "[character Eve]")
        cut.chat.edit(0, "hello nobody")
        await cut.event("MESSAGE_EDITED")
        await cut.settled()
        whole = Page(desk, copy.deepcopy(page.chat), file=cut.file)
        whole.chat.edit(21, "hello nobody")
        whole.chat.send("hello Eve", "[character Eve]")
        await whole.attach()
        await whole.settled()

        assert {*WORDS, "Eve"} == cut.names()
        assert whole.notices == []
        assert whole.file == cut.file
        assert desk.session(whole.lineage).view.floors == tuple(range(31))


async def test_texts_behind_the_front_are_asked_for_by_the_page_s_floors(tmp_path):
    async with serving(tmp_path) as desk:
        page = await told(desk, WORDS)
        cut = end_of(page, 21)
        cut.chat.send("hello Eve", "[character Eve]")
        attached = await cut.attach()
        await cut.settled()

        assert attached.need == [9, 8]
        assert cut.names() == {*WORDS, "Eve"}


async def test_a_front_that_the_user_deleted_is_gone(tmp_path):
    async with serving(tmp_path) as desk:
        page = await told(desk, WORDS)
        cut = end_of(page, 21)
        cut.has_deleted = True
        await cut.attach()

        assert cut.notices == []
        assert cut.names() == set(WORDS[10:])


async def test_a_restarted_server_keeps_the_front_still(tmp_path):
    async with serving(tmp_path) as desk:
        page = await told(desk, WORDS)
        cut = end_of(page, 21)
        await cut.attach()
        await cut.turn("hello Eve", "[character Eve]")
    async with serving(tmp_path) as desk:
        cut.desk = desk
        await cut.attach()

        assert [notice.code for notice in cut.notices] == ["front_kept"]
        assert cut.names() == {*WORDS, "Eve"}
        assert desk.extractor.runs == []

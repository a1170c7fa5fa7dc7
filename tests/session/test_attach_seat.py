"""Several pages show one chat: whose list of messages is followed (docs/storage.md, rule 43)."""

import copy

import pytest

from session.desk import Page, serving
from st_bme.errors import OpenElsewhere
from st_bme.session.seat import SILENT_MS


def in_page(name, desk, chat=None, **options):
    page = Page(desk, chat, **options)
    page.page = name
    return page


async def two_pages(desk, *, words=("Bob", "Cleo")):
    """Two pages that show the same chat, each with a chat array of its own. The second was opened last."""
    first = in_page("first", desk)
    await first.attach()
    for word in words:
        await first.turn(f"hello {word}", f"[character {word}]")
    second = in_page("second", desk, copy.deepcopy(first.chat), file=first.file)
    await second.attach()
    return first, second


def view(desk, page):
    return desk.session(page.lineage).view.keys


async def test_a_page_that_goes_on_with_the_chat_has_the_seat(tmp_path):
    async with serving(tmp_path) as desk:
        first, second = await two_pages(desk)
        await second.turn("on the second", "[character Second]")
        before = view(desk, second)
        first.chat.send("on the first", "[character First]")

        with pytest.raises(OpenElsewhere):
            await first.event("MESSAGE_RECEIVED")

        assert view(desk, second) == before
        await second.turn("and on", "[character More]")
        assert second.names() == {"Bob", "Cleo", "Second", "More"}


async def test_a_page_with_the_list_as_it_stands_may_go_on(tmp_path):
    async with serving(tmp_path) as desk:
        first, second = await two_pages(desk)
        await first.turn("on the first", "[character First]")

        assert first.names() == {"Bob", "Cleo", "First"}
        second.chat.delete(0)
        with pytest.raises(OpenElsewhere):
            await second.event("MESSAGE_DELETED")


@pytest.mark.parametrize(
    "act",
    [
        pytest.param(lambda chat: chat.edit(1, "[character Eve]"), id="edit"),
        pytest.param(lambda chat: chat.delete(1), id="delete"),
        pytest.param(lambda chat: chat.swipe("[character Eve]"), id="swipe"),
    ],
)
async def test_only_the_page_in_the_seat_changes_what_was_said(tmp_path, act):
    async with serving(tmp_path) as desk:
        first, second = await two_pages(desk)
        before = view(desk, second)
        act(first.chat)
        with pytest.raises(OpenElsewhere):
            await first.event("MESSAGE_EDITED")
        assert view(desk, second) == before

        act(second.chat)
        await second.event("MESSAGE_EDITED")

        assert view(desk, second) != before


async def test_a_recall_for_other_messages_is_refused_and_none_of_the_chat_is_given(tmp_path):
    async with serving(tmp_path) as desk:
        first, _ = await two_pages(desk)
        first.chat.delete(1)

        with pytest.raises(OpenElsewhere):
            await first.recall("Where is Cleo?")


async def test_a_chat_that_is_open_elsewhere_opens_without_its_list(tmp_path):
    async with serving(tmp_path) as desk:
        first, _ = await two_pages(desk)
        other = in_page("third", desk, copy.deepcopy(first.chat), file=first.file)
        other.chat.delete(1)
        before = view(desk, first)
        attached = await other.attach()

        assert attached.elsewhere
        assert (attached.lineage, attached.need, attached.patch) == (first.lineage, [], None)
        assert view(desk, first) == before


async def test_the_user_can_use_this_page(tmp_path):
    async with serving(tmp_path) as desk:
        first, second = await two_pages(desk)
        first.chat.delete(3)
        with pytest.raises(OpenElsewhere):
            await first.event("MESSAGE_DELETED")
        await first.take_seat()
        await first.settled()

        assert first.names() == {"Bob"}
        second.chat.delete(0)
        with pytest.raises(OpenElsewhere):
            await second.event("MESSAGE_DELETED")


async def test_records_of_a_page_without_the_seat_are_kept(tmp_path):
    async with serving(tmp_path / "other") as desk:
        page = Page(desk)
        await page.attach()
        await page.turn("hello Bob", "[character Bob]")
        file, chat = page.file, page.chat
    async with serving(tmp_path / "here") as desk:
        first = in_page("first", desk, chat, file=file | {"lineage": "abcdefgh"})
        first.chat = copy.deepcopy(chat)
        first.chat.send("hello Cleo", "[character Cleo]")
        await first.attach()
        await first.settled()
        calls = len(desk.extractor.runs)
        shorter = in_page("second", desk, chat, file=file | {"lineage": "abcdefgh", "head": "unknown"})
        attached = await shorter.attach()

        assert attached.elsewhere
        assert shorter.was_asked_for_copy
        assert len(desk.session(first.lineage).records) >= 2
        assert len(desk.extractor.runs) == calls


async def test_closing_the_chat_frees_the_seat(tmp_path):
    async with serving(tmp_path) as desk:
        first, second = await two_pages(desk)
        await second.close()
        first.chat.delete(1)
        await first.event("MESSAGE_DELETED")
        await first.settled()

        assert first.file == await first.state()
        assert len(view(desk, first)) == 3


async def test_a_page_without_the_seat_that_closes_leaves_it_to_the_other(tmp_path):
    async with serving(tmp_path) as desk:
        first, _ = await two_pages(desk)
        await first.close()
        first.chat.delete(1)

        with pytest.raises(OpenElsewhere):
            await first.event("MESSAGE_DELETED")


async def test_a_page_that_vanished_loses_the_seat_after_a_minute(tmp_path):
    async with serving(tmp_path) as desk:
        first, _ = await two_pages(desk)
        clock = desk.bridge._tools.clock
        clock.advance(SILENT_MS)
        first.chat.delete(1)
        with pytest.raises(OpenElsewhere):
            await first.event("MESSAGE_DELETED")
        clock.advance(1)
        first._sent = ()
        await first.event("MESSAGE_DELETED")

        assert len(view(desk, first)) == 3


async def test_a_page_that_is_heard_of_keeps_the_seat(tmp_path):
    async with serving(tmp_path) as desk:
        first, second = await two_pages(desk)
        clock = desk.bridge._tools.clock
        clock.advance(SILENT_MS)
        await second.event("MESSAGE_UPDATED")
        clock.advance(SILENT_MS)
        first.chat.delete(1)

        with pytest.raises(OpenElsewhere):
            await first.event("MESSAGE_DELETED")

"""Opening chats: what is found again, from server, file or both (docs/storage.md, rules 40 to 44)."""

import asyncio
import shutil

import orjson
import pytest

from session.desk import Page, content, serving
from st_bme.graph.records import Origin
from st_bme.protocol import commands


async def told(desk, **page_options):
    """A page whose chat has three turns, all read."""
    page = Page(desk, **page_options)
    await page.attach()
    for word in ("Bob", "Cleo", "Dan"):
        await page.turn(f"hello {word}", f"[character {word}]")
    return page


def origins(desk, page):
    return [record for record in desk.session(page.lineage).records.all() if isinstance(record, Origin)]


async def test_a_new_chat_is_born_once(tmp_path):
    async with serving(tmp_path) as desk:
        page = await told(desk)
        again = Page(desk, page.chat, file=page.file)
        attached = await again.attach()

        assert again.lineage == page.lineage
        assert attached.patch is None, "the page has the copy already"
        assert [origin.event for origin in origins(desk, page)] == ["birth"]


async def test_a_server_that_was_started_anew_has_no_settings_until_a_page_brings_them(tmp_path):
    async with serving(tmp_path) as desk:
        await desk.bridge.settings_set(commands.SettingsSet(values={}))
        before = await desk.bridge.settings_get(commands.SettingsGet())
        await Page(desk, recallTopK=3).attach()
        after = await desk.bridge.settings_get(commands.SettingsGet())

        assert (before.told, before.values) == (False, {})
        assert (after.told, after.values["recallTopK"]) == (True, 3)


async def test_the_last_processed_floor_is_that_of_the_newest_reply_that_was_read(tmp_path):
    async with serving(tmp_path) as desk:
        page = await told(desk)
        assert page.file["lastProcessedSeq"] == 5
        page.chat.lines = page.chat.lines[2:]
        page.chat.edit(1, page.chat.lines[1].text + " [location Pier]")
        await page.event("MESSAGE_DELETED")
        await page.settled()

        assert page.file["lastProcessedSeq"] == 3


async def test_a_page_with_an_old_copy_gets_the_whole(tmp_path):
    async with serving(tmp_path) as desk:
        page = await told(desk)
        old = page.file
        await page.turn("and then", "[character Eve]")
        again = Page(desk, page.chat, file=old)
        attached = await again.attach()

        assert attached.patch.base_rev == -1
        assert not again.was_asked_for_copy
        assert again.file == page.file


async def test_a_restarted_server_reads_nothing_again(tmp_path):
    async with serving(tmp_path) as desk:
        page = await told(desk)
    async with serving(tmp_path) as desk:
        again = Page(desk, page.chat, file=page.file)
        attached = await again.attach()
        await again.settled()

        assert attached.patch is None
        assert attached.need == []
        assert desk.extractor.runs == []
        assert again.file == page.file
        await again.turn("and then", "[character Eve]")
        assert again.names() == {"Bob", "Cleo", "Dan", "Eve"}
        assert again.file == await again.state()


async def test_lost_metadata_come_back_from_the_server(tmp_path):
    async with serving(tmp_path) as desk:
        page = await told(desk)
    async with serving(tmp_path) as desk:
        again = Page(desk, page.chat)
        await again.attach()
        await again.settled()

        assert again.lineage == page.lineage
        assert again.file == page.file
        assert desk.extractor.runs == []


async def test_a_lost_server_comes_back_from_the_file(tmp_path):
    async with serving(tmp_path / "first") as desk:
        page = await told(desk)
    async with serving(tmp_path / "second") as desk:
        again = Page(desk, page.chat, file=page.file)
        await again.attach()
        await again.settled()

        assert again.was_asked_for_copy
        assert again.lineage == page.lineage
        assert content(again.file) == content(page.file)
        assert again.file["head"] == page.file["head"]
        assert desk.extractor.runs == []
        await again.turn("and then", "[character Eve]")
        assert [len(run) for run in desk.extractor.runs] == [2]


async def test_a_lost_server_that_was_restored_undoes_a_deletion_without_a_call(tmp_path):
    async with serving(tmp_path / "first") as desk:
        page = await told(desk)
    async with serving(tmp_path / "second") as desk:
        again = Page(desk, page.chat, file=page.file)
        await again.attach()
        line = again.chat.lines.pop()
        await again.event("MESSAGE_DELETED")
        await again.settled()
        assert again.names() == {"Bob", "Cleo"}
        again.chat.lines.append(line)
        await again.event("MESSAGE_EDITED")
        await again.settled()

        assert again.names() == {"Bob", "Cleo", "Dan"}
        assert desk.extractor.runs == []


async def test_a_branch_has_its_own_lineage_with_all_records_and_costs_no_call(tmp_path):
    async with serving(tmp_path) as desk:
        page = await told(desk)
        calls = len(desk.extractor.runs)
        branch = Page(desk, page.chat, name="Branch", file=page.file)
        branch.chat.lines = branch.chat.lines[:4]
        await branch.attach()
        await branch.settled()

        assert branch.lineage != page.lineage
        assert branch.names() == {"Bob", "Cleo"}
        assert len(desk.extractor.runs) == calls
        fork = origins(desk, branch)[-1]
        assert (fork.event, fork.parent) == ("fork", page.lineage)
        await branch.turn("elsewhere", "[character Eve]")
        await page.read_events()
        assert page.names() == {"Bob", "Cleo", "Dan"}


async def test_a_branch_outlives_its_parent_and_the_server(tmp_path):
    async with serving(tmp_path / "first") as desk:
        page = await told(desk)
    async with serving(tmp_path / "second") as desk:
        branch = Page(desk, page.chat, name="Branch", file=page.file)
        await branch.attach()
        await branch.settled()

        assert branch.was_asked_for_copy
        assert branch.lineage != page.lineage
        assert branch.names() == {"Bob", "Cleo", "Dan"}
        assert desk.extractor.runs == []


async def test_a_branch_opened_again_before_it_was_saved_goes_on(tmp_path):
    async with serving(tmp_path) as desk:
        page = await told(desk)
        branch = Page(desk, page.chat, name="Branch", file=page.file)
        await branch.attach()
        await branch.turn("elsewhere", "[character Eve]")
        calls = len(desk.extractor.runs)
        reloaded = Page(desk, branch.chat, name="Branch", file=page.file)
        await reloaded.attach()
        await reloaded.settled()

        assert reloaded.lineage == branch.lineage
        assert reloaded.names() == {"Bob", "Cleo", "Dan", "Eve"}
        assert len(desk.extractor.runs) == calls
        assert [origin.event for origin in origins(desk, branch)] == ["birth", "fork"]


async def test_two_chats_of_one_name_that_share_nothing_are_two(tmp_path):
    async with serving(tmp_path) as desk:
        page = await told(desk)
        other = Page(desk)
        other.chat.send("something else", "altogether")
        await other.attach()

        assert other.lineage != page.lineage
        assert other.names() == set()


async def test_a_chat_of_the_same_name_with_another_character_is_another(tmp_path):
    async with serving(tmp_path) as desk:
        page = await told(desk)
        other = Page(desk, page.chat, owner="bob.png")
        await other.attach()

        assert other.lineage != page.lineage


async def test_an_old_copy_is_set_aside_byte_for_byte(tmp_path):
    old = {"version": 9, "nodes": [{"id": "x"}], "lastProcessedSeq": 3}
    async with serving(tmp_path) as desk:
        page = Page(desk, file=old)
        page.chat.send("hello", "[character Bob]")
        await page.attach()
        await page.settled()

        assert [notice.code for notice in page.notices] == ["copy_set_aside"]
        assert page.names() == {"Bob"}
        kept = desk.store._connection.execute("SELECT body FROM set_aside").fetchall()
        assert [orjson.loads(body) for (body,) in kept] == [old]


async def test_an_old_copy_over_a_chat_that_is_open_joins_its_session(tmp_path):
    async with serving(tmp_path) as desk:
        page = await told(desk)
        session = desk.session(page.lineage)
        other = Page(desk, page.chat, file={"version": 9})
        await other.attach()

        assert other.lineage == page.lineage
        assert desk.session(page.lineage) is session
        assert other.file == page.file


@pytest.mark.parametrize("damage", [{"nodes": "none"}, {"tail": [{"kind": "gossip"}]}, {"known": "abc"}])
async def test_a_damaged_copy_is_set_aside_and_told_and_never_taken_as_empty(tmp_path, damage):
    async with serving(tmp_path / "first") as desk:
        page = await told(desk)
    damaged = page.file | damage
    async with serving(tmp_path / "second") as desk:
        again = Page(desk, page.chat, file=damaged)
        await again.attach()
        await again.settled()

        assert [notice.code for notice in again.notices] == ["copy_set_aside"]
        (body,) = desk.store._connection.execute("SELECT body FROM set_aside").fetchone()
        assert orjson.loads(body) == damaged
        assert again.lineage != page.lineage
        assert again.names() == {"Bob", "Cleo", "Dan"}, "read again, since nobody knows any more"


async def test_a_damaged_copy_of_a_known_chat_loses_nothing(tmp_path):
    async with serving(tmp_path) as desk:
        page = await told(desk)
        calls = len(desk.extractor.runs)
        again = Page(desk, page.chat, file=page.file | {"head": "unknown", "edges": None})
        await again.attach()
        await again.settled()

        assert [notice.code for notice in again.notices] == ["copy_set_aside"]
        assert again.file == page.file
        assert len(desk.extractor.runs) == calls


async def test_a_newer_copy_is_left_as_it_is(tmp_path):
    async with serving(tmp_path) as desk:
        page = Page(desk, file={"version": 11, "lineage": "newer", "what": "ever"})
        page.chat.send("hello", "[character Bob]")
        attached = await page.attach()

        assert attached.read_only
        assert (attached.lineage, attached.patch) == ("", None)
        assert page.file == {"version": 11, "lineage": "newer", "what": "ever"}
        assert desk.bridge._chats == {}


async def test_two_servers_that_went_apart_are_united_without_a_call(tmp_path):
    async with serving(tmp_path / "first") as desk:
        page = await told(desk)
    shutil.copytree(tmp_path / "first", tmp_path / "second")
    async with serving(tmp_path / "first") as desk:
        first = Page(desk, page.chat, file=page.file)
        await first.attach()
        await first.turn("on the first", "[character First]")
    async with serving(tmp_path / "second") as desk:
        second = Page(desk, first.chat, file=page.file)
        second.chat.lines = [*first.chat.lines[:6]]
        await second.attach()
        await second.turn("on the second", "[character Second]")
        both = Page(desk, second.chat, file=first.file)
        session = desk.session(second.lineage)
        await both.attach()
        both.chat.send("on the first", "[character First]")
        await both.event("MESSAGE_RECEIVED")
        await both.settled()

        assert both.was_asked_for_copy
        assert desk.session(both.lineage) is session, "a lineage has one session"
        assert both.names() == {"Bob", "Cleo", "Dan", "First", "Second"}
        assert [run for run in desk.extractor.runs if len(run) != 2] == []
        assert len(desk.extractor.runs) == 1


async def test_two_pages_that_attach_at_once_share_a_lineage(tmp_path):
    async with serving(tmp_path) as desk:
        first, second = Page(desk), Page(desk)
        for page in (first, second):
            page.chat.send("hello", "[character Bob]")
        await asyncio.gather(first.attach(), second.attach())
        await first.settled()
        await second.settled()

        assert first.lineage == second.lineage
        assert len(desk.extractor.runs) == 1
        assert first.file == second.file
        assert first.names() == {"Bob"}


async def test_a_setting_that_changed_while_the_server_was_down_is_followed(tmp_path):
    async with serving(tmp_path) as desk:
        page = await told(desk)
    async with serving(tmp_path) as desk:
        again = Page(desk, page.chat, file=page.file, includeHiddenMessages=False)
        await again.attach()
        await again.turn("and then", "[character Eve]")

        assert again.file == await again.state()


async def test_a_recall_before_a_restart_leaves_the_copy_in_step(tmp_path):
    async with serving(tmp_path) as desk:
        page = await told(desk)
        await page.recall("Where is Bob?")
        await page.read_events()
        before = page.file
    async with serving(tmp_path) as desk:
        again = Page(desk, page.chat, file=before)
        await again.attach()
        await again.turn("and then", "[character Eve]")
        await again.recall("Where is Eve?")
        await again.turn("after that", "[character Fay]")

        assert again.file == await again.state()
        assert again.file["lastRecallResult"]

"""Copies, branches and renames of chats: each is followed or forked (docs/storage.md, rules 28 and 42)."""

import copy

import pytest

from graph.unpacked import fields_of
from session.desk import Page, content, serving
from st_bme.graph.fold import fold
from st_bme.graph.records import Origin
from st_bme.graph.time_travel import graph_at
from st_bme.protocol import commands

WORDS = ("Bob", "Cleo", "Dan")


async def told(desk, **options):
    page = Page(desk, **options)
    await page.attach()
    for word in WORDS:
        await page.turn(f"hello {word}", f"[character {word}]")
    return page


async def pin(page, name):
    (node,) = [node["id"] for node in page.file["nodes"] if fields_of(page.file, node).get("name") == name]
    await page.desk.bridge.graph_pin(commands.GraphPin(lineage=page.lineage, node=node, pinned=True))
    await page.read_events()


def copied(page, length=None, *, name="Branch", owner="ann.png"):
    """The chat with its metadata under another name, as SillyTavern copies it, with its first messages."""
    return Page(page.desk, page.chat.copy(length), name=name, owner=owner, file=page.file)


def pinned(page):
    return {fields_of(page.file, node)["name"] for node in page.file["nodes"] if node.get("pinned")}


def origin(page):
    records = page.desk.session(page.lineage).records.all()
    return [record for record in records if isinstance(record, Origin)][-1]


@pytest.mark.parametrize("length", [0, 1, 2, 3, 4, 5, 6])
async def test_a_branch_is_its_parent_as_of_that_message(tmp_path, length):
    async with serving(tmp_path) as desk:
        page = await told(desk)
        calls = len(desk.extractor.runs)
        parent = desk.session(page.lineage)
        branch = copied(page, length)
        await branch.attach()
        session = desk.session(branch.lineage)

        then = graph_at(parent.view.keys, length, parent.records)
        assert (session.graph.nodes, session.graph.edges) == (then.nodes, then.edges)
        assert (origin(branch).parent, origin(branch).cut) == (page.lineage, length)
        assert len(desk.extractor.runs) == calls


async def test_what_the_user_did_later_comes_along_undone_and_can_be_applied(tmp_path):
    async with serving(tmp_path) as desk:
        page = await told(desk)
        await pin(page, "Bob")
        branch = copied(page, 4)
        await branch.attach()

        assert pinned(branch) == set()
        (notice,) = branch.notices
        assert (notice.code, notice.data["count"]) == ("branch_edits", 1)
        (record,) = notice.data["records"]
        await desk.bridge.history_redo(commands.HistoryRedo(lineage=branch.lineage, records=[record]))
        await branch.read_events()
        assert pinned(branch) == {"Bob"}
        assert pinned(page) == {"Bob"}


async def test_what_the_user_did_before_the_cut_is_as_it_was(tmp_path):
    async with serving(tmp_path) as desk:
        page = await told(desk)
        await pin(page, "Bob")
        await page.turn("hello Eve", "[character Eve]")
        branch = copied(page, 6)
        await branch.attach()

        assert branch.notices == []
        assert pinned(branch) == {"Bob"}
        assert branch.names() == set(WORDS)


async def test_what_the_parent_did_since_is_no_part_of_a_branch_that_is_opened_again(tmp_path):
    async with serving(tmp_path) as desk:
        page = await told(desk)
        branch = copied(page, 4)
        first = branch.file
        await branch.attach()
        await pin(page, "Bob")
        again = Page(desk, branch.chat, name="Branch", file=first)
        await again.attach()

        assert again.lineage == branch.lineage
        assert again.notices == []
        assert pinned(again) == set()


async def test_a_branch_of_a_chat_that_no_server_knows_is_cut_by_its_copy(tmp_path):
    async with serving(tmp_path / "first") as desk:
        page = await told(desk)
        await pin(page, "Bob")
    async with serving(tmp_path / "second") as desk:
        page.desk = desk
        branch = copied(page, 4)
        await branch.attach()
        await branch.settled()

        assert branch.names() == {"Bob", "Cleo"}
        assert pinned(branch) == set()
        assert [notice.code for notice in branch.notices] == ["branch_edits"]
        assert desk.extractor.runs == []


@pytest.mark.parametrize(
    ("name", "owner"),
    [
        pytest.param("Checkpoint #1", "ann.png", id="checkpoint"),
        pytest.param("Chat imported", "ann.png", id="import of a chat file"),
        pytest.param("Chat", "bea.png", id="with a duplicate of the character"),
        pytest.param("Chat", "1700000000000", id="converted to a group"),
    ],
)
async def test_a_whole_copy_is_a_fork_that_knows_all_and_calls_nobody(tmp_path, name, owner):
    async with serving(tmp_path) as desk:
        page = await told(desk)
        await pin(page, "Bob")
        calls, before = len(desk.extractor.runs), copy.deepcopy(page.file)
        other = copied(page, name=name, owner=owner)
        await other.attach()
        await other.settled()

        assert other.lineage != page.lineage
        assert other.notices == []
        assert content(other.file) == content(before)
        await other.turn("elsewhere", "[character Eve]")
        await page.read_events()
        assert page.file == before
        assert len(desk.extractor.runs) == calls + 1


async def test_a_checkpoint_that_is_opened_later_still_has_its_own_memory(tmp_path):
    async with serving(tmp_path) as desk:
        page = await told(desk)
        checkpoint = copied(page, name="Checkpoint #1")
        await page.turn("hello Eve", "[character Eve]")
        calls = len(desk.extractor.runs)
        await checkpoint.attach()
        await checkpoint.settled()

        assert checkpoint.names() == set(WORDS)
        assert len(desk.extractor.runs) == calls


async def test_a_renamed_chat_keeps_its_lineage(tmp_path):
    async with serving(tmp_path) as desk:
        page = await told(desk)
        before = content(page.file)
        calls = len(desk.extractor.runs)
        renamed = Page(desk, page.chat, name="Renamed", file=page.file)
        renamed.file["chat"]["name"] = "Renamed"  # the page says so, having seen SillyTavern rename it
        await renamed.attach()

        assert renamed.lineage == page.lineage
        assert content(renamed.file) == before
        assert renamed.file["chat"]["name"] == "Renamed"
        assert len(desk.extractor.runs) == calls


async def test_a_renamed_character_keeps_the_memory_of_all_its_chats(tmp_path):
    async with serving(tmp_path) as desk:
        other = await told(desk, name="Other")
        page = await told(desk)
        await page.event("CHARACTER_RENAMED", "ann.png", "anne.png")
    async with serving(tmp_path) as desk:
        for old, name in ((page, "Chat"), (other, "Other")):
            renamed = Page(desk, old.chat, name=name, owner="anne.png", file=old.file)
            await renamed.attach()
            await renamed.settled()

            assert renamed.lineage == old.lineage
            assert content(renamed.file) == content(old.file)
            assert renamed.file["chat"] == {"name": name, "owner": "anne.png"}
        assert desk.extractor.runs == []


async def test_a_character_that_was_renamed_while_the_server_was_off_keeps_the_memory_of_its_chats(tmp_path):
    async with serving(tmp_path) as desk:
        page = await told(desk)
    async with serving(tmp_path) as desk:
        renamed = Page(desk, page.chat, owner="anne.png", file=page.file)
        renamed.owner_gone = True
        await renamed.attach()
        await renamed.settled()

        assert renamed.lineage == page.lineage
        assert content(renamed.file) == content(page.file)
        assert renamed.file["chat"] == {"name": "Chat", "owner": "anne.png"}
        assert desk.extractor.runs == []


async def test_a_chat_that_was_renamed_while_the_server_was_off_keeps_its_lineage_and_a_second_copy_forks(tmp_path):
    async with serving(tmp_path) as desk:
        page = await told(desk)
    async with serving(tmp_path) as desk:
        renamed = Page(desk, page.chat, name="Renamed", file=page.file)
        renamed.chat_gone = True
        await renamed.attach()
        await renamed.settled()
        second = Page(desk, page.chat, name="From a backup", file=page.file)
        second.chat_gone = True
        await second.attach()

        assert renamed.lineage == page.lineage
        assert content(renamed.file) == content(page.file)
        assert renamed.file["chat"] == {"name": "Renamed", "owner": "ann.png"}
        assert desk.extractor.runs == []
        chats = await desk.store.chats()
        assert {chats[each.lineage].name for each in (renamed, second)} == {"Renamed", "From a backup"}


async def test_an_older_backup_is_followed_back_and_forth_without_a_call(tmp_path):
    async with serving(tmp_path) as desk:
        page = await told(desk)
        backup = copy.deepcopy(page.file)
        await page.turn("hello Eve", "[character Eve]")
        newest = content(page.file)
        calls = len(desk.extractor.runs)
        restored = Page(desk, page.chat.copy(6), file=backup)
        await restored.attach()
        await restored.settled()

        assert restored.lineage == page.lineage
        assert restored.names() == set(WORDS)
        back = Page(desk, page.chat, file=page.file)
        await back.attach()
        await back.settled()
        assert content(back.file) == newest
        assert len(desk.extractor.runs) == calls


async def test_a_graph_of_a_branch_is_the_fold_of_what_it_took_along(tmp_path):
    async with serving(tmp_path) as desk:
        page = await told(desk)
        branch = copied(page, 4)
        await branch.attach()
        session = desk.session(branch.lineage)

        assert session.graph.nodes == fold(session.view.keys, session.records).nodes

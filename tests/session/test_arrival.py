"""What a chat that is opened brings along, and what the user is told of it (docs/storage.md, rules 34, 35 and 39)."""

import orjson
import pytest

from session.desk import Page, content, serving
from st_bme.graph import state as states
from st_bme.graph.records import Base
from st_bme.protocol import commands

ORIGINAL = {
    "version": 9,
    "lastProcessedSeq": 3,
    "nodes": [
        {"id": "a", "type": "character", "seq": 1, "seqRange": [1, 3], "fields": {"name": "Ilse", "state": "at sea"}},
        {"id": "b", "type": "event", "seq": 1, "seqRange": [1, 1], "fields": {"summary": "Ilse hid the key"}},
    ],
    "edges": [{"id": "e", "fromId": "a", "toId": "b", "relation": "involved_in", "strength": 0.8}],
}


def two_turns(desk, **options):
    page = Page(desk, **options)
    page.chat.send("hello", "[character Bob]")
    page.chat.send("and then", "[character Cleo]")
    return page


def kept(desk):
    return [orjson.loads(body) for (body,) in desk.store._connection.execute("SELECT body FROM set_aside")]


def codes(page):
    return [notice.code for notice in page.notices]


async def test_the_original_s_memory_is_taken_over_when_its_chat_is_opened_and_nothing_is_read_again(tmp_path):
    async with serving(tmp_path) as desk:
        page = two_turns(desk, file=ORIGINAL)
        await page.attach()
        await page.settled()

        assert page.names() == {"Ilse", "Ilse hid the key"}
        assert page.file["version"] == 10
        assert [(sum(map(len, page.file["edges"].values())), page.file.get("pending", []))] == [(1, [])]
        assert desk.extractor.runs == []
        (notice,) = page.notices
        assert (notice.code, notice.data["memories"], notice.data["messages"]) == ("original_imported", 2, 4)
        assert kept(desk) == [ORIGINAL]
        await page.turn("go on", "[character Dan]")
        assert page.names() == {"Ilse", "Ilse hid the key", "Dan"}
        assert [len(run) for run in desk.extractor.runs] == [2]


@pytest.mark.parametrize("count", [2**64 - 1, 1e308])
async def test_a_count_out_of_all_proportion_hinders_neither_import_nor_export(tmp_path, count):
    ilse, *others = ORIGINAL["nodes"]
    state = ORIGINAL | {"nodes": [ilse | {"accessCount": count}, *others]}
    async with serving(tmp_path) as desk:
        page = two_turns(desk, file=state)
        await page.attach()
        exported = await desk.bridge.export_state(commands.Export(lineage=page.lineage, original=True))

        assert codes(page) == ["original_imported"]
        counts = [node["accessCount"] for node in orjson.loads(exported.text)["nodes"]]
        assert sorted(counts) == [0, 1_000_000_000]


async def test_opening_it_again_before_the_file_was_saved_takes_and_keeps_nothing_twice(tmp_path):
    async with serving(tmp_path) as desk:
        page = two_turns(desk, file=ORIGINAL)
        await page.attach()
        again = Page(desk, page.chat, file=ORIGINAL)
        await again.attach()

        assert again.lineage == page.lineage
        assert codes(again) == []
        assert again.file == page.file
        assert kept(desk) == [ORIGINAL]


async def test_an_original_that_writes_again_is_still_installed_and_the_user_is_told(tmp_path):
    later = ORIGINAL | {"nodes": [*ORIGINAL["nodes"], {"id": "c", "type": "rule", "seq": 3, "fields": {"title": "No"}}]}
    async with serving(tmp_path) as desk:
        page = two_turns(desk, file=ORIGINAL)
        await page.attach()
        again = Page(desk, page.chat, file=later)
        await again.attach()

        assert codes(again) == ["original_installed"]
        assert again.names() == page.names()
        assert kept(desk) == [ORIGINAL, later]


async def test_over_a_chat_that_was_read_the_original_adds_only_what_nobody_has_read(tmp_path):
    async with serving(tmp_path) as desk:
        page = Page(desk)
        page.chat.send("hello", "[character Bob]")
        await page.attach()
        await page.settled()
        page.chat.send("and then", "[character Cleo]")
        again = Page(
            desk,
            page.chat,
            file=ORIGINAL | {"nodes": [node | {"seq": 3, "seqRange": [3, 3]} for node in ORIGINAL["nodes"]]},
        )
        await again.attach()
        await again.settled()

        assert again.lineage == page.lineage
        assert again.names() == {"Bob", "Ilse", "Ilse hid the key"}
        assert [len(run) for run in desk.extractor.runs] == [2]


@pytest.mark.parametrize(
    "goes_on",
    [
        pytest.param(lambda page: page.take_seat(), id="the user presses use this one"),
        pytest.param(lambda page: page.event("MESSAGE_EDITED"), id="the other page is gone"),
    ],
)
async def test_an_original_in_a_page_without_the_seat_is_taken_over_when_that_page_goes_on(tmp_path, goes_on):
    async with serving(tmp_path) as desk:
        first = Page(desk)
        first.chat.send("hello", "[character Bob]")
        await first.attach()
        await first.settled()
        second = two_turns(desk, file=ORIGINAL)
        second.page = "second"
        second.chat.edit(0, "hallo")
        attached = await second.attach()
        assert (attached.elsewhere, kept(desk), first.names()) == (True, [], {"Bob"})
        await first.close()
        second._sent = ()

        await goes_on(second)
        await desk.extracted(second.lineage)
        second.file = await second.state()
        await second.read_events()

        assert "Ilse hid the key" in second.names()
        assert kept(desk) == [ORIGINAL]
        assert [notice["code"] for notice in second.told] == ["original_imported"]


async def test_a_page_that_closes_without_the_seat_takes_its_original_along(tmp_path):
    async with serving(tmp_path) as desk:
        first = Page(desk)
        first.chat.send("hello", "[character Bob]")
        await first.attach()
        second = two_turns(desk, file=ORIGINAL)
        second.page = "second"
        second.chat.edit(0, "hallo")
        await second.attach()
        await second.close()
        await first.settled()

        assert (kept(desk), first.names()) == ([], {"Bob"})


@pytest.fixture
def small(monkeypatch):
    """States above the limit after a few turns."""
    monkeypatch.setattr(states, "SOFT_LIMIT_BYTES", 1_200)
    monkeypatch.setattr(states, "TAIL_ANSWERS", 2)


async def told(desk, count=6):
    page = Page(desk)
    await page.attach()
    for number in range(count):
        await page.turn(f"hello {number}", f"[character Bob state={number}] [event thing{number}]")
    return page


def bases(desk, page):
    return [record for record in desk.session(page.lineage).records.all() if isinstance(record, Base)]


async def test_a_lost_server_takes_the_graph_of_a_state_that_could_not_carry_all_records(tmp_path, small):
    async with serving(tmp_path / "first") as desk:
        page = await told(desk)
        assert "was" in page.file or "newNodes" in page.file
    async with serving(tmp_path / "second") as desk:
        again = Page(desk, page.chat, file=page.file)
        await again.attach()
        await again.settled()

        assert again.names() == page.names()
        assert content(again.file)["known"] == content(page.file)["known"]
        assert len(bases(desk, again)) == 1
        assert (desk.extractor.runs, codes(again)) == ([], ["restored_from_file"])
        once_more = Page(desk, page.chat, file=page.file)
        await once_more.attach()
        assert len(bases(desk, once_more)) == 1
        assert desk.extractor.runs == []


async def test_a_server_with_all_records_takes_no_graph_from_a_state(tmp_path, small):
    async with serving(tmp_path) as desk:
        page = await told(desk)
        again = Page(desk, page.chat, file=page.file | {"head": "another"})
        await again.attach()

        assert again.was_asked_for_copy
        assert bases(desk, again) == []


async def test_what_a_restored_graph_lost_is_said_and_read_again_on_request(tmp_path, small):
    async with serving(tmp_path / "first") as desk:
        page = await told(desk)
    async with serving(tmp_path / "second") as desk:
        chat = page.chat
        chat.lines = [line for line in chat.lines if "state=1" not in line.text]
        again = Page(desk, chat, file=page.file)
        await again.attach()
        await again.settled()

        assert codes(again) == ["restored_from_file", "memories_lost"]
        notice = again.notices[1]
        assert notice.data["memories"] > 0
        lost = notice.data["messages"]
        before = sum(map(len, desk.extractor.runs))
        command = commands.ChatExtract(lineage=again.lineage, lost=True)
        extracted = await desk.bridge.extract(command)
        assert sum(map(len, desk.extractor.runs)) - before == lost
        assert extracted.records > 0
        await again.read_events()
        reopened = Page(desk, chat, file=again.file)
        await reopened.attach()
        left = [notice.data["memories"] for notice in reopened.notices]
        assert left == []


async def test_memories_that_left_the_state_for_room_are_counted_when_it_is_restored(tmp_path, small, monkeypatch):
    async with serving(tmp_path / "first") as desk:
        page = await told(desk)
        monkeypatch.setattr(states, "SOFT_LIMIT_BYTES", 100)
        monkeypatch.setattr(states, "ARCHIVED_LIMIT_BYTES", 100)
        for node in page.file["nodes"][:1]:
            await desk.bridge.graph_archive(commands.GraphArchive(lineage=page.lineage, node=node["id"], archived=True))
        await page.settled()
        assert page.file["leftOut"] == 1
    async with serving(tmp_path / "second") as desk:
        again = Page(desk, page.chat, file=page.file)
        await again.attach()

        told_of = [(notice.code, notice.data) for notice in again.notices]
        assert told_of == [("restored_from_file", {"memories": 11}), ("archived_left_out", {"count": 1})]


async def test_a_graph_of_an_old_state_brings_back_nothing_that_was_purged(tmp_path, small):
    async with serving(tmp_path) as desk:
        page = await told(desk)
        old = page.file
        page.chat.lines = page.chat.lines[4:]
        await page.event("MESSAGE_DELETED")
        await page.settled()
        await desk.bridge.purge(commands.ChatPurge(lineage=page.lineage, page=page.page, confirm=True))
        await page.read_events()
        again = Page(desk, page.chat, file=old | {"head": "another"})
        await again.attach()
        await again.settled()

        held = str(list(desk.session(again.lineage).records.all()))
        assert "thing0" not in held
        assert "thing5" in held
        assert "thing0" not in str(again.file)

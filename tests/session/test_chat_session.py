"""Records are on the disk before anything is told, and the pages follow exactly (docs/storage.md, section 14)."""

import asyncio
import gc
import random
import time

import orjson
import pytest

from graph.story import character, named
from session.desk import Page, content, serving
from st_bme.graph.fold import fold
from st_bme.graph.records import Answer, Mark, RecordSet, Stamp, UserEdit, record_id
from st_bme.graph.schedule import anchor_of
from st_bme.model.operation import Operation
from st_bme.protocol import commands
from st_bme.session.chat_session import records_of


def edit_of(session, *operations):
    stamp = Stamp(session.records.highest_n + 1, cause="user")
    return UserEdit(stamp, f"nonce{stamp.n}", operations, anchor_of(session.view.keys))


def pin(name):
    return Operation("pin", target=named(name))


async def test_a_record_is_on_the_disk_before_the_pages_hear_of_it(tmp_path, monkeypatch):
    async with serving(tmp_path) as desk:
        page = Page(desk)
        await page.attach()
        heard = []
        publish = desk.events.publish

        def listen(name, event):
            if name == "state_patch":
                stored = desk.store._load(page.lineage)
                heard.append(
                    (event.patch.rev, len(stored.records), len(desk.session(page.lineage).records), stored.rev)
                )
            return publish(name, event)

        monkeypatch.setattr(desk.events, "publish", listen)
        await page.turn("hello", "[character Bob]")

        assert heard
        assert all(stored >= known and rev == stored_rev for rev, stored, known, stored_rev in heard)


async def test_a_write_that_failed_changes_nothing(tmp_path, monkeypatch):
    async with serving(tmp_path) as desk:
        page = Page(desk)
        await page.attach()
        await page.turn("hello", "[character Bob]")
        session, before = desk.session(page.lineage), await page.state()

        async def full(lineage, commit):
            raise OSError("no space left")

        with monkeypatch.context() as patched:
            patched.setattr(desk.store, "write", full)
            with pytest.raises(OSError, match="no space"):
                await session.commit([edit_of(session, pin("Bob"))])

        assert len(session.records) == 2
        assert await page.state() == before
        await session.commit([edit_of(session, pin("Bob"))])
        await page.read_events()
        assert [node["pinned"] for node in page.file["nodes"]] == [True]


async def test_a_record_that_comes_twice_has_one_effect(tmp_path):
    async with serving(tmp_path) as desk:
        page = Page(desk)
        await page.attach()
        session = desk.session(page.lineage)
        made = edit_of(session, Operation("create", type="event", fields={"summary": "Dawn"}))
        await session.commit([made])
        rev = session.rev

        await session.commit([made])
        await asyncio.gather(session.commit([made]), session.commit([made]))

        assert session.rev == rev
        assert len(session.graph.nodes) == 1


async def test_a_chat_is_not_folded_where_no_record_is_new(tmp_path):
    async with serving(tmp_path) as desk:
        page = Page(desk)
        await page.attach()
        await page.turn("hello", "[character Bob]")
        session = desk.session(page.lineage)
        before = session.graph
        await session.commit([])
        await session.commit(list(session.records.all()))

        assert session.graph is before


async def test_commits_at_once_are_all_kept(tmp_path):
    async with serving(tmp_path) as desk:
        page = Page(desk)
        await page.attach()
        session = desk.session(page.lineage)

        def made(number):
            operation = Operation("create", type="event", fields={"summary": f"E{number}"})
            return UserEdit(Stamp(2), f"nonce{number}", (operation,), ())

        await asyncio.gather(*(session.commit([made(number)]) for number in range(20)))
        await page.read_events()

        assert page.names() == {f"E{number}" for number in range(20)}
        assert page.file == await page.state()
        assert RecordSet(records_of(desk.store._load(page.lineage))).head == session.records.head


async def test_undo_and_redo_reach_the_page(tmp_path):
    async with serving(tmp_path) as desk:
        page = Page(desk)
        await page.attach()
        await page.turn("hello", "[character Bob]")
        session, whole = desk.session(page.lineage), content(page.file)
        target = next(identity for _, identity, record in session.records.in_order() if isinstance(record, Answer))

        await session.commit([Mark(Stamp(session.records.highest_n + 1), "x", target, off=True)])
        await page.read_events()
        assert page.names() == set()
        await session.commit([Mark(Stamp(session.records.highest_n + 1), "y", target, off=False)])
        await page.read_events()

        assert content(page.file) == whole
        assert len(desk.extractor.runs) == 1


async def test_nothing_is_sent_where_nothing_changed(tmp_path):
    async with serving(tmp_path) as desk:
        page = Page(desk)
        await page.attach()
        await page.turn("hello", "[character Bob]")
        rev = page.file["rev"]

        await page.event("GENERATION_ENDED")
        await desk.session(page.lineage).publish()
        await page.settled()

        assert desk.session(page.lineage).rev == rev


async def test_a_list_that_changes_while_another_is_written_is_stored_too(tmp_path, monkeypatch):
    async with serving(tmp_path) as desk:
        page = Page(desk)
        await page.attach()
        await page.turn("hello", "[character Bob]")
        session, write = desk.session(page.lineage), desk.store.write
        is_first = True

        async def slow(lineage, commit):
            nonlocal is_first
            if commit.slots is not None and is_first:
                is_first = False
                page.chat.delete(0)
                await session.follow(page._patch(), ())
            await write(lineage, commit)

        monkeypatch.setattr(desk.store, "write", slow)
        page.chat.duplicate(1)
        await session.follow(page._patch(), ())
        await session.publish()
        await session.publish()

        assert len(orjson.loads(desk.store._load(page.lineage).slots)) == len(page.chat.lines) == 2


async def test_a_chat_that_was_renamed_goes_on_under_its_new_name(tmp_path):
    async with serving(tmp_path) as desk:
        page = Page(desk)
        await page.attach()
        await page.turn("hello", "[character Bob]")
        renamed = page.file | {"chat": {"name": "New name", "owner": "ann.png"}}
        again = Page(desk, page.chat, name="New name", file=renamed)
        await again.attach()

        assert again.lineage == page.lineage
        assert again.file["chat"]["name"] == "New name"
        assert desk.store._load(page.lineage).chat.name == "New name"


async def test_the_page_holds_what_the_server_holds_after_any_walk(tmp_path):
    """The patches of the stream, one after another, give the state; and the state is the fold of the records."""
    rng = random.Random(20)
    async with serving(tmp_path) as desk:
        page = Page(desk, extractEvery=2)
        await page.attach()
        session = desk.session(page.lineage)
        for step in range(40):
            match rng.randrange(8):
                case 0 if page.chat.lines:
                    page.chat.delete(rng.randrange(99))
                case 1 if page.chat.lines:
                    page.chat.edit(rng.randrange(99), f"[event E{step}] edited")
                case 2 if page.chat.lines:
                    page.chat.move(rng.randrange(99), rng.randrange(99))
                case 3 if page.chat.lines and page.chat.lines[-1].role == "assistant":
                    page.chat.swipe(f"<think>{step}</think>[character C{step % 5} state=s{step}]")
                case 4:
                    await page.recall(f"C{step % 5}")
                case 5 if page.file["nodes"]:
                    await session.commit([edit_of(session, pin(f"C{step % 5}"), character(f"U{step}", None))])
                case _:
                    page.chat.send(f"say {step % 6}", f"[character C{step % 5} state=s{step}] [event E{step}]")
            await page.event("GENERATION_ENDED")
            if rng.random() < 0.5:
                await page.settled()
        await desk.bridge.extract(commands.ChatExtract(lineage=page.lineage))
        await page.settled()

        assert page.file == await page.state()
        assert len(page.file["nodes"]) > 10
        fresh = fold(session.view.keys, RecordSet(records_of(desk.store._load(page.lineage))))
        assert fresh == session.graph
        assert record_id(session.records.all()[0]) in session.records


async def test_a_long_chat_is_folded_beside_the_event_loop(tmp_path):
    async with serving(tmp_path) as desk:
        page = Page(desk, extractAutoEnabled=False)
        for number in range(400):
            page.chat.send(f"say {number}", f"[character C{number % 30} state=s{number}] [event E{number}]")
        await page.attach()
        longest, stop = 0.0, False

        async def watch():
            nonlocal longest
            while not stop:
                before = time.thread_time()
                await asyncio.sleep(0)
                longest = max(longest, time.thread_time() - before)

        gc.freeze()  # what the other tests left is not this server's to look through
        watcher = asyncio.create_task(watch())
        await desk.bridge.extract(commands.ChatExtract(lineage=page.lineage))
        stop = True
        await watcher
        gc.unfreeze()
        await page.settled()

        assert page.file == await page.state()
        assert longest < 0.3, f"the event loop worked for {longest:.2f} s at one go"

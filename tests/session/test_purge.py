"""Forgetting for good what the chat does not tell any more (docs/storage.md, rule 36)."""

import copy
import json

import numpy as np
import pytest
from pydantic import ValidationError

from graph.unpacked import fields_of
from session.desk import Page, serving
from st_bme.graph.records import Origin
from st_bme.ports import VectorSpace
from st_bme.protocol import commands

WORDS = ("Bob", "Cleo", "Dan")


async def told(desk):
    page = Page(desk)
    await page.attach()
    for word in WORDS:
        await page.turn(f"hello {word}", f"[character {word}]")
    return page


async def without_last_turn(page):
    """The chat without its last turn, and that turn."""
    lines = page.chat.lines[4:]
    page.chat.lines = page.chat.lines[:4]
    await page.event("MESSAGE_DELETED")
    await page.settled()
    return lines


async def purge(page):
    purged = await page.desk.bridge.purge(commands.ChatPurge(lineage=page.lineage, page=page.page, confirm=True))
    await page.read_events()
    return purged


def on_disk(folder):
    return b"".join(path.read_bytes() for path in folder.glob("memory.sqlite3*"))


async def test_nothing_of_absent_messages_is_left_on_the_disk_or_in_the_file(tmp_path):
    async with serving(tmp_path) as desk:
        page = await told(desk)
        await without_last_turn(page)
        assert b"Dan" in on_disk(tmp_path)
        purged = await purge(page)

        assert (purged.records, purged.texts) == (1, 2)
        assert b"Dan" not in on_disk(tmp_path)
        assert "Dan" not in str(page.file)
        assert page.names() == {"Bob", "Cleo"}
        assert page.file == await page.state()


async def test_it_is_confirmed_or_not_done():
    for body in ({}, {"confirm": False}):
        with pytest.raises(ValidationError):
            commands.ChatPurge.model_validate({"lineage": "abcdefgh", **body})


async def test_messages_that_come_back_are_read_again(tmp_path):
    async with serving(tmp_path) as desk:
        page = await told(desk)
        calls = len(desk.extractor.runs)
        lines = await without_last_turn(page)
        await purge(page)
        page.chat.lines.extend(lines)
        page._told.clear()
        await page.event("MESSAGE_RECEIVED")
        await page.settled()

        assert page.names() == set(WORDS)
        assert len(desk.extractor.runs) == calls + 1


@pytest.mark.parametrize("is_restarted", [False, True])
async def test_an_old_copy_does_not_bring_it_back(tmp_path, is_restarted):
    async with serving(tmp_path) as desk:
        page = await told(desk)
        old = copy.deepcopy(page.file)
        await without_last_turn(page)
        await purge(page)
        if not is_restarted:
            await attach_old(desk, page, old)
    if is_restarted:
        async with serving(tmp_path) as desk:
            await attach_old(desk, page, old)


async def attach_old(desk, page, old):
    again = Page(desk, page.chat, file=old | {"head": "unknown"})
    await again.attach()

    assert again.was_asked_for_copy
    assert again.lineage == page.lineage
    assert again.names() == {"Bob", "Cleo"}
    assert "Dan" not in str(again.file)
    assert "Dan" not in str(desk.session(again.lineage).records.all())
    await desk.bridge.import_state(commands.Import(lineage=again.lineage, state=json.dumps(old)))
    assert "Dan" not in str(desk.session(again.lineage).records.all())


async def test_a_branch_with_an_old_copy_does_not_bring_it_back(tmp_path):
    async with serving(tmp_path) as desk:
        page = await told(desk)
        old = copy.deepcopy(page.file)
        await without_last_turn(page)
        await purge(page)
        branch = Page(desk, page.chat.copy(), name="Branch", file=old | {"head": "unknown"})
        await branch.attach()

        assert branch.was_asked_for_copy
        assert "Dan" not in str(desk.session(branch.lineage).records.all())


async def test_what_the_chat_tells_and_what_the_user_did_stay(tmp_path):
    async with serving(tmp_path) as desk:
        page = await told(desk)
        (node,) = [node["id"] for node in page.file["nodes"] if fields_of(page.file, node).get("name") == "Dan"]
        await desk.bridge.graph_pin(commands.GraphPin(lineage=page.lineage, node=node, pinned=True))
        lines = await without_last_turn(page)
        before = desk.session(page.lineage).graph
        await purge(page)
        session = desk.session(page.lineage)

        assert (session.graph.nodes, session.graph.edges) == (before.nodes, before.edges)
        page.chat.lines.extend(lines)
        page._told.clear()
        await page.event("MESSAGE_RECEIVED")
        await page.settled()
        assert session.graph.nodes[node].pinned


async def test_what_is_undone_stays_undone(tmp_path):
    async with serving(tmp_path) as desk:
        page = await told(desk)
        calls = len(desk.extractor.runs)
        entries = (await desk.bridge.history_list(commands.HistoryList(lineage=page.lineage))).entries
        answer = next(entry.id for entry in entries if entry.floors == [2, 3])
        await desk.bridge.history_undo(commands.HistoryUndo(lineage=page.lineage, records=[answer]))
        await without_last_turn(page)
        await purge(page)
        await page.settled()

        assert page.names() == {"Bob"}
        assert len(desk.extractor.runs) == calls


async def test_a_chat_that_tells_everything_loses_nothing(tmp_path):
    async with serving(tmp_path) as desk:
        page = await told(desk)
        before = page.file
        purged = await purge(page)

        assert (purged.records, purged.texts) == (0, 0)
        assert page.file == before
        assert any(isinstance(record, Origin) for record in desk.session(page.lineage).records.all())


async def test_of_vectors_only_those_of_what_is_told_stay(tmp_path):
    """Also those go that were made of what purged and other messages told together."""
    async with serving(tmp_path) as desk:
        page = await told(desk)
        vectors, space = desk.bridge._tools.vectors, VectorSpace("test", 2)
        texts = [*await desk.bridge._chats[page.lineage].recalling.texts(), "Bob\nsad, for Dan is gone"]
        assert {"Bob", "Cleo", "Dan"} <= set(texts)
        await vectors.put(space, texts, np.ones((len(texts), 2), np.float32))
        await without_last_turn(page)
        await purge(page)

        kept = [texts[place] for place in (await vectors.get(space, texts)).positions]
        assert kept == [text for text in texts if "dan" not in text.lower()]

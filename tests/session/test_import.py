"""A state that is imported into a chat: what of it takes part."""

import copy
import json

import pytest

from session.desk import Page, serving
from st_bme.errors import NotFound
from st_bme.protocol import commands

ORIGINAL = {"version": 9, "nodes": [{"id": "n", "type": "character", "fields": {"name": "Ann"}}], "edges": []}


async def take(page, state):
    return await page.desk.bridge.import_state(commands.Import(lineage=page.lineage, state=json.dumps(state)))


async def test_records_of_another_chat_rest_until_their_messages_are_there(tmp_path):
    async with serving(tmp_path) as desk:
        told = Page(desk, name="Told")
        await told.attach()
        await told.turn("hello", "[character Ann]")
        await told.turn("and then", "[character Bo]")
        state = copy.deepcopy(told.file)
        other = Page(desk, name="Other")
        await other.attach()
        await other.turn("good day", "[character Cleo]")

        taken = await take(other, state)
        assert (taken.records, taken.resting, taken.nodes) == (3, 2, 1)  # the origin of a chat tells of no message
        again = await take(other, state)
        assert (again.records, again.resting) == (0, 0)
        assert (await take(told, state)).resting == 0


async def test_an_import_can_be_undone_as_one_and_redone(tmp_path):
    async with serving(tmp_path / "one") as desk:
        told = Page(desk)
        await told.attach()
        await told.turn("hello", "[character Ann]")
        await told.turn("and then", "[character Bo]")
        state = copy.deepcopy(told.file)
    async with serving(tmp_path / "two") as desk:
        page = Page(desk, told.chat, extractAutoEnabled=False)
        await page.attach()

        taken = await take(page, state)
        assert (taken.records, taken.nodes, len(taken.made)) == (3, 2, 2)
        await desk.bridge.history_undo(commands.HistoryUndo(lineage=page.lineage, records=taken.made))
        assert not desk.session(page.lineage).graph.nodes
        await desk.bridge.history_redo(commands.HistoryRedo(lineage=page.lineage, records=taken.made))
        assert {node.name for node in desk.session(page.lineage).graph.active_nodes()} == {"Ann", "Bo"}
        assert (await take(page, state)).made == []


async def test_an_import_of_what_was_undone_here_says_so(tmp_path):
    async with serving(tmp_path / "one") as desk:
        told = Page(desk)
        await told.attach()
        await told.turn("hello", "[character Ann]")
        await told.turn("and then", "[character Bo]")
        bo = desk.session(told.lineage).records.in_order()[-1][1]
        await desk.bridge.history_undo(commands.HistoryUndo(lineage=told.lineage, records=[bo]))
        await told.read_events()
        state = copy.deepcopy(told.file)
    async with serving(tmp_path / "two") as desk:
        page = Page(desk, told.chat, extractAutoEnabled=False)
        await page.attach()
        first = await take(page, state)
        await desk.bridge.history_undo(commands.HistoryUndo(lineage=page.lineage, records=first.made))

        again = await take(page, state)

        assert first.off == []
        assert (again.records, again.made, again.off) == (0, [], [each for each in first.made if each != bo])
        await desk.bridge.history_redo(commands.HistoryRedo(lineage=page.lineage, records=again.off))
        assert {node.name for node in desk.session(page.lineage).graph.active_nodes()} == {"Ann"}


async def test_a_state_of_the_original_comes_in_anew_where_its_import_was_undone_but_not_by_itself(tmp_path):
    async with serving(tmp_path) as desk:
        page = Page(desk, extractAutoEnabled=False)
        page.chat.send("hello", "there")
        await page.attach()
        first = await take(page, ORIGINAL)
        beside = await take(page, ORIGINAL)
        await desk.bridge.history_undo(commands.HistoryUndo(lineage=page.lineage, records=first.made))
        found = Page(desk, page.chat, file=ORIGINAL, extractAutoEnabled=False)
        await found.attach()
        names = {node.name for node in desk.session(page.lineage).graph.active_nodes()}
        again = await take(page, ORIGINAL)

        assert (beside.records, names) == (0, set())
        assert (again.records, again.nodes) == (1, 1)
        assert again.made not in ([], first.made)


async def test_records_are_undone_all_or_none(tmp_path):
    async with serving(tmp_path) as desk:
        page = Page(desk)
        await page.attach()
        await page.turn("hello", "[character Ann]")
        session = desk.session(page.lineage)
        origin, answer = [identity for _, identity, _ in session.records.in_order()]

        with pytest.raises(NotFound):
            await desk.bridge.history_undo(commands.HistoryUndo(lineage=page.lineage, records=[answer, origin]))
        assert session.records.switched_off() == frozenset()
        await desk.bridge.history_undo(commands.HistoryUndo(lineage=page.lineage, records=[answer, answer]))

        assert session.records.switched_off() == {answer}
        assert len(session.records) == 3

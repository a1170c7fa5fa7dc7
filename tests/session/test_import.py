"""A state that is imported into a chat: what of it takes part."""

import copy
import json

import pytest

from session.desk import Page, serving
from st_bme.errors import NotFound
from st_bme.protocol import commands


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

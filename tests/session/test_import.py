"""A state that is imported into a chat: what of it takes part."""

import copy
import json

from session.desk import Page, serving
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

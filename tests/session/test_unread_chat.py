"""What a model that costs something reads of a chat that was never read."""

import pytest

from scenarios.chat_model import Chat
from session.desk import Page, serving
from st_bme.adapters.testing import ScriptedChatModel
from st_bme.protocol import commands


@pytest.mark.parametrize(("turns", "read"), [(10, 10), (11, 0)], ids=["a-few", "too-many"])
async def test_an_old_chat_costs_no_call_by_itself_but_what_is_said_from_then_on_is_read(tmp_path, turns, read):
    """Up to 20 unread messages are read at once; of more than that the user is asked first."""
    chat = Chat()
    for number in range(turns):
        chat.send(f"hello {number}", f"[character Old{number}]")
    async with serving(tmp_path, model=ScriptedChatModel([])) as desk:
        page = Page(desk, chat)
        await page.attach()
        await page.settled()
        at_first = len(desk.extractor.runs)

        await page.turn("and now?", "[character New]")

        assert at_first == read
        assert len(desk.extractor.runs) == read + 1
        assert "New" in page.names()


async def test_an_old_chat_is_read_whole_when_the_user_asks(tmp_path):
    chat = Chat()
    for number in range(30):
        chat.send(f"hello {number}", f"[character Old{number}]")
    async with serving(tmp_path, model=ScriptedChatModel([])) as desk:
        page = Page(desk, chat)
        await page.attach()
        await page.settled()

        newest = await desk.bridge.extract(commands.ChatExtract(lineage=page.lineage))
        whole = await desk.bridge.extract(commands.ChatExtract(lineage=page.lineage, whole=True))

        assert (newest.records, whole.records, whole.pending) == (10, 20, 0)

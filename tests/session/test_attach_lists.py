"""What an attached chat takes: lists that fit, chats that are known, texts in pieces."""


import pytest

from session.desk import Page, serving
from session.test_attach import told
from st_bme.adapters.testing import ScriptedExtractor
from st_bme.errors import UnknownChat, ViewMismatch
from st_bme.protocol import commands
from st_bme.protocol.wire import MessageList


async def test_a_list_that_does_not_fit_is_refused_and_a_whole_one_mends_it(tmp_path):
    async with serving(tmp_path) as desk:
        page = await told(desk)
        wrong = MessageList(keep=2, base="AAAAAAAB", names=["Ann"], rows=[])
        command = commands.ChatEvent(lineage=page.lineage, event="MESSAGE_EDITED", messages=wrong)

        with pytest.raises(ViewMismatch):
            await desk.bridge.event(command)

        page._sent = ()
        page.chat.delete(0)
        await page.event("MESSAGE_DELETED")
        await page.settled()
        assert page.file == await page.state()
        assert len(desk.session(page.lineage).view) == 5


async def test_a_command_for_a_chat_that_nobody_opened_is_refused(tmp_path):
    async with serving(tmp_path) as desk:
        with pytest.raises(UnknownChat):
            await desk.bridge.state(commands.ChatState(lineage="abcdefgh"))


async def test_texts_that_come_in_pieces_are_read_when_they_are_all_here(tmp_path):
    async with serving(tmp_path, ScriptedExtractor()) as desk:
        page = Page(desk)
        for word in ("Bob", "Cleo"):
            page.chat.send(f"hello {word}", f"[character {word}]")
        attached = await page.attach(with_texts=False)
        assert attached.need == [3, 2, 1, 0]
        need = attached.need
        for floor in (1, 3, 0, 2):
            texts = page._texts({floor})
            received = await desk.bridge.receive(commands.ChatMessages(lineage=page.lineage, texts=texts))
            need = [other for other in need if other != floor]
            assert received.need == need
        await page.settled()

        assert page.names() == {"Bob", "Cleo"}
        assert page.file == await page.state()

"""A chat with the work that goes on in it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from st_bme.session.catch_up import CatchUp
from st_bme.session.chat_session import ChatSession
from st_bme.session.extraction import ExtractionQueue
from st_bme.session.history import History
from st_bme.session.recalling import Recalling
from st_bme.session.seat import Seat
from st_bme.session.tools import Tools
from st_bme.session.upkeep import UpkeepQueue


@dataclass(slots=True)
class OpenChat:
    """One session, and what reads, tends and recalls its memories.

    `originals`: by page, the state of the original ST-BME, as text, that it brought while another page had the seat.
    `bringing`: held while memories are taken over from another chat, so that none comes twice.
    """

    session: ChatSession
    extraction: ExtractionQueue
    catch_up: CatchUp
    recalling: Recalling
    history: History
    upkeep: UpkeepQueue
    seat: Seat
    originals: dict[str, str] = field(default_factory=dict)
    bringing: asyncio.Lock = field(default_factory=asyncio.Lock)

    @property
    def is_idle(self) -> bool:
        return self.extraction.is_idle and self.upkeep.is_idle and self.catch_up.is_idle

    async def stop(self) -> None:
        """Let go of all work; what is not recorded stays pending."""
        await self.catch_up.stop()
        await self.extraction.stop()
        await self.upkeep.stop()
        await self.recalling.stop()
        await self.session.stop()


def open_chat(session: ChatSession, tools: Tools) -> OpenChat:
    """A session with all that works on it."""
    extraction, upkeep = ExtractionQueue(session, tools), UpkeepQueue(session, tools)
    recalling = Recalling(session, tools)
    extraction.on_done, upkeep.vector_of = upkeep.start, recalling.vector_of
    return OpenChat(
        session=session,
        extraction=extraction,
        catch_up=CatchUp(session, extraction, tools),
        recalling=recalling,
        history=History(session, tools),
        upkeep=upkeep,
        seat=Seat(tools.clock),
    )

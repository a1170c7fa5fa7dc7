"""What follows once the list of an opened chat is known: an import, and what the user should know."""

from __future__ import annotations

from pydantic import JsonValue

from st_bme.errors import CorruptState
from st_bme.graph.restore import losses_of
from st_bme.protocol.results import Notice
from st_bme.session.chat_session import ChatSession
from st_bme.session.exchange import Exchange
from st_bme.session.lost_chat import LostChat
from st_bme.session.tools import Tools


class Arrival:
    """The end of opening one chat."""

    def __init__(self, session: ChatSession, tools: Tools) -> None:
        self._session = session
        self._tools = tools

    async def notices(self, original: str | None) -> list[Notice]:
        """Import a state of the original ST-BME if the chat came with one (rule 39), and say what is to be known."""
        found = await self.take_original(original) if original is not None else []
        offer = await LostChat(self._session, self._tools).offer()
        if offer is not None:
            found.append(offer)
        front = self._session.log.front
        if front:
            found.append(Notice(code="front_kept", level="warning", data={"messages": front}))
        return [*found, *self._lost()]

    async def take_original(self, original: str) -> list[Notice]:
        """Import it over the list of messages as it stands, or keep it whole, and say which."""
        exchange = Exchange(self._session, self._tools)
        try:
            return (await exchange.take_found(original)).notices
        except CorruptState as error:
            number = await exchange.keep(original, str(error))
            return [Notice(code="copy_set_aside", level="warning", data={"number": number})]

    def _lost(self) -> list[Notice]:
        """What a base cannot show any more, with the offer to read its messages again (rule 35)."""
        losses = losses_of(self._session.records, self._session.graph)
        if not losses:
            return []
        memories = {node_id for loss in losses for node_id in (*loss.nodes, *loss.fields)}
        messages = {key for loss in losses for key in loss.ask_again}
        data: dict[str, JsonValue] = {"memories": len(memories), "messages": len(messages)}
        return [Notice(code="memories_lost", level="warning", data=data)]

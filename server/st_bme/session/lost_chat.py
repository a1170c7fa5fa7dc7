"""A chat that came back without its messages: what was known of it is kept, and offered (rule 41)."""

from __future__ import annotations

import asyncio

from pydantic import JsonValue

from st_bme.errors import NotFound
from st_bme.graph.records import Answer, Base
from st_bme.history.attach import BARE
from st_bme.ports import StoredChat
from st_bme.protocol.results import Notice
from st_bme.session.chat_log import slots_from_json
from st_bme.session.chat_session import ChatSession, records_of
from st_bme.session.tools import Tools


class LostChat:
    """What other lineages know of the chat of a session."""

    def __init__(self, session: ChatSession, tools: Tools) -> None:
        self._session = session
        self._tools = tools

    async def offer(self) -> Notice | None:
        """Offer the newest lineage of this chat's name that knows more messages; None if the chat has messages."""
        session = self._session
        if sum(slot is not None for slot in session.log.slots) > BARE:
            return None
        for lineage in await self._tools.store.find(session.chat):
            stored = await self._tools.store.load(lineage)
            if lineage == session.lineage or stored is None:
                continue
            messages = _length_of(stored)
            if messages > BARE and any(record.id not in session.records for record in stored.records):
                data: dict[str, JsonValue] = {"lineage": lineage, "messages": messages}
                return Notice(code="restore_offered", level="warning", data=data)
        return None

    async def restore(self, source: str) -> None:
        """Unite what another lineage of the same character or group knows: records, texts and aliases.

        Raises: NotFound: there is no such lineage, or it is another character's.
        """
        session = self._session
        stored = await self._tools.store.load(source)
        if stored is None or stored.chat.owner != session.chat.owner:
            raise NotFound(f"no memory {source!r} that belongs to this chat")
        records = await asyncio.to_thread(records_of, stored)
        await session.unite(records, stored.texts, stored.aliases)


def _length_of(stored: StoredChat) -> int:
    """Messages of the list as it was seen last, or that records know where it was never seen."""
    listed = sum(slot is not None for slot in slots_from_json(stored.slots))
    if listed:
        return listed
    known: set[str] = set()
    for record in records_of(stored):
        if isinstance(record, Answer):
            known.update(record.run)
        elif isinstance(record, Base):
            known.update(record.known)
    return len(known)

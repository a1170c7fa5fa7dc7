"""Memory across chats: what other chats of the same character or group remember, for one of them to take over."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from st_bme.errors import NotFound
from st_bme.graph.carry import carry
from st_bme.graph.fold import fold
from st_bme.graph.memory_graph import MemoryGraph
from st_bme.graph.records import RecordSet
from st_bme.model.operation import Operation
from st_bme.protocol import drawn
from st_bme.session.chat_log import ChatLog, slots_from_json
from st_bme.session.chat_session import ChatSession, records_of
from st_bme.session.tools import Tools

MOST_NAMED = 200


class OtherChats:
    """The other chats of the character or group of a session. They are only read."""

    def __init__(self, session: ChatSession, tools: Tools) -> None:
        self._session = session
        self._tools = tools

    async def names(self) -> drawn.OtherChats:
        """The newest of them, but for those that have no message."""
        found: list[drawn.OtherChat] = []
        for lineage, chat in (await self._tools.store.chats()).items():
            if chat.owner != self._session.chat.owner or lineage == self._session.lineage or len(found) == MOST_NAMED:
                continue
            stored = await self._tools.store.load_list(lineage)
            messages = sum(slot is not None for slot in slots_from_json(stored.slots)) if stored else 0
            if messages:
                found.append(drawn.OtherChat(lineage=lineage, name=chat.name, messages=messages))
        return drawn.OtherChats(chats=found)

    async def memories(self, lineage: str) -> tuple[Sequence[Operation], int]:
        """What to record to take over the memories of another chat, and how many memories that one has.

        Raises: NotFound: there is no such chat, or it is another character's.
        """
        graph = await self._graph_of(lineage)
        operations = await asyncio.to_thread(carry, graph, self._session.graph)
        return operations, len(graph.active_nodes())

    async def _graph_of(self, lineage: str) -> MemoryGraph:
        stored = await self._tools.store.load(lineage)
        if stored is None or stored.chat.owner != self._session.chat.owner or lineage == self._session.lineage:
            raise NotFound(f"no other chat {lineage!r} of this character; chat/others names those that there are")
        log = ChatLog(lineage)
        log.restore(stored.slots, stored.texts, stored.aliases)
        view = log.view(include_hidden=self._tools.settings().bool("includeHiddenMessages"))
        return await asyncio.to_thread(lambda: fold(view.keys, RecordSet(records_of(stored))))

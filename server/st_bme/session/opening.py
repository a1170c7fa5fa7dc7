"""Opening a chat: find or make its lineage, unite the copy with the store, and set up the session."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Collection, Mapping

import orjson

from st_bme.errors import BadRequest, CorruptState, NewerState
from st_bme.graph.ids import digest
from st_bme.graph.records import Origin, Record, RecordSet, Stamp, record_from_json
from st_bme.graph.state import DecodedState, decode_state
from st_bme.history.attach import AttachDecision, CopyClaim, decide_attach
from st_bme.ports import ChatName, Commit, StoredChat, StoredText
from st_bme.protocol.commands import ChatAttach
from st_bme.protocol.results import Notice
from st_bme.session.chat_log import slots_from_json
from st_bme.session.chat_session import ChatSession, stored_record
from st_bme.session.tools import Tools

_LOGGER = logging.getLogger(__name__)


class Opening:
    """Opens chats for one server. A lineage has one session as long as the server runs."""

    def __init__(self, tools: Tools) -> None:
        self._tools = tools

    async def decide(self, command: ChatAttach) -> AttachDecision:
        """Which lineage the chat belongs to."""
        chat = command.chat.to_name()
        claim = _claim(command)
        stored: dict[str, Collection[str]] = {}
        same_name = await self._same_chat(chat, command)
        for lineage in {same_name, claim.lineage if claim else ""} - {""}:
            if await self._tools.store.load(lineage) is not None:
                stored[lineage] = (await self._tools.store.heads(lineage)).values()
        return decide_attach(chat, claim, stored, same_name)

    async def _same_chat(self, chat: ChatName, command: ChatAttach) -> str:
        """The newest lineage of this name that shares a message besides the greeting with the list, or has none."""
        keys = {row.key for row in command.messages.rows[1:] if row is not None}
        for lineage in await self._tools.store.find(chat):
            stored = await self._tools.store.load(lineage)
            known = {slot.raw for slot in slots_from_json(stored.slots)[1:] if slot} if stored else set()
            if keys & known or (not keys and not known):
                return lineage
        return ""

    async def open(self, command: ChatAttach, decision: AttachDecision) -> tuple[ChatSession, list[Notice]]:
        """The session of the chat, with what the user should know of how it was found."""
        notices: list[Notice] = []
        state = None
        if decision.kind == "set_aside":
            notices.append(await self._set_aside(command, "a copy that is not this program's"))
        elif decision.needs_copy and command.copy_state is not None:
            state = await self._read_copy(command, notices)
        chat = command.chat.to_name()
        lineage = await self._lineage_for(decision, chat, state)
        await self._unite(lineage, state)
        stored = await self._tools.store.load(lineage)
        if stored is None:
            raise CorruptState(f"chat {lineage} is missing from the store that it was just written to")
        if stored.chat != chat:
            await self._tools.store.rename(lineage, chat)
        session = ChatSession(self._tools, stored, command.chat)
        await session.open()
        _LOGGER.info("chat %s opened: %s, %d records", lineage, decision.kind, len(session.records))
        return session, notices

    async def _lineage_for(self, decision: AttachDecision, chat: ChatName, state: DecodedState | None) -> str:
        """The lineage to open; made here where it is not in the store."""
        store = self._tools.store
        if decision.kind == "follow" or (decision.kind == "set_aside" and decision.lineage):
            return decision.lineage
        if decision.kind == "restore" and state is not None:
            await store.create(decision.lineage, chat)
            return decision.lineage
        lineage = _new_lineage()
        await store.create(lineage, chat)
        parent = await store.load(decision.lineage) if decision.kind == "fork" else None
        await self._begin(lineage, parent, state if decision.kind == "fork" else None)
        return lineage

    async def _begin(self, lineage: str, parent: StoredChat | None, state: DecodedState | None) -> None:
        """Write the first record of a lineage, and for a fork all that its parent knows."""
        records: list[Record] = []
        texts: tuple[StoredText, ...] = ()
        aliases: Mapping[str, str] = {}
        if parent is not None:
            records = [record_from_json(orjson.loads(entry.body), entry.id) for entry in parent.records]
            texts, aliases = parent.texts, parent.aliases
        united = RecordSet(records + list(state.records if state else ()))
        stamp = Stamp(n=united.highest_n + 1, time=self._tools.clock.now_ms(), cause="attach")
        of = parent.lineage if parent else state.lineage if state else ""
        rev = parent.rev if parent else state.rev if state else 0
        united.add(Origin(stamp, secrets.token_hex(8), "fork" if of else "birth", of, rev))
        stored = tuple(stored_record(record) for record in united.all())
        await self._tools.store.write(lineage, Commit(rev, united.head, stored, texts=texts, aliases=aliases))

    async def _unite(self, lineage: str, state: DecodedState | None) -> None:
        """Add to the store what only the copy has: the union of both, conflicts settled by (n, id) in the fold."""
        if state is None:
            return
        stored = await self._tools.store.load(lineage)
        present = stored.records if stored else ()
        known = RecordSet(record_from_json(orjson.loads(entry.body), entry.id) for entry in present)
        fresh = [entry for entry in map(stored_record, state.records) if entry.id not in known]
        rev = max(stored.rev if stored else 0, state.rev)
        known.add_all(state.records)
        await self._tools.store.write(lineage, Commit(rev, known.head, tuple(fresh), aliases=state.aliases))

    async def _read_copy(self, command: ChatAttach, notices: list[Notice]) -> DecodedState | None:
        """The copy, or None where it cannot be read: then it is set aside whole and the user is told."""
        try:
            return decode_state(command.copy_state)
        except NewerState:
            raise
        except CorruptState as error:
            _LOGGER.warning("the copy in chat metadata cannot be read: %s", error)
            notices.append(await self._set_aside(command, str(error)))
            return None

    async def _set_aside(self, command: ChatAttach, reason: str) -> Notice:
        if command.copy_state is None:
            raise BadRequest("the copy is needed to set it aside; attach again with copy_state")
        number = await self._tools.store.set_aside(reason, orjson.dumps(command.copy_state))
        version = command.copy_head.version if command.copy_head else 0
        return Notice(code="copy_set_aside", level="warning", data={"number": number, "version": version})


def _claim(command: ChatAttach) -> CopyClaim | None:
    head = command.copy_head
    if head is None:
        return None
    return CopyClaim(head.version, head.lineage, ChatName(head.chat, head.owner), head.rev, head.head)


def _new_lineage() -> str:
    return digest("lineage", secrets.token_hex(16), length=20)

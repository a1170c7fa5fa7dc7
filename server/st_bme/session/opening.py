"""Opening a chat: find or make its lineage, unite the copy with the store, and set up the session."""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from pydantic import JsonValue

from st_bme.errors import BadRequest, CorruptState, NewerState
from st_bme.graph.base_part import base_part
from st_bme.graph.ids import digest
from st_bme.graph.records import Base, Mark, Origin, Record, RecordSet, Stamp, record_id
from st_bme.graph.restore import read_in, records_to_take
from st_bme.graph.state import VERSION, DecodedState, decode_text
from st_bme.graph.time_travel import BRANCH, branch_records
from st_bme.history.attach import (
    AttachDecision,
    CopyClaim,
    OpenedChat,
    StoredClaim,
    decide_attach,
    shared_length,
)
from st_bme.history.view import view_of
from st_bme.ports import ChatName, Commit, StoredChat, StoredRecord, StoredText
from st_bme.protocol.commands import ChatAttach
from st_bme.protocol.results import Notice
from st_bme.session.chat_log import listed_slots, new_aliases, slots_from_json
from st_bme.session.chat_session import ChatSession, records_of, stored_record, without_purged
from st_bme.session.tools import Tools

_LOGGER = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Brought:
    """What a chat that is opened brings along. `cut`: where a branch leaves the view of its parent.

    `original`: a state of the original ST-BME, as text, to be imported once the list of messages is known.
    """

    records: tuple[Record, ...]
    texts: tuple[StoredText, ...]
    aliases: Mapping[str, str]
    rev: int
    is_readable: bool
    notices: list[Notice]
    cut: int = 0
    original: str | None = None


class Opening:
    """Opens chats for one server. A lineage has one session as long as the server runs."""

    def __init__(self, tools: Tools) -> None:
        self._tools = tools

    async def decide(self, command: ChatAttach) -> AttachDecision:
        """Which lineage the chat belongs to."""
        opened = OpenedChat(command.chat.to_name(), sum(row is not None for row in command.messages.rows))
        claim = _claim(command)
        stored: dict[str, StoredClaim] = {}
        same_name = await self._same_chat(opened.chat, command)
        for lineage in {same_name, claim.lineage if claim else ""} - {""}:
            kept = await self._tools.store.load_list(lineage)
            if kept is not None:
                heads = (await self._tools.store.heads(lineage)).values()
                length = sum(slot is not None for slot in slots_from_json(kept.slots))
                stored[lineage] = StoredClaim(kept.chat, heads, length)
        return decide_attach(opened, claim, stored, same_name)

    async def _same_chat(self, chat: ChatName, command: ChatAttach) -> str:
        """The newest lineage of this name that shares a message besides the greeting with the list, or has none."""
        keys = {row.key for row in command.messages.rows[1:] if row is not None}
        for lineage in await self._tools.store.find(chat):
            stored = await self._tools.store.load_list(lineage)
            known = {slot.raw for slot in slots_from_json(stored.slots)[1:] if slot} if stored else set()
            if keys & known or (not keys and not known):
                return lineage
        return ""

    async def open(self, command: ChatAttach, decision: AttachDecision, brought: Brought) -> ChatSession:
        """A session of the chat with what it brings along."""
        chat = command.chat.to_name()
        if decision.left and brought.is_readable:
            # What the copy of a chat without its messages knows stays where it was, for `chat/restore`.
            await self._unite(chat, AttachDecision("restore", decision.left), brought)
            brought = replace(brought, records=(), texts=(), aliases={}, rev=0)
        stored = await self._unite(chat, decision, brought)
        lineage = stored.lineage
        if stored.chat != chat:
            await self._tools.store.rename(lineage, chat)
        session = await asyncio.to_thread(ChatSession, self._tools, stored, command.chat)
        await session.open()
        _LOGGER.info("chat %s opened: %s, %d records", lineage, decision.kind, len(session.records))
        return session

    async def gather(self, command: ChatAttach, decision: AttachDecision) -> Brought:
        """What the chat brings along: the records of its copy, for a fork those of its parent, and notices."""
        notices: list[Notice] = []
        state, original = None, None
        if decision.kind == "set_aside" and _is_originals(command):
            original = command.copy_state
        elif decision.kind == "set_aside":
            notices.append(await self._set_aside(command, "a copy that is not this program's"))
        elif decision.needs_copy and command.copy_state is not None:
            state = await self._read_copy(command, notices)
        if state is not None and state.nodes and decision.kind == "restore":
            _LOGGER.warning("chat %s is unknown here; its file brings %d records", state.lineage, len(state.records))
            notices.append(Notice(code="restored_from_file", level="warning", data={"memories": len(state.nodes)}))
        # A branch that was opened before has what it got from its parent; what came there later is not its own.
        kin = await self._tools.store.load(decision.parent) if decision.parent else None
        parent = None if decision.lineage else kin
        own = await self._tools.store.load(decision.left or decision.lineage) if state else None
        news = await asyncio.to_thread(_news_of, state, [kin, own], command, notices)
        brought = Brought(
            records=(*(await asyncio.to_thread(records_of, parent) if parent else ()), *news),
            texts=parent.texts if parent else (),
            aliases={**(parent.aliases if parent else {}), **(state.aliases if state else {})},
            rev=max(parent.rev if parent else 0, state.rev if state else 0),
            is_readable=state is not None,
            notices=notices,
            original=original,
        )
        if not decision.parent:
            return brought
        left = self._view_of(parent) if parent else state.known.keys if state else ()
        return await asyncio.to_thread(self._branched, command, brought, left)

    def _view_of(self, stored: StoredChat) -> Sequence[str]:
        include_hidden = self._tools.settings().bool("includeHiddenMessages")
        return view_of(slots_from_json(stored.slots), stored.aliases, include_hidden=include_hidden).keys

    def _branched(self, command: ChatAttach, brought: Brought, left: Sequence[str]) -> Brought:
        """What of a parent with the view `left` belongs to its branch: what the user did later comes along undone."""
        include_hidden = self._tools.settings().bool("includeHiddenMessages")
        keys = view_of(listed_slots(command.messages), brought.aliases, include_hidden=include_hidden).keys
        cut = shared_length(left, keys)
        now = self._tools.clock.now_ms()
        records = branch_records(left, cut, RecordSet(brought.records), time=now)
        undone = [record.record_id for record in records if isinstance(record, Mark) and record.stamp.cause == BRANCH]
        if undone:
            data: dict[str, JsonValue] = {"count": len(undone), "records": list(undone)}
            brought.notices.append(Notice(code="branch_edits", level="info", data=data))
        return replace(brought, records=tuple(records), cut=cut)

    async def _unite(self, chat: ChatName, decision: AttachDecision, brought: Brought) -> StoredChat:
        """Write what the chat brings to its lineage: the union, conflicts settled by (n, id) in the fold.

        Gives all that the lineage has now.
        """
        store = self._tools.store
        is_lost = decision.kind == "restore" and not brought.is_readable
        lineage = _new_lineage() if is_lost else decision.lineage or _new_lineage()
        stored = await store.load(lineage)
        if stored is not None and stored.missing:
            await store.accept_loss(lineage)
        has_news = brought.records or brought.texts or brought.aliases or (stored and brought.rev > stored.rev)
        if stored is not None and not has_news:
            _note_loss(stored, 0, brought.notices)
            return stored
        united = await asyncio.to_thread(_union, stored, brought.records)
        if stored is None:
            await store.create(lineage, chat)
            if decision.kind != "restore" or is_lost:
                stamp = Stamp(n=united.highest_n + 1, time=self._tools.clock.now_ms(), cause="attach")
                event = "fork" if decision.parent else "birth"
                united.add(Origin(stamp, secrets.token_hex(8), event, decision.parent, brought.rev, brought.cut))
        rev = max(stored.rev if stored else 0, brought.rev)
        fresh = await asyncio.to_thread(_fresh, united, stored)
        texts = {text.key for text in (*(stored.texts if stored else ()), *brought.texts)}
        aliases = new_aliases(brought.aliases, {*texts, *(stored.aliases if stored else ())})
        await store.write(lineage, Commit(rev, united.head, fresh, texts=brought.texts, aliases=aliases))
        if stored is not None:
            _note_loss(stored, len(fresh), brought.notices)
        written = await store.load(lineage)
        if written is None:
            raise CorruptState(f"chat {lineage} is missing from the store that it was just written to")
        return written

    async def _read_copy(self, command: ChatAttach, notices: list[Notice]) -> DecodedState | None:
        """The copy, or None where it cannot be read: then it is set aside whole and the user is told."""
        try:
            return await asyncio.to_thread(decode_text, command.copy_state or "")
        except NewerState:
            raise
        except CorruptState as error:
            _LOGGER.warning("the copy in chat metadata cannot be read: %s", error)
            notices.append(await self._set_aside(command, str(error)))
            return None

    async def _set_aside(self, command: ChatAttach, reason: str) -> Notice:
        if command.copy_state is None:
            raise BadRequest("the copy is needed to set it aside; attach again with copy_state")
        kept = await self._tools.store.set_aside(reason, command.copy_state.encode())
        version = command.copy_head.version if command.copy_head else 0
        return Notice(code="copy_set_aside", level="warning", data={"number": kept.number, "version": version})


def _is_originals(command: ChatAttach) -> bool:
    return command.copy_head is not None and 0 < command.copy_head.version < VERSION


def _news_of(
    state: DecodedState | None, stored: Sequence[StoredChat | None], command: ChatAttach, notices: list[Notice]
) -> list[Record]:
    """What the store lacks of a copy. Where something was purged, a base comes without what nobody tells any more."""
    if state is None:
        return []
    kept = RecordSet(record for chat in stored if chat for record in records_of(chat))
    purged = frozenset[str]().union(*(chat.purged for chat in stored if chat))
    news = without_purged(records_to_take(state, kept), purged)
    if any(isinstance(record, Base) and record_id(record) not in kept for record in news) and state.left_out:
        notices.append(Notice(code="archived_left_out", level="info", data={"count": state.left_out}))
    if not purged:
        return news
    present = {row.key for row in command.messages.rows if row is not None} | read_in(kept)
    return [base_part(item, record_id(item), present) if isinstance(item, Base) else item for item in news]


def _union(stored: StoredChat | None, records: Sequence[Record]) -> RecordSet:
    """What the store has and what is brought, but for what was purged."""
    united = RecordSet(records_of(stored) if stored else ())
    united.add_all(without_purged(records, stored.purged if stored else ()))
    return united


def _fresh(united: RecordSet, stored: StoredChat | None) -> tuple[StoredRecord, ...]:
    """What of a union the store does not have."""
    known = {entry.id for entry in stored.records} if stored else set()
    return tuple(stored_record(record) for _, identity, record in united.in_order() if identity not in known)


def _note_loss(stored: StoredChat, returned: int, notices: list[Notice]) -> None:
    """Say how many records the store has lost, if any, and how many of them the copy brought back."""
    if stored.missing:
        message = "chat %s (%s) lacks %d records that were written to the database; its file brought back %d"
        _LOGGER.error(message, stored.lineage, stored.chat.name, stored.missing, returned)
        data: dict[str, JsonValue] = {"missing": stored.missing, "returned": returned}
        notices.append(Notice(code="records_missing", level="error", data=data))


def _claim(command: ChatAttach) -> CopyClaim | None:
    head = command.copy_head
    if head is None:
        return None
    return CopyClaim(
        version=head.version,
        lineage=head.lineage,
        chat=ChatName(head.chat, head.owner),
        rev=head.rev,
        head=head.head,
        length=head.messages,
        owner_gone=head.owner_gone,
        chat_gone=head.chat_gone,
    )


def _new_lineage() -> str:
    return digest("lineage", secrets.token_hex(16), length=20)

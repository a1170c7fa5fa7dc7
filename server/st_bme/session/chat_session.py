"""One owner a chat: it alone appends records, folds the graph and sends the copy on."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from typing import TypeVar

import orjson

from st_bme.errors import CorruptState
from st_bme.graph.fold import Folder
from st_bme.graph.json_reader import Json, JsonObject
from st_bme.graph.memory_graph import MemoryGraph
from st_bme.graph.records import Answer, Base, Record, RecordSet, record_from_json, record_id, record_to_json
from st_bme.history.view import EMPTY_VIEW, View
from st_bme.ports import ChatName, Commit, StoredChat, StoredRecord, StoredText
from st_bme.protocol.events import PatchEvent
from st_bme.protocol.results import StatePatch
from st_bme.protocol.wire import ChatIdentity, MessageList, Text
from st_bme.session.chat_log import ChatLog, slots_to_json
from st_bme.session.copy import Copy, Draft, copy_digest, steps_between
from st_bme.session.later import Later
from st_bme.session.side_table import Shown, SideTable
from st_bme.session.tools import Tools

_LOGGER = logging.getLogger(__name__)

OFF_LOOP_ABOVE = 300
SIDE_AFTER_S = 10.0
"""No reply waits for the side table to be on the disk, and no graph depends on it: a crash may cost what it noted in
this time."""

_T = TypeVar("_T")


def stored_record(record: Record) -> StoredRecord:
    """A record as the store keeps it."""
    return StoredRecord(record_id(record), record.stamp.n, orjson.dumps(record_to_json(record)))


def without_purged(records: Iterable[Record], purged: Collection[str]) -> list[Record]:
    """The records that may come in: none that was purged, nor what a copy carries of one (rule 36)."""
    return [
        record
        for record in records
        if record_id(record) not in purged and not (isinstance(record, Answer | Base) and record.part_of in purged)
    ]


def records_of(stored: StoredChat) -> list[Record]:
    """The records of a stored chat. Raises CorruptState."""
    return [record_from_json(_stored_json(entry), entry.id) for entry in stored.records]


def _stored_json(entry: StoredRecord) -> Json:
    try:
        value: Json = orjson.loads(entry.body)
    except orjson.JSONDecodeError as error:
        raise CorruptState(f"the stored record {entry.id} cannot be read: {error.msg}") from error
    return value


def _side_of(stored: StoredChat) -> SideTable:
    """The side table as it was stored; an empty one where it cannot be read, since no graph depends on it."""
    try:
        return SideTable(stored.side)
    except (ValueError, TypeError, AttributeError) as error:
        _LOGGER.warning("what recalls of chat %s counted cannot be read and begins anew: %s", stored.lineage, error)
        return SideTable()


class ChatSession:
    """The memory of one chat while it is attached.

    `graph` is always the fold of `records` over `view`. Commits happen one at a time: append to the store, then the
    new revision, then the event to the pages.
    """

    def __init__(self, tools: Tools, stored: StoredChat, identity: ChatIdentity) -> None:
        self.lineage = stored.lineage
        self.chat = ChatName(identity.name, identity.owner)
        self.identity = identity
        self.log = ChatLog(stored.lineage)
        self.log.restore(stored.slots, stored.texts, stored.aliases)
        by_id = zip((entry.id for entry in stored.records), records_of(stored), strict=True)
        self.records = RecordSet()
        self.records.add_known(dict(by_id))
        self.purged = set(stored.purged)
        self.side = _side_of(stored)
        self.view: View = EMPTY_VIEW
        self.graph: MemoryGraph = Folder().fold((), RecordSet())
        self._tools = tools
        self._folder, self._first_folder = Folder(), Folder()
        self._copy = Copy(stored.lineage, stored.rev)
        self._sent_digest = stored.copy
        self._lock = asyncio.Lock()
        self._publishing = asyncio.Lock()
        self._saved_slots = self.log.slots
        self._side_later = Later(self.put_side, SIDE_AFTER_S)
        self._encoded: Draft | None = None  # what the copy of now was made of
        self.on_change: Callable[[], None] = lambda: None  # after each fold and each text that came

    @property
    def rev(self) -> int:
        """Revision of the copy that was sent last."""
        return self._copy.rev

    async def open(self) -> None:
        """Fold what was stored, so that the first patch starts from what the pages have.

        Where that cannot be told (settings or program have changed since, or a write was cut short), the revision
        goes on: no page has that one, so each gets the whole copy.
        """
        async with self._lock:
            await self._fold()
            self._first_folder = self._folder.copy()  # up to the tail both fold the same
            self._encoded = self._draft(self.rev)
            state = await self._off_loop(self._encoded.encode)
            self._copy.take(state, self.rev)
            if copy_digest(self._copy.state) != self._sent_digest:
                self._copy.take(state, self.rev + 1)
                commit = Commit(self.rev, self.records.head, copy=copy_digest(self._copy.state))
                await self._tools.store.write(self.lineage, commit)

    async def follow(self, messages: MessageList | None, texts: Sequence[Text]) -> bool:
        """Take the page's list and texts, and fold anew where they change the view. True if they may have.

        Nothing is sent here: `publish` does that, so that a recall need not wait for it.
        """
        changed = self.log.take_list(messages) if messages is not None else False
        taken = self.log.take_texts(texts)
        if taken.stored or taken.aliases:
            commit = Commit(self.rev, self.records.head, texts=taken.stored, aliases=taken.aliases)
            await self._tools.store.write(self.lineage, commit)
        if changed or taken.aliases:
            async with self._lock:
                await self._fold()
        elif taken.stored:
            self.on_change()
        return changed or bool(taken.aliases)

    async def unite(self, records: Sequence[Record], texts: Sequence[StoredText], aliases: Mapping[str, str]) -> None:
        """Take in what another store or copy has of this chat."""
        taken = self.log.learn(texts, aliases)
        if texts or taken:
            commit = Commit(self.rev, self.records.head, texts=tuple(texts), aliases=taken)
            await self._tools.store.write(self.lineage, commit)
        allowed = await self._off_loop(partial(without_purged, records, self.purged), len(records))
        if allowed or taken:
            async with self._lock:
                await self._keep(allowed)
                await self._fold()
            await self.publish()

    async def commit(self, records: Sequence[Record]) -> None:
        """Append records: on the disk first, then in the graph, then to the pages."""
        await self.append(records)
        await self.publish()

    async def append(self, records: Sequence[Record]) -> None:
        """Append records: on the disk first, then in the graph. The pages are told by `publish`."""
        async with self._lock:
            if await self._keep(records):
                await self._fold()

    async def _keep(self, records: Sequence[Record]) -> bool:
        """Put those that are not there yet on the disk, then among the records; False where none is."""
        encoded = await self._off_loop(lambda: [stored_record(record) for record in records], len(records))
        both = zip(encoded, records, strict=True)
        fresh = {entry: record for entry, record in both if entry.id not in self.records}
        if fresh:
            stored = tuple(fresh)
            head = self.records.head_with(entry.id for entry in stored)
            await self._tools.store.write(self.lineage, Commit(self.rev, head, stored))
            self.records.add_known({entry.id: record for entry, record in fresh.items()})
        return bool(fresh)

    async def forget(self, records: Collection[str], keys: Collection[str]) -> None:
        """Remove records and texts for good. They must not take part in the graph or belong to a listed message."""
        async with self._publishing, self._lock:
            await self._tools.store.purge(self.lineage, list(records), list(keys))
            gone = frozenset(records)
            self.purged |= gone
            kept = [record for _, identity, record in self.records.in_order() if identity not in gone]
            self.records = RecordSet(kept)
            self._folder, self._first_folder = Folder(), Folder()
            self.log.forget(keys)
            await self._fold()
        await self.publish()

    async def publish(self) -> None:
        """Send the pages what changed in the copy since it was sent last."""
        async with self._publishing:
            # Under the lock, so that no record is in it that is not folded yet.
            async with self._lock:
                draft, slots = self._draft(self.rev + 1), self.log.slots
            state, steps = self._copy.state, []
            if self._encoded is None or not draft.says_the_same(self._encoded):
                state = await self._off_loop(draft.encode)
                steps = await self._off_loop(partial(steps_between, self._copy.state, state))
            self._encoded = draft
            is_saved = slots is self._saved_slots
            if not steps and is_saved:
                return
            commit = Commit(
                rev=self.rev + bool(steps),
                head=draft.head,
                slots=None if is_saved else slots_to_json(slots),
                copy=copy_digest(state) if steps else None,
            )
            await self._tools.store.write(self.lineage, commit)
            self._saved_slots = slots
            if steps:
                patch = self._copy.advance(state, steps)
                self._tools.events.publish("state_patch", PatchEvent(patch=patch))
                _LOGGER.info("chat %s at rev %d: %d nodes", self.lineage, self.rev, len(draft.graph.nodes))

    async def refold(self) -> None:
        """Fold anew after a setting that the view depends on changed."""
        async with self._lock:
            await self._fold()
        await self.publish()

    async def rename(self, identity: ChatIdentity) -> None:
        """The same chat under another name: the lineage goes on."""
        self.identity = identity
        self.chat = ChatName(identity.name, identity.owner)
        await self._tools.store.rename(self.lineage, self.chat)

    def rename_owner(self, old: str, new: str) -> None:
        """The character has another avatar file; the store has noted it for all of its chats."""
        if self.chat.owner == old:
            self.chat = ChatName(self.chat.name, new)
            self.identity = self.identity.model_copy(update={"owner": new})

    def recalled(self, message: str, shown: Sequence[Shown], node_ids: Sequence[str]) -> None:
        """Note what a recall injected for a user message, and which memories were among it; on the disk soon."""
        is_new = self.side.note(message, shown)
        if self.side.count(message, node_ids, self._tools.clock.now_ms()) or is_new:
            self._side_later.wake()

    async def put_side(self) -> None:
        """Put the side table on the disk as it is now."""
        await self._tools.store.put_side(self.lineage, self.side.to_bytes())

    async def stop(self) -> None:
        """Put away what still waits for that."""
        await self._side_later.finish()

    def whole_patch(self) -> StatePatch:
        return self._copy.whole()

    def state(self) -> JsonObject:
        """The copy as it was sent last."""
        return self._copy.state

    async def _fold(self) -> None:
        view = self.log.view(include_hidden=self._tools.settings().bool("includeHiddenMessages"))
        graph = await self._off_loop(partial(self._folder.fold, view.keys, self.records))
        # Together, without an await between them: whoever reads one sees the other of the same fold.
        self.view, self.graph = view, graph
        self.on_change()

    def _draft(self, rev: int) -> Draft:
        """What the copy of now is made of."""
        return Draft(
            lineage=self.lineage,
            chat=self.chat,
            rev=rev,
            head=self.records.head,
            view=self.view,
            graph=self.graph,
            records=self.records.first(len(self.records)),
            aliases=dict(self.log.aliases),
            last_recall=tuple(self.side.last_result),
            first_folder=self._first_folder,
        )

    async def _off_loop(self, work: Callable[[], _T], records: int = 0) -> _T:
        """Do work on the whole chat, or on so many records; beside the event loop where it takes more than a moment."""
        size = max(len(self.log.slots), records)
        return work() if size <= OFF_LOOP_ABOVE else await asyncio.to_thread(work)

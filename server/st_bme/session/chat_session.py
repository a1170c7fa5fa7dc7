"""One owner a chat: it alone appends records, folds the graph and sends the copy on."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence

import orjson

from st_bme.graph.fold import Folder
from st_bme.graph.json_reader import JsonObject
from st_bme.graph.memory_graph import MemoryGraph
from st_bme.graph.records import Record, RecordSet, record_from_json, record_id, record_to_json
from st_bme.graph.state import encode_state
from st_bme.history.view import EMPTY_VIEW, View
from st_bme.ports import ChatName, Commit, StoredChat, StoredRecord
from st_bme.protocol.events import PatchEvent
from st_bme.protocol.results import StatePatch
from st_bme.protocol.wire import ChatIdentity, MessageList, Text
from st_bme.session.chat_log import ChatLog, slots_to_json
from st_bme.session.copy import Copy, CopyFacts, placement_of
from st_bme.session.side_table import SideTable
from st_bme.session.tools import Tools

_LOGGER = logging.getLogger(__name__)

OFF_LOOP_ABOVE = 300


def stored_record(record: Record) -> StoredRecord:
    """A record as the store keeps it."""
    return StoredRecord(record_id(record), record.stamp.n, orjson.dumps(record_to_json(record)))


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
        self.records = RecordSet(record_from_json(orjson.loads(entry.body), entry.id) for entry in stored.records)
        self.side = SideTable(stored.side)
        self.view: View = EMPTY_VIEW
        self.graph: MemoryGraph = Folder().fold((), RecordSet())
        self._tools = tools
        self._folder = Folder()
        self._copy = Copy(stored.lineage, stored.rev)
        self._lock = asyncio.Lock()
        self._publishing = asyncio.Lock()
        self._unsaved_list = False

    @property
    def rev(self) -> int:
        """Revision of the copy that was sent last."""
        return self._copy.rev

    async def open(self) -> None:
        """Fold what was stored, so that the first patch starts from what the page has if it is up to date."""
        async with self._lock:
            await self._fold()
            self._copy.state = await self._encode(self._copy.rev)

    async def follow(self, messages: MessageList | None, texts: Sequence[Text]) -> bool:
        """Take the page's list and texts, and fold anew where they change the view. True if the list changed.

        Nothing is sent here: `publish` does that, so that a recall need not wait for it.
        """
        changed = self.log.take_list(messages) if messages is not None else False
        taken = self.log.take_texts(texts)
        self._unsaved_list = self._unsaved_list or changed
        if taken.stored or taken.aliases:
            commit = Commit(self.rev, self.records.head, texts=taken.stored, aliases=taken.aliases)
            await self._tools.store.write(self.lineage, commit)
        if changed or taken.aliases:
            async with self._lock:
                await self._fold()
        return changed

    async def commit(self, records: Sequence[Record]) -> None:
        """Append records: on the disk first, then in the graph, then to the pages."""
        async with self._lock:
            fresh = [record for record in records if record_id(record) not in self.records]
            if fresh:
                stored = tuple(stored_record(record) for record in fresh)
                head = self.records.head_with(entry.id for entry in stored)
                await self._tools.store.write(self.lineage, Commit(self.rev, head, stored))
                self.records.add_all(fresh)
            await self._fold()
        await self.publish()

    async def publish(self) -> None:
        """Send the pages what changed in the copy since it was sent last."""
        async with self._publishing:
            state = await self._encode(self._copy.rev + 1)
            changed = self._copy.differs(state)
            if changed or self._unsaved_list:
                rev = self._copy.rev + changed
                slots = slots_to_json(self.log.slots) if self._unsaved_list else None
                await self._tools.store.write(self.lineage, Commit(rev, self.records.head, slots=slots))
                self._unsaved_list = False
            if changed:
                patch = self._copy.advance(state, self._copy.rev + 1)
                self._tools.events.publish("state_patch", PatchEvent(patch=patch))
                _LOGGER.info("chat %s at rev %d: %d nodes", self.lineage, self.rev, len(self.graph.nodes))

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

    async def recalled(self, message: str, node_ids: Sequence[str]) -> None:
        """Note what a recall chose for a user message."""
        if self.side.count(message, node_ids):
            await self._tools.store.put_side(self.lineage, self.side.to_bytes())

    def whole_patch(self) -> StatePatch:
        return self._copy.whole()

    def state(self) -> JsonObject:
        """The copy as it was sent last."""
        return self._copy.state

    async def _fold(self) -> None:
        view = self.log.view(include_hidden=self._tools.settings().bool("includeHiddenMessages"))
        if len(view) <= OFF_LOOP_ABOVE:
            graph = self._folder.fold(view.keys, self.records)
        else:
            graph = await asyncio.to_thread(self._folder.fold, view.keys, self.records)
        # Together, without an await between them: whoever reads one sees the other of the same fold.
        self.view, self.graph = view, graph

    async def _encode(self, rev: int) -> JsonObject:
        """The state of now at a revision; off the event loop where it takes more than a moment."""
        view, graph, records = self.view, self.graph, self.records.all()
        facts = CopyFacts(
            self.lineage, self.chat, rev, self.records.head, dict(self.log.aliases), self.side.last_result
        )
        placement = placement_of(facts, view, graph)
        if len(view) <= OFF_LOOP_ABOVE:
            return encode_state(graph, records, placement)
        return await asyncio.to_thread(encode_state, graph, records, placement)

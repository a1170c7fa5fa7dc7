"""States that come into a chat from outside and go out of it: our own, and those of the original ST-BME."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

import orjson
from pydantic import JsonValue

from st_bme.errors import CorruptState
from st_bme.graph.json_reader import parse_json
from st_bme.graph.legacy_export import ExportPlace, export_original
from st_bme.graph.legacy_import import Import, import_original
from st_bme.graph.records import Base, RecordSet, Stamp, record_id
from st_bme.graph.restore import records_to_take
from st_bme.graph.state import VERSION, decode_state
from st_bme.protocol.results import Imported, Notice
from st_bme.session.chat_session import ChatSession
from st_bme.session.history import can_be_undone
from st_bme.session.tools import Tools
from st_bme.upkeep.consolidation import evolved

ORIGINAL_CAUSE = "import"


def is_original(state: JsonValue) -> bool:
    """Whether the original ST-BME wrote it, by its version."""
    version = state.get("version") if isinstance(state, dict) else None
    return isinstance(version, int) and version < VERSION


class Exchange:
    """Imports into and exports of one chat. What comes in is kept byte for byte before anything is made of it."""

    def __init__(self, session: ChatSession, tools: Tools) -> None:
        self._session = session
        self._tools = tools

    async def take(self, text: str) -> Imported:
        """Take a state in: of ours every record, of the original's the graph over the messages that the chat has.

        Raises: CorruptState, NewerState: it cannot be read; nothing of it is taken.
        """
        state = await asyncio.to_thread(parse_json, text, "state")
        if is_original(state):
            off = self._session.records.switched_off()
            return await self._take_original(state, text, [each for each in self._originals() if each not in off])
        decoded = await asyncio.to_thread(decode_state, state)
        session = self._session
        kept = session.records.first(len(session.records))  # those of the session may grow meanwhile
        taken = await asyncio.to_thread(records_to_take, decoded, kept)
        before = set(session.records.ids())
        identities = await asyncio.to_thread(lambda: [record_id(record) for record in taken])
        off_there = await asyncio.to_thread(lambda: RecordSet(taken).switched_off())
        await session.unite(taken, (), decoded.aliases)
        report = self._report(VERSION, [each for each in identities if each not in before], [])
        off = session.records.switched_off()
        return report.model_copy(update={"off": [each for each in identities if each in off and each not in off_there]})

    async def take_found(self, text: str) -> Imported:
        """Take in a state of the original that a chat brought along: once, so that an import stays undone.

        Raises: CorruptState: it cannot be read; nothing of it is taken.
        """
        return await self._take_original(await asyncio.to_thread(parse_json, text, "state"), text, self._originals())

    def _originals(self) -> list[str]:
        """The ids of what states of the original brought."""
        ordered = self._session.records.in_order()
        return [each for _, each, made in ordered if isinstance(made, Base) and made.stamp.cause == ORIGINAL_CAUSE]

    async def _take_original(self, state: JsonValue, text: str, before: Sequence[str]) -> Imported:
        """`before`: what came in of the original already, beside which no other state is taken."""
        session = self._session
        made = await asyncio.to_thread(import_original, state, session.view.keys, session.view.floors)
        if made is None:
            raise CorruptState("there is no state to import")
        kept = await self._tools.store.set_aside("a state of the original ST-BME", text.encode())
        data: dict[str, JsonValue] = {"number": kept.number, "version": made.report.version}
        if before:
            # It was imported before: if it is another one now, whoever wrote it is still installed.
            notices = [Notice(code="original_installed", level="warning", data=data)] if kept.is_new else []
            return self._report(made.report.version, [], notices)
        base = await self._commit(made)
        counts: dict[str, JsonValue] = {"memories": made.report.active, "messages": made.report.covered}
        notice = Notice(code="original_imported", level="info", data=data | counts)
        return self._report(made.report.version, [base], [notice])

    async def keep(self, text: str, reason: str) -> str:
        """Keep what cannot be taken in as it came, and return the number that it is kept under."""
        return (await self._tools.store.set_aside(reason, text.encode())).number

    async def _commit(self, made: Import) -> str:
        session = self._session
        stamp = Stamp(session.records.highest_n + 1, time=self._tools.clock.now_ms(), cause=ORIGINAL_CAUSE)
        base = replace(made.base, stamp=stamp)
        await session.commit([base])
        session.side.access.update({key: count for key, count in made.access.items() if key in session.graph.nodes})
        session.side.last_result = [node_id for node_id in made.last_recall if node_id in session.graph.nodes]
        await session.put_side()
        return await asyncio.to_thread(record_id, base)

    def _report(self, version: int, added: Sequence[str], notices: list[Notice]) -> Imported:
        """`added`: the ids of what came in, less what was purged here before."""
        graph, records = self._session.graph, self._session.records
        new = [identity for identity in added if identity in records]
        return Imported(
            version=version,
            records=len(new),
            resting=len(graph.dormant.intersection(new)),
            nodes=len(graph.nodes),
            edges=len(graph.edges),
            made=[identity for identity in new if can_be_undone(records.get(identity))],
            notices=notices,
        )

    def give(self, *, original: bool) -> str:
        """The chat's state as JSON text: ours, or the original's version 9."""
        session = self._session
        if not original:
            return orjson.dumps(session.state()).decode()
        replies = [
            floor
            for floor, role, owner in zip(
                session.view.floors, session.view.roles, session.graph.coverage.owners, strict=True
            )
            if owner is not None and role == "assistant"
        ]
        place = ExportPlace(
            chat=session.chat.name,
            floors=session.view.floors,
            last_processed=max(replies, default=-1),
            now_ms=self._tools.clock.now_ms(),
            access=session.side.access,
            last_recall=session.side.last_result,
            evolved=evolved(session.graph, session.records),
        )
        return export_original(session.graph, place)

"""The history of one chat: its records with cause and effect, undo and redo, and the graph at an earlier floor."""

from __future__ import annotations

import secrets
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Literal

from st_bme.errors import BadRequest, NotFound
from st_bme.graph.codec import KnownMessages, edge_to_json, floors_to_json, node_to_json
from st_bme.graph.fold_state import Drop
from st_bme.graph.memory_graph import MemoryGraph
from st_bme.graph.records import Answer, Mark, Origin, Record, RecordSet, Stamp, Upkeep, UserEdit, record_id
from st_bme.graph.schedule import anchor_of
from st_bme.graph.time_travel import graph_at
from st_bme.model.operation import Operation, Target
from st_bme.protocol.recorded import GraphAt, RecordEntry, RecordList
from st_bme.protocol.wire import HIGHEST_FLOOR
from st_bme.session.chat_session import ChatSession
from st_bme.session.describe import describe_record, kind_of
from st_bme.session.tools import Tools

RecordState = Literal["live", "dormant", "waiting", "off"]


@dataclass(frozen=True, slots=True)
class Chronicle:
    """A chat with all that was ever recorded of it: view, floors, records, and the graph that they fold to."""

    keys: Sequence[str]
    floors: Sequence[int]
    records: RecordSet
    graph: MemoryGraph

    def entries(self, *, before: int | None = None, limit: int = 1_000_000) -> RecordList:
        """Records, newest first; `before` leaves out those of that n and above. Comparisons in a row are one entry."""
        off = self.records.switched_off()
        drops = _by_record(self.graph.drops)
        floors = dict(zip(reversed(self.keys), reversed(self.floors), strict=True))
        chosen = [entry for entry in self.records.in_order() if before is None or entry[0] < before]
        stretches = [list(stretch) for _, stretch in groupby(reversed(chosen), _stretch)]
        entries: list[RecordEntry] = []
        for stretch in stretches[:limit]:
            _, identity, record = stretch[-1]
            entry = self._entry(identity, record, drops[identity], floors, is_off=identity in off)
            entries.append(_summed_up(entry, [one for _, _, one in stretch]) if _changes_nothing(record) else entry)
        return RecordList(entries=entries, more=len(stretches) > limit)

    def _entry(
        self, identity: str, record: Record, drops: Sequence[Drop], floors: dict[str, int], *, is_off: bool
    ) -> RecordEntry:
        stamp = record.stamp
        run = record.run if isinstance(record, Answer) else ()
        return RecordEntry(
            id=identity,
            n=stamp.n,
            kind=kind_of(record),
            time=stamp.time,
            cause=stamp.cause,
            model=stamp.model,
            tokens=stamp.tokens,
            state=_state(identity, record, self.graph, is_off=is_off),
            floors=[floors[key] for key in run if key in floors],
            absent=sum(key not in floors for key in run),
            operations=describe_record(record, self.graph.nodes, drops),
            target=record.record_id if isinstance(record, Mark) else "",
        )

    def at(self, floor: int) -> GraphAt:
        """The graph as of a floor of the chat. Raises: BadRequest: there is no such floor."""
        if not 0 <= floor <= HIGHEST_FLOOR:
            raise BadRequest(f"there is no floor {floor}; floors count from 0")
        graph = graph_at(self.keys, sum(place <= floor for place in self.floors), self.records)
        known = KnownMessages(tuple(self.keys), tuple(self.floors))
        places: dict[str, int] = {}
        for place, key in enumerate(known.keys):
            places.setdefault(key, place)
        return GraphAt(
            floor=floor,
            nodes=[node_to_json(node, places) | floors_to_json(node, known, places) for node in graph.nodes.values()],
            edges=[edge_to_json(edge, known, places) for edge in graph.edges.values()],
        )


class History:
    """Adds what the user does to the records of one chat. Nothing is changed or removed: undo is a further record."""

    def __init__(self, session: ChatSession, tools: Tools) -> None:
        self._session = session
        self._tools = tools

    def read(self) -> Chronicle:
        """The history as it stands."""
        session = self._session
        return Chronicle(session.view.keys, session.view.floors, session.records, session.graph)

    async def mark(self, identities: Sequence[str], *, off: bool) -> None:
        """Undo (`off`) or redo records, all or none, in any order. Marking one as it is marked already changes nothing.

        Raises: NotFound: no such record, or one that cannot be undone.
        """
        session = self._session
        for identity in identities:
            if not can_be_undone(session.records.get(identity)):
                raise NotFound(f"no record {identity!r} that can be undone; history/list shows those that there are")
        switched_off = session.records.switched_off()
        to_turn = [identity for identity in dict.fromkeys(identities) if (identity in switched_off) != off]
        stamp = self._stamp("undo" if off else "redo")
        marks = [
            Mark(replace(stamp, n=stamp.n + place), secrets.token_hex(8), identity, off)
            for place, identity in enumerate(to_turn)
        ]
        if marks:
            await session.commit(marks)

    async def edit(self, node_id: str, operation: Operation) -> None:
        """Record what the user did to a memory.

        Raises: NotFound: no such memory in the graph as it stands.
        """
        session = self._session
        node = session.graph.nodes.get(node_id)
        if node is None:
            raise NotFound(f"no memory {node_id!r} in this chat; it may have gone with its message")
        target = Target(id=node.id, type=node.type, scope=node.scope, name=node.fields.get("name", ""))
        stamp, anchor = self._stamp(operation.action), anchor_of(session.view.keys)
        edit = UserEdit(stamp, secrets.token_hex(8), (replace(operation, target=target),), anchor)
        await session.commit([edit])

    async def begin_with(self, operations: Sequence[Operation]) -> str:
        """Record what is to be known before the first message of the chat; returns the id of the record."""
        edit = UserEdit(self._stamp("bring"), secrets.token_hex(8), tuple(operations), ())
        await self._session.commit([edit])
        return record_id(edit)

    def _stamp(self, cause: str) -> Stamp:
        return Stamp(n=self._session.records.highest_n + 1, time=self._tools.clock.now_ms(), cause=cause)


def _changes_nothing(record: Record) -> bool:
    """Whether upkeep compared and left all as it is. An answer without operations has read messages all the same."""
    return isinstance(record, Upkeep) and not record.operations


def _stretch(entry: tuple[int, str, Record]) -> str:
    """What neighbours share that are listed as one."""
    _, identity, record = entry
    return record.stamp.cause if _changes_nothing(record) else identity


def _summed_up(entry: RecordEntry, records: Sequence[Record]) -> RecordEntry:
    tokens = sum(record.stamp.tokens for record in records)
    return entry.model_copy(update={"comparisons": len(records), "tokens": tokens})


def can_be_undone(record: Record | None) -> bool:
    """Whether it is there and says something of the story: a mark is the undoing itself, an origin only a beginning."""
    return record is not None and not isinstance(record, Mark | Origin)


def _by_record(drops: Sequence[Drop]) -> defaultdict[str, list[Drop]]:
    found: defaultdict[str, list[Drop]] = defaultdict(list)
    for drop in drops:
        found[drop.record_id].append(drop)
    return found


def _state(identity: str, record: Record, graph: MemoryGraph, *, is_off: bool) -> RecordState:
    """off: undone. live: takes part. waiting: a user's change whose target is away. dormant: everything else."""
    if isinstance(record, Mark | Origin):
        return "live"
    if is_off:
        return "off"
    if identity not in graph.live:
        return "dormant"
    waits = isinstance(record, UserEdit) and any(
        drop.record_id == identity and drop.refusal.code == "target_missing" for drop in graph.drops
    )
    return "waiting" if waits else "live"

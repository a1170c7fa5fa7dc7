"""Records: the immutable facts of which a graph is folded. A set of them only grows.

Ordered by `n`, then `id`. The id is a digest of the whole record, so that two stores can be united by id.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from st_bme.errors import CorruptState
from st_bme.graph.base_json import BaseGraph, base_graph_from_json, base_graph_to_json
from st_bme.graph.by_message import grouped, ledgers_by_message, nodes_by_message
from st_bme.graph.ids import RECORD_ID_LENGTH, digest
from st_bme.graph.json_reader import Json, JsonObject, JsonReader
from st_bme.graph.ledgers import NOTHING_SAID, Ledgers
from st_bme.graph.operation_json import operation_from_json, operation_to_json, without_defaults
from st_bme.model.edge import Edge
from st_bme.model.node import Node
from st_bme.model.operation import Operation

OPERATION_VERSION = 1
# What a record means that does not say these. They are part of the format and never change.
UNSAID_VERSION = 1
DEFAULT_RELATED = 0.25


@dataclass(frozen=True, slots=True)
class Stamp:
    """What every record says of its making: order, operation version, wall time (ms), cause, model, tokens."""

    n: int
    time: int = 0
    cause: str = ""
    model: str = ""
    tokens: int = 0
    version: int = OPERATION_VERSION


@dataclass(frozen=True, slots=True)
class Answer:
    """One extraction: the run of messages that it read and covers, and the operations that came of it.

    An answer without operations covers its messages all the same. `context` is for information only.
    `related` is the strength of the edges that the fold adds between what one message made, 0 for none.
    `part_of`: this is what a copy could carry of the answer with this id, which it stands for where that is missing;
    it says nothing of the messages at `lacks`.
    """

    stamp: Stamp
    run: tuple[str, ...]
    operations: tuple[Operation, ...] = ()
    context: tuple[str, ...] = ()
    related: float = DEFAULT_RELATED
    part_of: str = ""
    lacks: tuple[int, ...] = ()


@dataclass(frozen=True)
class Upkeep:
    """The smallest independent change that upkeep made.

    `reads` maps the id of each node that it condenses or rewrites to the digest that the node had;
    `run` is the run of messages that it condenses (summaries). It lives where all of that still stands.
    """

    stamp: Stamp
    task: str
    reads: Mapping[str, str]
    anchor: tuple[str, ...]
    operations: tuple[Operation, ...] = ()
    run: tuple[str, ...] = ()

    @cached_property
    def memo_key(self) -> str:
        """Two records of one task over the same reads are one decision; the lowest (n, id) counts."""
        reads = [f"{node_id}={self.reads[node_id]}" for node_id in sorted(self.reads)]
        return digest("memo", self.task, *reads, "run", *self.run)


@dataclass(frozen=True, slots=True)
class UserEdit:
    """What the user changed by hand. It waits while its target is away and is never dropped."""

    stamp: Stamp
    nonce: str
    operations: tuple[Operation, ...]
    anchor: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Mark:
    """Undo (`off`) or redo of one record; the latest mark on a record counts."""

    stamp: Stamp
    nonce: str
    record_id: str
    off: bool


@dataclass(frozen=True, slots=True)
class Origin:
    """Where this lineage comes from: birth, or fork (parent, its rev, the length of the view there)."""

    stamp: Stamp
    nonce: str
    event: str
    parent: str = ""
    rev: int = 0
    cut: int = 0


@dataclass(frozen=True)
class Base:
    """A graph whose records are gone, and the messages that they covered; `pending` of them were not read in full.

    `part_of`: this is what a copy could carry of the base with this id, as in an answer.

    From a state above the limit when the server was lost, or from a state of the original ST-BME.
    """

    stamp: Stamp
    known: tuple[str, ...]
    nodes: tuple[Node, ...] = ()
    edges: tuple[Edge, ...] = ()
    pending: tuple[str, ...] = ()
    part_of: str = ""
    ledgers: Ledgers = NOTHING_SAID

    @cached_property
    def nodes_at(self) -> Mapping[str, tuple[Node, ...]]:
        """Nodes by each of their sources; under "" those that stand without any."""
        return nodes_by_message(self.nodes)

    @cached_property
    def edges_at(self) -> Mapping[str, tuple[Edge, ...]]:
        """Edges by their source, "" for those without."""
        return grouped((edge.source, edge) for edge in self.edges)

    @cached_property
    def ends_at(self) -> Mapping[str, tuple[Edge, ...]]:
        """Ended edges by the message that ended them."""
        return grouped((edge.ended, edge) for edge in self.edges if not edge.is_current)

    @cached_property
    def ledgers_at(self) -> Mapping[str, Ledgers]:
        """What each message said of times, knowledge, regions and variables, "" for the user."""
        return ledgers_by_message(self.ledgers)

    @cached_property
    def node_ids(self) -> frozenset[str]:
        return frozenset(node.id for node in self.nodes)


Record: TypeAlias = Answer | Upkeep | UserEdit | Mark | Origin | Base


def _stamp_to_json(stamp: Stamp) -> JsonObject:
    return without_defaults(
        n=stamp.n,
        v=None if stamp.version == UNSAID_VERSION else stamp.version,
        time=stamp.time or None,
        cause=stamp.cause,
        model=stamp.model,
        tokens=stamp.tokens or None,
    )


def _kind(kind: str, **values: Json) -> JsonObject:
    return {"kind": kind} | values


def _body_to_json(record: Record) -> JsonObject:
    match record:
        case Answer():
            return _kind("answer", run=list(record.run)) | without_defaults(
                operations=[operation_to_json(operation) for operation in record.operations],
                context=list(record.context),
                related=None if record.related == DEFAULT_RELATED else record.related,
                partOf=record.part_of,
                lacks=list(record.lacks),
            )
        case Upkeep():
            reads: JsonObject = dict(record.reads)
            return _kind("upkeep", task=record.task) | without_defaults(
                reads=reads,
                anchor=list(record.anchor),
                operations=[operation_to_json(operation) for operation in record.operations],
                run=list(record.run),
            )
        case UserEdit():
            return _kind("user", nonce=record.nonce) | without_defaults(
                operations=[operation_to_json(operation) for operation in record.operations],
                anchor=list(record.anchor),
            )
        case Mark():
            return _kind("mark", nonce=record.nonce, record=record.record_id, off=record.off)
        case Origin():
            return _kind("origin", nonce=record.nonce, event=record.event) | without_defaults(
                parent=record.parent, rev=record.rev or None, cut=record.cut or None
            )
        case Base():
            graph = BaseGraph(record.known, record.pending, record.nodes, record.edges, record.ledgers)
            return _kind("base") | base_graph_to_json(graph) | without_defaults(partOf=record.part_of)


def record_to_json(record: Record) -> JsonObject:
    """The record as it is stored; its id is not in it, it follows from it."""
    return _body_to_json(record) | _stamp_to_json(record.stamp)


def record_id(record: Record) -> str:
    """The digest of the whole record in canonical JSON (keys sorted, no blanks, shortest numbers)."""
    text = json.dumps(_integral(record_to_json(record)), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return digest("record", text, length=RECORD_ID_LENGTH)


def _integral(value: Json) -> Json:
    """Whole floats as integers: JavaScript writes 5.0 as 5, and the id must survive the browser."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, list):
        return [_integral(item) for item in value]
    if isinstance(value, dict):
        return {key: _integral(item) for key, item in value.items()}
    return value


def _stamp_from_json(reader: JsonReader) -> Stamp:
    return Stamp(
        n=reader.integer("n", None),
        time=reader.integer("time"),
        cause=reader.text("cause"),
        model=reader.text("model"),
        tokens=reader.integer("tokens"),
        version=reader.integer("v", UNSAID_VERSION),
    )


def record_from_json(value: Json, where: str = "record") -> Record:
    """Raises CorruptState where the JSON is no record of ours."""
    reader = JsonReader(value, where)
    stamp = _stamp_from_json(reader)
    operations = tuple(operation_from_json(item) for item in reader.objects("operations"))
    match reader.text("kind", None):
        case "answer":
            related, part_of, lacks = reader.number("related"), reader.text("partOf"), reader.integers("lacks")
            strength = DEFAULT_RELATED if related is None else related
            run, context = reader.texts("run"), reader.texts("context")
            return Answer(stamp, run, operations, context, strength, part_of, lacks)
        case "upkeep":
            reads, anchor = reader.text_map("reads"), reader.texts("anchor")
            return Upkeep(stamp, reader.text("task", None), reads, anchor, operations, reader.texts("run"))
        case "user":
            return UserEdit(stamp, reader.text("nonce", None), operations, reader.texts("anchor"))
        case "mark":
            return Mark(stamp, reader.text("nonce", None), reader.text("record", None), reader.flag("off"))
        case "origin":
            nonce, event, parent = reader.text("nonce", None), reader.text("event", None), reader.text("parent")
            return Origin(stamp, nonce, event, parent, reader.integer("rev"), reader.integer("cut"))
        case "base":
            graph = base_graph_from_json(reader)
            part_of = reader.text("partOf")
            return Base(stamp, graph.known, graph.nodes, graph.edges, graph.pending, part_of, graph.ledgers)
        case kind:
            raise CorruptState(f"{where}: unknown kind {kind!r}; known: answer, upkeep, user, mark, origin, base")


class RecordSet:
    """All records of a lineage by id. Adding one that is there changes nothing."""

    def __init__(self, records: Iterable[Record] = ()) -> None:
        self._by_id: dict[str, Record] = {}
        self._ordered: list[tuple[int, str, Record]] | None = []
        self.highest_n = 0
        self.add_all(records)

    def __len__(self) -> int:
        return len(self._by_id)

    def __contains__(self, identity: str) -> bool:
        return identity in self._by_id

    def add(self, record: Record) -> str:
        """Add a record and return its id."""
        identity = record_id(record)
        if identity not in self._by_id:
            self.add_known({identity: record})
        return identity

    def add_known(self, by_id: Mapping[str, Record]) -> None:
        """Add records whose ids are known and need not be reckoned again."""
        self._by_id.update(by_id)
        self._ordered = None
        self.highest_n = max((self.highest_n, *(record.stamp.n for record in by_id.values())))

    def add_all(self, records: Iterable[Record]) -> None:
        for record in records:
            self.add(record)

    def get(self, identity: str) -> Record | None:
        return self._by_id.get(identity)

    def ids(self) -> Iterable[str]:
        return self._by_id.keys()

    def in_order(self) -> list[tuple[int, str, Record]]:
        """(n, id, record) of all records, ordered by n, then id."""
        if self._ordered is None or len(self._ordered) != len(self._by_id):
            self._ordered = sorted(
                ((record.stamp.n, identity, record) for identity, record in self._by_id.items()),
                key=lambda entry: entry[:2],
            )
        return self._ordered

    def all(self) -> list[Record]:
        """All records, ordered by n, then id."""
        return [record for _, _, record in self.in_order()]

    @property
    def head(self) -> str:
        """Order-free digest of the ids: equal heads mean equal sets."""
        return self.head_with(())

    def head_with(self, more: Iterable[str]) -> str:
        """The head of this set and some further ids."""
        return digest("head", *sorted({*self._by_id, *more}), length=RECORD_ID_LENGTH)

    def first(self, count: int) -> RecordSet:
        """The first records in order, and every mark: what is undone stays undone."""
        kept = [entry for place, entry in enumerate(self.in_order()) if place < count or isinstance(entry[2], Mark)]
        fewer = RecordSet()
        fewer._by_id, fewer._ordered = {identity: record for _, identity, record in kept}, kept
        fewer.highest_n = max((n for n, _, _ in kept), default=0)
        return fewer

    def switched_off(self) -> frozenset[str]:
        """Ids of the records whose latest mark says off."""
        off: dict[str, bool] = {}
        for _, _, record in self.in_order():
            if isinstance(record, Mark):
                off[record.record_id] = record.off
        return frozenset(identity for identity, is_off in off.items() if is_off)

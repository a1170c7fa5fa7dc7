"""The copy that travels with the chat, `chat_metadata.st_bme_graph`, version 10 (docs/storage.md, rules 33 to 37)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import orjson

from st_bme.errors import CorruptState, NewerState
from st_bme.graph.base_json import BaseGraph, split_keys
from st_bme.graph.codec import KnownMessages
from st_bme.graph.fold import fold
from st_bme.graph.json_reader import Json, JsonObject, JsonReader, parse_json
from st_bme.graph.ledger_json import ledgers_from_json
from st_bme.graph.ledgers import Ledgers
from st_bme.graph.memory_graph import MemoryGraph
from st_bme.graph.operation_json import without_defaults
from st_bme.graph.packed_records import pack_record, unpack_record
from st_bme.graph.ranges import from_ranges, to_ranges
from st_bme.graph.records import Answer, Record, RecordSet, UserEdit, record_from_json, record_to_json
from st_bme.graph.tail import records_of_file
from st_bme.graph.targets import TARGET_MISSING
from st_bme.graph.was import Written, edges_of, images_before, nodes_of, packing_of, read_before
from st_bme.model.edge import Edge
from st_bme.model.node import Node

VERSION = 10
SOFT_LIMIT_BYTES = 1024 * 1024
ARCHIVED_LIMIT_BYTES = SOFT_LIMIT_BYTES // 2
TAIL_ANSWERS = 64
TAIL_BYTES = 200 * 1024
HIGHEST_COUNT = 2**40
"""Of a revision or the n of a record: a chat goes on counting from there, and needs room for it."""


@dataclass(frozen=True, slots=True)
class Placement:
    """What a copy says beside its graph: whose it is, how far it reaches, what was recalled last.

    `floors` are those of the view, position by position; `chain` is the chain over the view. `in_file` are keys of
    messages that the chat file has beside the view: hidden ones, and other swipes of the last.
    """

    lineage: str
    chat: str
    owner: str
    rev: int
    head: str
    floors: Sequence[int]
    chain: str
    last_processed: int
    aliases: Mapping[str, str] = field(default_factory=dict)
    last_recall: Sequence[str] = ()
    in_file: Collection[str] = ()


@dataclass(frozen=True, slots=True)
class DecodedState:
    """A copy that was read: its records, and the graph as it was written.

    `before` is the graph before the records of the copy, None where these are all; `left_out` the number of archived
    nodes that the copy had no room for.
    """

    lineage: str
    chat: str
    owner: str
    rev: int
    head: str
    known: KnownMessages
    nodes: Mapping[str, Node]
    summaries: Mapping[str, Node]
    edges: Mapping[str, Edge]
    ledgers: Ledgers
    records: tuple[Record, ...]
    aliases: Mapping[str, str]
    before: BaseGraph | None
    left_out: int

    @property
    def is_complete(self) -> bool:
        """True if the graph can be folded exactly from the records of the copy."""
        return self.before is None


def known_messages(graph: MemoryGraph, floors: Sequence[int]) -> KnownMessages:
    """The messages that a record covers, each key once."""
    found: dict[str, int] = {}
    for key, floor, owner in zip(graph.view, floors, graph.coverage.owners, strict=True):
        if owner is not None:
            found.setdefault(key, floor)
    return KnownMessages(tuple(found), tuple(found.values()))


def encode_state(
    graph: MemoryGraph,
    records: RecordSet,
    placement: Placement,
    fold_early: Callable[[Sequence[str], RecordSet], MemoryGraph] = fold,
) -> JsonObject:
    """The whole copy as JSON; `records` are all of the lineage.

    `fold_early` folds those before the tail; a caller that keeps a `Folder` for it saves time.
    """
    known = known_messages(graph, placement.floors)
    nodes = (*graph.nodes.values(), *graph.summaries.values())
    written = Written.of(known, nodes, graph.edges.values(), graph.ledgers)
    state = _placed(graph, known, placement)
    whole = state | written.to_json()
    entering = list(records_of_file(graph, records, placement.in_file))
    tail = tail_of([record for _, record in entering], SOFT_LIMIT_BYTES - len(orjson.dumps(whole)), known.places())
    if len(tail) == len(entering):
        return whole | {"tail": tail}
    early = records.first(entering[-len(tail)][0] if tail else len(records))
    before = fold_early(_view_before(graph, early), early)
    tail = [*_still_waiting(before, records), *tail]
    whole |= images_before(written, graph, before) | {"tail": tail}
    if len(orjson.dumps(whole)) <= ARCHIVED_LIMIT_BYTES:
        return whole
    less = written.without_archived()
    left_out: JsonObject = {"leftOut": len(written.nodes) - len(less.nodes)}
    return state | less.to_json() | left_out | images_before(less, graph, before) | {"tail": tail}


def _view_before(graph: MemoryGraph, early: RecordSet) -> tuple[str, ...]:
    """The view without what the tail read of texts that also stand where it did not: these were said once before it."""
    owners = graph.coverage.owners
    is_of_tail = [owner is not None and owner.whole and owner.answer_id not in early for owner in owners]
    elsewhere = {key for key, is_late in zip(graph.view, is_of_tail, strict=True) if not is_late}
    return tuple(key for key, is_late in zip(graph.view, is_of_tail, strict=True) if not (is_late and key in elsewhere))


def _still_waiting(before: MemoryGraph, records: RecordSet) -> list[Json]:
    """User records that the graph before the tail has nothing of yet, since their target is away."""
    waiting = dict.fromkeys(drop.record_id for drop in before.drops if drop.refusal.code == TARGET_MISSING)
    found = (records.get(identity) for identity in waiting)
    return [record_to_json(record) for record in found if isinstance(record, UserEdit)]


def _placed(graph: MemoryGraph, known: KnownMessages, placement: Placement) -> JsonObject:
    """What a copy says of its place: of which lineage and chat, and how far it reaches."""
    covered = [floor for floor, owner in zip(placement.floors, graph.coverage.owners, strict=True) if owner]
    pending = [floor for floor, is_pending in zip(placement.floors, graph.pending, strict=True) if is_pending]
    aliases: JsonObject = dict(placement.aliases)
    chat: JsonObject = {"name": placement.chat, "owner": placement.owner}
    state: JsonObject = {
        "version": VERSION,
        "lineage": placement.lineage,
        "chat": chat,
        "rev": placement.rev,
        "head": placement.head,
        "covered": {"floor": max(covered, default=-1), "chain": placement.chain},
        "lastProcessedSeq": placement.last_processed,
        "known": "".join(known.keys),
        "knownFloors": to_ranges(known.floors),
    }
    return state | without_defaults(
        pending=to_ranges(pending), aliases=aliases, lastRecallResult=list(placement.last_recall)
    )


def tail_of(records: Sequence[Record], room_bytes: int, places: Mapping[str, int]) -> list[Json]:
    """All records while they fit; above that the newest answers with what was recorded since the first of them.

    `places` are those of the known messages.
    """
    kept: list[Json] = []
    answers, size, short = 0, 0, 0
    for record in reversed(records):
        encoded = pack_record(record_to_json(record), places)
        size += len(orjson.dumps(encoded)) + 1
        answers += isinstance(record, Answer)
        is_short = answers <= TAIL_ANSWERS and size <= TAIL_BYTES
        if size > room_bytes and not is_short:
            break
        kept.append(encoded)
        if is_short:
            short = len(kept)
    return (kept if size <= room_bytes else kept[:short])[::-1]


def _known(reader: JsonReader) -> KnownMessages:
    """The messages of a state that has all its parts."""
    missing = [key for key in ("known", "knownFloors", "nodes", "edges", "tail") if not reader.has(key)]
    if missing:
        raise CorruptState(f"state: {missing[0]!r} is missing")
    keys = split_keys(reader.text("known"), "state")
    known = KnownMessages(keys, from_ranges(reader.items("knownFloors"), "knownFloors", len(keys)))
    if len(known.keys) != len(known.floors):
        raise CorruptState(f"state: 'known' has {len(known.keys)} messages, 'knownFloors' {len(known.floors)} floors")
    return known


def _tail(reader: JsonReader, keys: Sequence[str]) -> tuple[Record, ...]:
    found = []
    for place, item in enumerate(reader.items("tail")):
        where = f"{reader.where} tail[{place}]"
        record = record_from_json(unpack_record(item, keys, where), where)
        _count(record.stamp.n, "n", where)
        found.append(record)
    return tuple(found)


def _count(value: int, key: str, where: str) -> int:
    """A number that goes on from what a state says. Raises CorruptState."""
    if abs(value) > HIGHEST_COUNT:
        raise CorruptState(f"{where}: {key!r} is {value}, more than {HIGHEST_COUNT}")
    return value


def _no_id_twice(ids: Iterable[str]) -> None:
    """Edges would lead to either of the two. Raises CorruptState."""
    twice = [identity for identity, count in Counter(ids).items() if count > 1]
    if twice:
        raise CorruptState(f"state: {len(twice)} ids stand for more than one node, {twice[0]!r} among them")


def decode_text(text: str) -> DecodedState:
    """Read a copy as it stands in a file. Raises as `decode_state` does."""
    return decode_state(parse_json(text, "state"))


def decode_state(value: Json) -> DecodedState:
    """Read a copy of version 10.

    Raises CorruptState for what is none, NewerState for one that a newer program wrote.
    """
    reader = JsonReader(value, "state")
    version = reader.integer("version", None)
    if version > VERSION:
        raise NewerState(version, VERSION)
    if version < VERSION:
        raise CorruptState(f"state: version {version} is the original ST-BME's; `import` takes it into a known chat")
    chat = reader.object("chat") or JsonReader({}, "state chat")
    known = _known(reader)
    ledgers = ledgers_from_json(reader, known.keys)
    packing = packing_of(reader, ledgers)
    nodes, summaries = (nodes_of(reader, name, known.keys, packing) for name in ("nodes", "summaries"))
    _no_id_twice(node.id for node in (*nodes, *summaries))
    edges = edges_of(reader, "edges", known, (*nodes, *summaries))
    return DecodedState(
        lineage=reader.text("lineage", None),
        chat=chat.text("name"),
        owner=chat.text("owner"),
        rev=_count(reader.integer("rev", None), "rev", reader.where),
        head=reader.text("head", None),
        known=known,
        nodes={node.id: node for node in nodes},
        summaries={summary.id: summary for summary in summaries},
        edges={edge.id: edge for edge in edges},
        ledgers=ledgers,
        records=_tail(reader, known.keys),
        aliases=reader.text_map("aliases"),
        before=read_before(reader, Written(known, (*nodes, *summaries), edges, ledgers)),
        left_out=reader.integer("leftOut"),
    )

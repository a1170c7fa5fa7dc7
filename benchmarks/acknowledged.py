"""What a page was told is kept, and what of it the store lacks after a kill."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import orjson

from st_bme.errors import BridgeError
from st_bme.graph.fold import Folder
from st_bme.graph.json_reader import JsonObject
from st_bme.graph.records import Answer, Mark, Record, RecordSet, UserEdit, record_from_json, record_id
from st_bme.graph.state import Placement, decode_state, encode_state
from st_bme.session.chat_log import slots_from_json

COMPARED = ("head", "known", "knownFloors", "pending", "nodes", "edges")


@dataclass(slots=True)
class Findings:
    """What went wrong, a line each. What is found again after the next kill is one finding."""

    lost: set[str] = field(default_factory=set)
    duplicated: set[str] = field(default_factory=set)
    corrupt: set[str] = field(default_factory=set)


@dataclass(slots=True)
class Acknowledged:
    """All that a page may rely on for one chat.

    `lists` are the list of messages that was acknowledged last, then those that were sent since. `edits` are texts that
    the user wrote by hand, `undone` records whose undo was answered, `heads` the head of each revision that was seen.
    """

    lineage: str = ""
    texts: dict[str, str] = field(default_factory=dict)
    lists: list[tuple[str, ...]] = field(default_factory=list)
    records: set[str] = field(default_factory=set)
    heads: dict[int, str] = field(default_factory=dict)
    edits: set[str] = field(default_factory=set)
    undone: set[str] = field(default_factory=set)

    def see(self, state: JsonObject) -> None:
        """Take note of a state that was sent: what is in it was on the disk before."""
        sent = decode_state(state)
        self.heads[sent.rev] = sent.head
        self.records.update(map(whole_id, sent.records))


def whole_id(record: Record) -> str:
    """The id of a record, or of the one that it is a part of: a chat file may lack what tells of absent messages."""
    return (record.part_of if isinstance(record, Answer) else "") or record_id(record)


@dataclass(frozen=True, slots=True)
class Kept:
    """What the store has of one chat."""

    records: Mapping[str, Record]
    texts: Mapping[str, str]
    keys: tuple[str, ...]
    heads: Mapping[int, str]


class StoreReader:
    """Reads the database beside the server, without changing it."""

    def __init__(self, data_dir: Path) -> None:
        self._path = data_dir / "memory.sqlite3"

    def check(self, chats: Sequence[Acknowledged], findings: Findings) -> None:
        """Compare what is kept of some chats with what was acknowledged."""
        database = sqlite3.connect(f"{self._path.as_uri()}?mode=ro", uri=True)
        try:
            said = database.execute("PRAGMA quick_check").fetchone()[0]
            if said != "ok":
                findings.corrupt.add(f"database: {said}")
            for chat in chats:
                if chat.lineage:
                    kept = _read(database, chat.lineage)
                    findings.lost.update(_missing(chat, kept))
                    findings.duplicated.update(_doubled(chat.lineage, kept))
        except (sqlite3.DatabaseError, BridgeError, ValueError) as error:
            findings.corrupt.add(f"database: {error}")
        finally:
            database.close()

    def fold(self, lineage: str, floors: Sequence[int], keys: Sequence[str]) -> JsonObject:
        """What the state must say: the fold of the records that are kept over these messages."""
        database = sqlite3.connect(f"{self._path.as_uri()}?mode=ro", uri=True)
        try:
            records = RecordSet(_read(database, lineage).records.values())
        finally:
            database.close()
        placement = Placement(lineage, "", "", 0, records.head, floors, "", -1)
        state = encode_state(Folder().fold(keys, records), records, placement)
        return {key: state[key] for key in COMPARED if key in state}


def _read(database: sqlite3.Connection, lineage: str) -> Kept:
    one = (lineage,)
    records: dict[str, Record] = {}
    for identity, body in database.execute("SELECT id, body FROM records WHERE lineage = ?", one):
        records[identity] = record_from_json(orjson.loads(body), identity)
        if record_id(records[identity]) != identity:
            raise ValueError(f"record {identity} is not what its id says")
    slots = database.execute("SELECT slots FROM chats WHERE lineage = ?", one).fetchone()
    return Kept(
        records=records,
        texts=dict(database.execute("SELECT key, text FROM texts WHERE lineage = ?", one)),
        keys=tuple(slot.raw for slot in slots_from_json(slots[0]) if slot) if slots else (),
        heads=dict(database.execute("SELECT rev, head FROM commits WHERE lineage = ?", one)),
    )


def _missing(chat: Acknowledged, kept: Kept) -> Iterator[str]:
    for identity in chat.records - kept.records.keys():
        yield f"{chat.lineage}: record {identity}"
    for key, text in chat.texts.items():
        if kept.texts.get(key) != text:
            yield f"{chat.lineage}: text {key}"
    for rev, head in chat.heads.items():
        if kept.heads.get(rev) != head:
            yield f"{chat.lineage}: revision {rev} with head {head}; {kept.heads.get(rev)} is kept"
    if chat.lists and kept.keys not in chat.lists:
        yield f"{chat.lineage}: the list of {len(chat.lists[0])} messages; {len(kept.keys)} are kept"
    written = {
        text
        for record in kept.records.values()
        if isinstance(record, UserEdit)
        for operation in record.operations
        for text in operation.fields.values()
    }
    for text in chat.edits - written:
        yield f"{chat.lineage}: the edit {text!r}"
    marked = {record.record_id for record in kept.records.values() if isinstance(record, Mark)}
    for identity in chat.undone - marked:
        yield f"{chat.lineage}: the undo of {identity}"


def _doubled(lineage: str, kept: Kept) -> Iterator[str]:
    """Messages that more than one answer has read. Nothing in these chats is asked about again on request."""
    answers = {whole_id(record): record for record in kept.records.values() if isinstance(record, Answer)}
    read = Counter(key for answer in answers.values() for key in answer.run)
    for key, times in read.items():
        if times > 1:
            yield f"{lineage}: message {key} was read {times} times"

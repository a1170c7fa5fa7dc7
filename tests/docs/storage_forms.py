"""Each kind of JSON that docs/storage.md describes, written in full and with as little as can be."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from docs.pages import code, read_page, table_below
from st_bme.graph.codec import KnownMessages, edge_from_json, edge_to_json, node_from_json, node_to_json
from st_bme.graph.json_reader import JsonObject, JsonReader
from st_bme.graph.ledger_json import (
    owner_from_json,
    owner_to_json,
    region_from_json,
    region_to_json,
    segment_from_json,
    segment_to_json,
    variable_from_json,
    variable_to_json,
)
from st_bme.graph.ledgers import Ledgers, region_key
from st_bme.graph.operation_json import (
    operation_from_json,
    operation_to_json,
    scope_from_json,
    scope_to_json,
    story_time_from_json,
    story_time_to_json,
    target_from_json,
    target_to_json,
)
from st_bme.graph.records import (
    Answer,
    Base,
    Mark,
    Origin,
    Record,
    Stamp,
    Upkeep,
    UserEdit,
    record_from_json,
    record_to_json,
)
from st_bme.model.edge import Edge
from st_bme.model.ledger import Knowledge, RegionFact, Variable
from st_bme.model.node import Node
from st_bme.model.operation import Operation, Target
from st_bme.model.scope import OBJECTIVE, Scope
from st_bme.model.story_time import Segment, StoryTime

PAGE = read_page("storage.md")
KEYS = ("Aaaaaaaa", "Bbbbbbbb", "Cccccccc")
KNOWN = KnownMessages(KEYS, (0, 1, 2))

SCOPE = Scope("pov", "character", "alice", "Alice", "Pier", ("Town", "Pier"), ("Mill",))
TIME = StoryTime("that night", "past", "after", "the storm", "high", "s1", "at dawn", "s2")
SEGMENT = Segment("s1", "that night", 1, KEYS[0], "after", "s0", {"Night": KEYS[1]}, KEYS[2])
KNOWN_BY_ALICE = [
    Knowledge("character:alice", "Alice", "n1", "known", KEYS[0]),
    Knowledge("character:alice", "Alice", "n2", "partial", KEYS[0], 0.5),
    Knowledge("character:alice", "Alice", "n3", "mistaken", KEYS[0], 0.0, "a lie"),
    Knowledge("character:alice", "Alice", "n4", "hidden", KEYS[0], 0.0),
]
REGION = RegionFact("within", "Pier", "Town", KEYS[0])
VARIABLE = Variable("hp", "9", KEYS[0])
LEDGERS = Ledgers(
    {"s1": SEGMENT},
    {(said.owner, said.node_id): said for said in KNOWN_BY_ALICE},
    {region_key("within", "Pier", "Town"): REGION},
    {"hp": VARIABLE},
)
TARGET = Target("r1", "n1", "character", SCOPE, "Alice")
OPERATION = Operation(
    action="update",
    cite=0,
    type="character",
    fields={"name": "Alice"},
    importance=7.0,
    scope=SCOPE,
    story_time=TIME,
    clusters=("guild",),
    ref="r2",
    target=TARGET,
    to=TARGET,
    relation="related",
    strength=0.5,
    flag=False,
)
NODE = Node(
    id="n1",
    type="character",
    fields={"name": "Alice", "state": "sad"},
    sources=KEYS[:2],
    importance=7.5,
    scope=SCOPE,
    story_time=TIME,
    clusters=("guild",),
    level=1,
    parent_id="n2",
    child_ids=("n3",),
    archived_by="user",
    redirect="n4",
    mentions=3,
    setters={"state": KEYS[1]},
    former_names=("Al",),
    pinned=True,
    locked=True,
    user_edited=True,
)
EDGE = Edge("edge0", "n1", "n2", "contradicts", 0.5, KEYS[0], edge_type=255, scope=SCOPE, ended=KEYS[2])
STAMP = Stamp(n=4, time=1, cause="extraction", model="m", tokens=9, version=2)
RECORDS: Mapping[str, Record] = {
    "Answer": Answer(STAMP, KEYS[:1], (OPERATION,), KEYS[1:], 0.5, "whole", (0,)),
    "Upkeep": Upkeep(STAMP, "merge", {"n1": "d"}, KEYS[:1], (OPERATION,), KEYS[1:]),
    "User": UserEdit(STAMP, "x", (OPERATION,), KEYS[:1]),
    "Mark": Mark(STAMP, "x", "r", off=True),
    "Origin": Origin(STAMP, "x", "fork", "parent", 3, 2),
    "Base": Base(STAMP, KEYS, (NODE,), (EDGE,), KEYS[1:], "whole", LEDGERS),
}
PLAIN_RECORDS: Mapping[str, Record] = {
    "Answer": Answer(Stamp(4), KEYS[:1]),
    "Upkeep": Upkeep(Stamp(4), "merge", {}, ()),
    "User": UserEdit(Stamp(4), "x", (), ()),
    "Mark": Mark(Stamp(4), "x", "r", off=False),
    "Origin": Origin(Stamp(4), "x", "birth"),
    "Base": Base(Stamp(4), ()),
}


@dataclass(frozen=True)
class Form:
    """One kind of JSON: full, as little as can be written, and how it is read."""

    heading: str
    full: JsonObject
    least: JsonObject
    read: Callable[[JsonObject], object]


def _reader(value: JsonObject) -> JsonReader:
    return JsonReader(value, "test")


FORMS = [
    Form(
        "Operation",
        operation_to_json(OPERATION),
        operation_to_json(Operation("create")),
        lambda value: operation_from_json(_reader(value)),
    ),
    Form("Target", target_to_json(TARGET), target_to_json(Target()), lambda value: target_from_json(_reader(value))),
    Form("Scope", scope_to_json(SCOPE), scope_to_json(OBJECTIVE), lambda value: scope_from_json(_reader(value))),
    Form(
        "Story time",
        story_time_to_json(TIME),
        story_time_to_json(StoryTime("")),
        lambda value: story_time_from_json(_reader(value)),
    ),
    Form(
        "Node",
        node_to_json(NODE, KNOWN.places()),
        node_to_json(Node("n1", "rule", {}, ()), KNOWN.places()),
        lambda value: node_from_json(_reader(value), KEYS),
    ),
    Form(
        "Edge",
        edge_to_json(EDGE, KNOWN, KNOWN.places()),
        edge_to_json(Edge("edge0", "n1", "n2", "related", 0.8, ""), KNOWN, KNOWN.places()),
        lambda value: edge_from_json(_reader(value), 0, KNOWN),
    ),
]
FORMS += [
    Form(
        "Segment",
        segment_to_json(SEGMENT, KNOWN.places(), beside=True),
        segment_to_json(Segment("s1", "then", 1, KEYS[0]), KNOWN.places(), beside=False),
        lambda value: (segment_from_json(_reader(value), KEYS), _reader(value).flag("beside")),
    ),
    Form(
        "Knowledge",
        owner_to_json(KNOWN_BY_ALICE, KNOWN.places()),
        owner_to_json(KNOWN_BY_ALICE, KNOWN.places()).fromkeys(("id", "name"), ""),
        lambda value: owner_from_json(_reader(value), KEYS),
    ),
    Form(
        "Region",
        region_to_json(REGION, KNOWN.places()),
        region_to_json(RegionFact("at", "Pier", "", KEYS[0]), KNOWN.places()),
        lambda value: region_from_json(_reader(value), KEYS),
    ),
    Form(
        "Variable",
        variable_to_json(VARIABLE, KNOWN.places()),
        variable_to_json(VARIABLE, KNOWN.places()),
        lambda value: variable_from_json(_reader(value), KEYS),
    ),
]
COMMON = {code(row["key"]) for row in table_below(PAGE, "Record").rows}
for _name, _record in RECORDS.items():
    _full, _least = record_to_json(_record), record_to_json(PLAIN_RECORDS[_name])
    FORMS.append(Form(_name, {k: v for k, v in _full.items() if k not in COMMON}, _least, record_from_json))
FORMS.append(
    Form(
        "Record",
        {key: value for key, value in record_to_json(RECORDS["Mark"]).items() if key in COMMON},
        record_to_json(PLAIN_RECORDS["Mark"]),
        record_from_json,
    )
)

EXAMPLES = [SCOPE, TIME, TARGET, OPERATION, NODE, EDGE, STAMP, SEGMENT, KNOWN_BY_ALICE[2], *RECORDS.values()]

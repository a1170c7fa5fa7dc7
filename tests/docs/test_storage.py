"""docs/storage.md says what the code writes: every key, its type and what leaving it out means."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields
from pathlib import Path

import pytest

from docs.pages import ROOT, code, table_below, tables
from docs.storage_forms import EXAMPLES, FORMS, KEYS, PAGE, SCOPE, TIME, Form
from st_bme.adapters import sqlite_store, vector_store
from st_bme.adapters.sqlite_store import SqliteStore
from st_bme.adapters.vector_store import SqliteVectorStore
from st_bme.errors import CorruptState
from st_bme.graph.fold import fold
from st_bme.graph.ids import change_event_id, content_node_id, edge_id, made_node_id, named_node_id
from st_bme.graph.json_reader import Json, JsonObject
from st_bme.graph.records import (
    Answer,
    RecordSet,
    Stamp,
    Upkeep,
    record_from_json,
    record_id,
)
from st_bme.graph.state import VERSION, Placement, decode_state, encode_state
from st_bme.history.keys import chain_of, message_key
from st_bme.model.operation import Operation, Target
from st_bme.model.schema import SUMMARY
from st_bme.model.scope import OBJECTIVE, Scope

RULES = 46
TYPES = {"text": str, "integer": int, "number": (int, float), "flag": bool, "list": list, "object": dict}

by_heading = pytest.mark.parametrize("form", FORMS, ids=lambda form: form.heading)


@pytest.mark.parametrize(
    "example",
    EXAMPLES,
    ids=lambda example: type(example).__name__,
)
def test_no_field_of_the_examples_is_at_its_default(example):
    """A field added to the code and not to the examples would else be missing from the comparison."""
    for field in fields(example):
        default = field.default_factory() if field.default_factory is not MISSING else field.default
        assert getattr(example, field.name) != default, field.name


@by_heading
def test_every_key_is_in_its_table_with_its_type(form: Form):
    rows = {code(row["key"]): row for row in table_below(PAGE, form.heading).rows}

    assert set(rows) == set(form.full)
    wrong = {key for key, value in form.full.items() if not isinstance(value, TYPES[rows[key]["type"]])}
    assert wrong == set()


@by_heading
def test_what_is_always_written_is_said_to_be(form: Form):
    rows = table_below(PAGE, form.heading).rows

    always = {code(row["key"]) for row in rows if row["default"] == "always"}
    assert always == set(form.least) & set(form.full)


@by_heading
def test_leaving_a_key_out_means_its_default(form: Form):
    whole = form.least | form.full
    for row in table_below(PAGE, form.heading).rows:
        key, default = code(row["key"]), row["default"]
        without = {name: value for name, value in whole.items() if name != key}
        if default == "derived":
            assert form.read(without) == form.read(whole), key
        elif default == "none":
            assert form.read(without) != form.read(whole), key
        elif key == "ownerName":
            assert form.read(without) == form.read({**whole, key: whole["ownerId"]})
        elif default != "always":
            assert form.read(without) == form.read({**whole, key: json.loads(code(default))}), key


def _states() -> tuple[JsonObject, JsonObject]:
    """A state with everything, and an empty one."""
    said = Operation("create", 0, "rule", {"title": "No magic"}, ref="rule")
    knows = Operation("know", 0, scope=SCOPE, target=Target(ref="rule"))
    told = [Operation("time", 0, story_time=TIME), knows, Operation("region", 0, scope=Scope(region_primary="Pier"))]
    answer = Answer(Stamp(1), KEYS[:1], (said, *told, Operation("set", 0, fields={"hp": "9"})))
    summary = Operation("create", type=SUMMARY, fields={"summary": "All."})
    records = RecordSet([answer, Upkeep(Stamp(2), "summarize", {}, KEYS[:1], (summary,), KEYS[:1])])
    names = ("chat", "owner")
    full = Placement("l", *names, 1, records.head, (0, 1), "c", 0, {"raw": KEYS[0]}, ("n",))
    empty = Placement("l", *names, 0, RecordSet().head, (), "c", -1)
    long = Operation("create", 0, "rule", {"title": "long " * 250_000})
    large = RecordSet([Answer(Stamp(1), KEYS[:1], (long, *told))])
    return (
        encode_state(fold(KEYS[:2], large), large, full) | encode_state(fold(KEYS[:2], records), records, full),
        encode_state(fold((), RecordSet()), RecordSet(), empty),
    )


def test_every_key_of_the_state_is_in_its_table():
    full, empty = _states()
    rows = {code(row["key"]): row for row in table_below(PAGE, "State keys").rows}

    assert set(rows) == set(full)
    assert {key for key, row in rows.items() if row["default"] == "always"} == set(empty)
    assert all(isinstance(full[key], TYPES[row["type"]]) for key, row in rows.items())


def test_the_states_version_is_the_one_that_is_written():
    assert f"`chat_metadata.st_bme_graph`, version {VERSION}." in PAGE


@pytest.mark.parametrize("key", ["version", "lineage"])
def test_a_state_without_version_or_lineage_is_none(key: str):
    state, _ = _states()
    del state[key]

    with pytest.raises(CorruptState):
        decode_state(state)


@pytest.mark.parametrize(
    ("section", "store", "file", "version"),
    [
        ("Database", SqliteStore, "memory.sqlite3", sqlite_store.SCHEMA_VERSION),
        ("Vectors", SqliteVectorStore, vector_store.FILE_NAME, vector_store.SCHEMA_VERSION),
    ],
)
async def test_every_table_of_a_database_is_described(
    section: str, store: type[SqliteStore | SqliteVectorStore], file: str, version: int, tmp_path: Path
):
    opened = store(tmp_path / file)
    await opened.open()
    await opened.close()

    database = sqlite3.connect(tmp_path / file)
    names = [row[0] for row in database.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
    found = {name: [(row[1], row[2]) for row in database.execute(f"PRAGMA table_info({name})")] for name in names}
    database.close()
    page = PAGE.partition(f"\n## {section}\n")[2].partition("\n## ")[0]
    described = {table.heading: [(code(row["column"]), row["type"]) for row in table.rows] for table in tables(page)}
    assert described == found
    assert f"`{file}`" in page
    assert f"`user_version` {version}" in page


@pytest.mark.parametrize("row", table_below(PAGE, "Message keys").rows, ids=lambda row: row["text"])
def test_message_keys_are_as_shown(row: Mapping[str, str]):
    role = code(row["role"])
    assert role in ("user", "assistant", "narrator")

    assert message_key(role, json.loads(code(row["text"]))) == code(row["key"])


DIGESTS: Mapping[str, Callable[..., str]] = {
    "chain": lambda *entries: chain_of(entries),
    "head": lambda *records: RecordSet(map(record_from_json, records)).head,
    "named node": lambda node_type, name: named_node_id(node_type, OBJECTIVE, name),
    "other node": lambda node_type, said: content_node_id(node_type, OBJECTIVE, said),
    "change event": change_event_id,
    "made node": made_node_id,
    "edge": lambda start, end, relation, number: edge_id(start, end, relation, OBJECTIVE, number),
}


@pytest.mark.parametrize("row", table_below(PAGE, "Digests").rows, ids=lambda row: row["of"])
def test_digests_are_as_shown(row: Mapping[str, str]):
    parts: Json = json.loads(code(row["parts"]))

    value = DIGESTS[row["of"]](*parts) if isinstance(parts, list) else record_id(record_from_json(parts))

    assert value == code(row["value"])


def test_every_rule_has_its_number():
    numbers = [int(number) for number in re.findall(r"^(\d+)\. ", PAGE, re.MULTILINE)]

    assert numbers == list(range(1, RULES + 1))


def test_code_cites_rules_that_exist():
    cited: dict[str, int] = {}
    for folder in ("server", "st-extension", "tests", "docs"):
        for path in (ROOT / folder).rglob("*"):
            if path.suffix in {".py", ".js", ".md"} and "node_modules" not in path.parts:
                for first, last in re.findall(r"\brules? (\d+)(?:(?:–| to | and )(\d+))?", path.read_text("utf-8")):
                    cited |= {str(path): int(number) for number in (first, last or first)}

    assert cited
    assert {path: number for path, number in cited.items() if not 1 <= number <= RULES} == {}

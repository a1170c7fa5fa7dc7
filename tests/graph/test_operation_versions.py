"""Records mean what they meant when they were written (docs/storage.md, rule 45)."""

import json
from dataclasses import replace
from typing import get_args

import pytest

from graph.golden_stories import STORIES
from graph.story import answer, character, events, find, reasons, told, update
from graph.write_golden_folds import FOLDER, graph_to_json
from st_bme.graph.fold import fold
from st_bme.graph.operation_versions import APPLY_BY_VERSION
from st_bme.graph.records import OPERATION_VERSION, RecordSet, Stamp, record_from_json
from st_bme.model.operation import Action

GOLDEN = sorted(FOLDER.glob("v*/*.json"))


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_a_golden_fold_comes_out_as_written(path):
    golden = json.loads(path.read_text("utf-8"))

    graph = fold(tuple(golden["view"]), RecordSet(record_from_json(record) for record in golden["records"]))

    assert graph_to_json(graph) == golden["graph"]


def test_every_version_has_code_and_golden_folds():
    folders = {int(folder.name.removeprefix("v")) for folder in FOLDER.iterdir()}

    assert folders == set(APPLY_BY_VERSION) == set(range(1, OPERATION_VERSION + 1))
    assert {path.stem for path in GOLDEN if path.parent.name == f"v{OPERATION_VERSION}"} == set(STORIES)


def test_the_stories_use_every_operation():
    used = {
        operation.action
        for _, listed in STORIES.values()
        for record in listed
        for operation in getattr(record, "operations", ())
    }

    assert used == set(get_args(Action))


def test_operations_of_a_newer_program_are_left_out_and_listed():
    newer = replace(answer(2, "b", update("Ann", state="glad"), character("Bob")), stamp=Stamp(2, version=99))

    graph = told("ab", answer(1, "a", character("Ann", state="sad")), newer)

    assert find(graph, "Ann").fields["state"] == "sad"
    assert (find(graph, "Bob"), events(graph)) == (None, [])
    assert reasons(graph) == ["operation_version"] * 2
    assert graph.pending == (False, False)


def test_each_record_is_applied_by_the_code_of_its_version(monkeypatch):
    seen = []
    monkeypatch.setattr(
        "st_bme.graph.operation_versions.APPLY_BY_VERSION",
        {7: lambda _, origin, operations: seen.append((origin.record_id != "", len(operations)))},
    )

    told("a", replace(answer(1, "a", character("Ann")), stamp=Stamp(1, version=7)))

    assert seen == [(True, 1)]  # what cites the message; nothing cites its whole run

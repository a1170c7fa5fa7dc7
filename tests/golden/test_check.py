"""Our functions against the recorded outputs, and the runner against wrong ones."""

import json
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from golden import check

PURPOSES = check.load_purposes()
MATCHED = sorted(name for name, purpose in PURPOSES.items() if purpose.use == "match")


def run(folder: Path) -> subprocess.CompletedProcess[str]:
    program = [sys.executable, str(check.GOLDEN / "check.py"), str(folder)]
    return subprocess.run(program, capture_output=True, text=True, check=False)


def write(folder: Path, name: str, *cases: tuple[object, object]) -> Path:
    listed = [{"id": i, "input": given, "output": output} for i, (given, output) in enumerate(cases)]
    path = folder / f"{name}.json"
    path.write_text(json.dumps({"frozen_now_ms": 1_760_000_000_000, "cases": listed}), encoding="utf-8")
    return path


def anchors(message: str, found: list[str], **names: dict[str, object]) -> tuple[object, object]:
    """A case of entity anchors: nodes by id with their fields, and what the original ST-BME finds."""
    nodes = [{"id": id, "type": "character", "fields": fields} for id, fields in names.items()]
    output = [{"nodeId": id, "entity": names[id]["name"]} for id in found]
    return {"message": message, "nodes": nodes}, output


@pytest.mark.parametrize("name", MATCHED)
def test_our_function_gives_what_was_recorded(name):
    outcome = check.check_file(check.GOLDEN / f"{name}.json", PURPOSES[name], check.load_differences())

    assert outcome.failures == ()
    assert outcome.passed + outcome.by_design == outcome.total > 0


def test_every_golden_file_has_a_known_use_and_every_use_a_file():
    assert {path.stem for path in check.GOLDEN.glob("*.json")} == PURPOSES.keys()
    assert {purpose.use for purpose in PURPOSES.values()} <= {"match", "reference", "planned"}


def test_every_difference_names_a_matched_file_and_functions_that_exist():
    for difference in check.load_differences():
        assert difference.file in MATCHED
        assert difference.reason
        assert callable(check.named(difference.when))
        assert callable(check.named(difference.value))


def test_the_command_prints_a_line_for_every_file():
    ended = run(check.GOLDEN)

    lines = ended.stdout.splitlines()
    assert ended.returncode == 0
    assert [line.split()[0] for line in lines] == sorted(PURPOSES)
    assert all(re.fullmatch(r"\w+ \d+\+\d+/\d+", line) for line in lines)


def test_a_wrong_output_is_told_and_fails_the_command(tmp_path):
    write(tmp_path, "cosine", ({"a": [1, 0], "b": [1, 0]}, 1), ({"a": [1, 0], "b": [1, 1]}, 0.7))

    ended = run(tmp_path)

    assert ended.returncode == 1
    assert ended.stdout == "cosine 1+0/2\n"
    assert "case 1: expected 0.7, got 0.7071" in ended.stderr


def test_an_exception_is_a_failure(tmp_path):
    path = write(tmp_path, "cosine", ({"a": [1, 0]}, 1))

    outcome = check.check_file(path, PURPOSES["cosine"], [])

    assert outcome.failures == ("case 0: expected 1, got \"KeyError: 'b'\"",)


def test_planned_and_reference_files_are_counted_but_not_compared(tmp_path):
    path = write(tmp_path, "nmf_analysis_new", ({}, None), ({}, None))

    outcome = check.check_file(path, PURPOSES["nmf_analysis_new"], [])

    assert PURPOSES["nmf_analysis_new"].use == "reference"
    assert str(outcome) == "nmf_analysis_new 0+0/2"


def test_a_file_of_unknown_use_fails_the_command(tmp_path):
    write(tmp_path, "riddle", ({}, None))

    ended = run(tmp_path)

    assert ended.returncode == 1
    assert "riddle" in ended.stderr


def test_a_missing_folder_fails_the_command(tmp_path):
    assert run(tmp_path / "nowhere").returncode == 1


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(anchors("the grey knight", [], k={"name": "Gareth", "aliases": ["Grey Knight"]}), id="alias"),
        pytest.param(anchors("gareth", [], k={"name": "Gareth"}), id="case"),
        pytest.param(anchors("Ｇａｒｅｔｈ", [], k={"name": "Gareth"}), id="width"),
        pytest.param(anchors("钟楼暗门", ["l", "e"], l={"name": "钟楼"}, e={"name": "钟楼暗门"}), id="longer name"),
        pytest.param(anchors("the annual feast", ["a"], a={"name": "ann"}), id="inside a word"),
    ],
)
def test_a_difference_counts_as_by_design_when_our_value_is_the_stated_one(tmp_path, case):
    path = write(tmp_path, "entity_anchors_new", case)

    outcome = check.check_file(path, PURPOSES["entity_anchors_new"], check.load_differences())

    assert (outcome.passed, outcome.by_design, outcome.failures) == (0, 1, ())


def test_a_difference_without_a_rule_fails(tmp_path):
    path = write(tmp_path, "entity_anchors_new", anchors("gareth", [], k={"name": "Gareth"}))

    outcome = check.check_file(path, PURPOSES["entity_anchors_new"], [])

    assert len(outcome.failures) == 1


@pytest.mark.parametrize(("stated", "by_design"), [(1, 1), (0.5, 0)], ids=["our value", "another value"])
def test_a_rule_demands_exactly_the_value_it_states(tmp_path, monkeypatch, stated, by_design):
    rules = SimpleNamespace(always=lambda _given: True, value=lambda _given, _expected: stated)
    monkeypatch.setitem(sys.modules, "golden.stated_rules", rules)
    rule = check.Difference("cosine", "one", when="stated_rules.always", value="stated_rules.value", reason="a test")
    path = write(tmp_path, "cosine", ({"a": [1], "b": [1]}, 0.25))

    outcome = check.check_file(path, PURPOSES["cosine"], [rule])

    assert (outcome.passed, outcome.by_design, len(outcome.failures)) == (0, by_design, 1 - by_design)


@pytest.mark.parametrize(
    ("expected", "actual", "is_same"),
    [
        (1.0, 1.0 + 1e-10, True),
        (1.0, 1.0 + 1e-8, False),
        (1, True, False),
        (None, None, True),
        (None, 0, False),
        ("a", "b", False),
        ([1, 2], [2, 1], False),
        ({"a": 1}, {"a": 1, "b": 2}, False),
    ],
)
def test_same_is_equality_of_json(expected, actual, is_same):
    assert check.same(expected, actual) is is_same

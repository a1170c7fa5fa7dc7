from __future__ import annotations

import argparse
import json

import pytest

from st_bme.commands import parse


def run(path, *, as_json: bool = True) -> int:
    return parse.run(argparse.Namespace(answer=str(path), json=as_json))


@pytest.fixture
def answer(tmp_path):
    return tmp_path / "answer.txt"


def test_operations_and_refusals_as_one_json_object(answer, capsys):
    answer.write_text(
        '```json\n{"operations":[{"action":"create","type":"character","fields":{"name":"Tam"}},{"action":"fly"}]}\n```'
    )

    assert run(answer) == 0
    result = json.loads(capsys.readouterr().out)
    assert result == {
        "ok": True,
        "operations": [{"action": "create", "type": "character", "fields": {"name": "Tam"}, "ref": "op0"}],
        "refused": [
            {"index": 1, "code": "unknown_action", "detail": "unknown action 'fly'; known: create, update, delete"}
        ],
        "error": None,
    }


def test_an_empty_list_is_a_success(answer, capsys):
    answer.write_text('{"operations":[]}')

    assert run(answer) == 0
    assert json.loads(capsys.readouterr().out) == {"ok": True, "operations": [], "refused": [], "error": None}


@pytest.mark.parametrize("text", ["I'm sorry, no.", "<html></html>", ""])
def test_a_refusal_is_not(answer, capsys, text):
    answer.write_text(text)

    assert run(answer) == 0
    result = json.loads(capsys.readouterr().out)
    assert (result["ok"], result["operations"]) == (False, [])
    assert result["error"]


def test_plain_text_for_people(answer, capsys):
    answer.write_text('[{"action":"create","type":"event","fields":{"summary":"x"}},{"action":"fly"}]')

    assert run(answer, as_json=False) == 0
    shown = capsys.readouterr().out.splitlines()
    assert len(shown) == 2
    assert shown[1].startswith("refused (unknown_action)")


def test_a_missing_file_is_told(tmp_path, capsys):
    assert run(tmp_path / "none.txt") == 2
    assert capsys.readouterr().err.startswith("st-bme: cannot read ")

"""`history`: the records of a state and the graph as of a floor."""

import json

import orjson
import pytest

from st_bme.cli import main

CHAT = [
    {"user_name": "Rin", "character_name": "Mara", "chat_metadata": {}},
    {"name": "Mara", "is_user": False, "mes": "Mara unlocks the boathouse in Aldmoor and lights the lamp."},
    {"name": "Rin", "is_user": True, "mes": "I give the brass key to Captain Ilse at the harbor of Aldmoor."},
    {"name": "Mara", "is_user": False, "mes": "Captain Ilse sails to Venn Island and hides the brass key there."},
]


@pytest.fixture
def state(tmp_path, capsys):
    chat = tmp_path / "chat.jsonl"
    chat.write_text("\n".join(json.dumps(line) for line in CHAT))
    path = tmp_path / "state.json"
    assert main(["replay", str(chat), "--out", str(path), "--json"]) == 0
    capsys.readouterr()
    return path


def shown(capsys):
    return json.loads(capsys.readouterr().out)


def test_records_are_listed_newest_first_with_cause_and_effect(state, capsys):
    assert main(["history", str(state), "--json"]) == 0
    records = shown(capsys)["records"]

    assert [record["kind"] for record in records][-1] == "origin"
    answer = records[0]
    assert (answer["kind"], answer["state"], answer["cause"]) == ("answer", "live", "extraction")
    assert answer["floors"][-1] == 2
    assert any("Ilse" in said["about"]["name"] for said in answer["operations"])


def test_the_graph_as_of_a_floor_knows_nothing_of_later_ones(state, capsys):
    assert main(["history", str(state), "--at", "0", "--json"]) == 0
    early = orjson.dumps(shown(capsys)["nodes"]).decode()
    assert main(["history", str(state), "--at", "2", "--json"]) == 0
    late = orjson.dumps(shown(capsys)["nodes"]).decode()

    assert "boathouse" in early
    assert "Venn Island" not in early
    assert "Venn Island" in late


def test_people_get_lines(state, capsys):
    assert main(["history", str(state)]) == 0
    lines = capsys.readouterr().out
    assert "extraction heuristic" in lines
    assert "        + create location Venn Island" in lines
    assert main(["history", str(state), "--at", "2"]) == 0
    assert capsys.readouterr().out.startswith("as of floor 2: ")


def test_a_state_without_all_of_its_records_has_no_past_to_show(state, capsys):
    body = orjson.loads(state.read_bytes())
    body["was"] = []
    state.write_bytes(orjson.dumps(body))

    assert main(["history", str(state), "--json"]) == 1
    assert "newest records" in capsys.readouterr().err


@pytest.mark.parametrize("floor", ["-1", "10000001"])
def test_a_floor_that_no_chat_has_is_refused(state, capsys, floor):
    assert main(["history", str(state), "--at", floor]) == 1
    assert f"st-bme: there is no floor {floor}" in capsys.readouterr().err

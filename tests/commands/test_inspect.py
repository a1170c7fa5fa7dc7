"""`inspect` on the command line."""

from __future__ import annotations

import json

from commands.states import state_of, write_chat, write_state
from st_bme.cli import main

STATE = state_of(
    "[character Gareth] [character Isolde] [character Tobin] [link Gareth Isolde related]",
    "[event the feast] [link Gareth #1 involved_in]",
    "[archive character Tobin]",
)


def _inspect(path, capsys):
    assert main(["inspect", path, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_json_counts_what_the_state_holds(tmp_path, capsys):
    path = write_state(tmp_path, STATE)

    found = _inspect(path, capsys)

    assert found["nodes"] == {"total": 4, "active": 3, "archived": 1, "by_type": {"character": 3, "event": 1}}
    assert found["edges"] == {"total": 2, "current": 2, "by_relation": {"related": 1, "involved_in": 1}}
    assert found["covered"] == {"messages": 3, "floors": [[0, 2]]}
    assert found["bytes"] == (tmp_path / "state.json").stat().st_size
    assert found["most_connected"][0] | {"id": ""} == {"id": "", "type": "character", "name": "Gareth", "edges": 2}
    assert found["records"] == {"total": 3, "is_complete": True, "by_kind": {"answer": 3}}
    assert found["problems"] == []


def test_problems_are_found_and_are_no_failure(tmp_path, capsys):
    spell = {"id": "spell", "type": "| spell |", "fields": {"name": "Fog"}, "sources": [0], "childIds": ["lost"]}
    orphan = {"id": "orphan", "type": "character", "fields": {"name": "Nobody"}}
    edge = {"fromId": "spell", "toId": "nowhere", "source": 0}
    state = STATE | {"nodes": [*STATE["nodes"], spell, orphan], "edges": STATE["edges"] | {"related 1": [edge]}}

    found = _inspect(write_state(tmp_path, state), capsys)

    assert [(problem["code"], problem["id"]) for problem in found["problems"]][1:] == [
        ("unknown_type", "spell"),
        ("dangling_node", "spell"),
        ("no_source", "orphan"),
    ]
    assert (found["problems"][0]["code"], found["problems"][0]["detail"]) == ("dangling_edge", "no node 'nowhere'")


def test_a_condensed_memory_that_left_for_want_of_room_is_no_problem(tmp_path, capsys):
    """`leftOut` says that archived memories left the state; what condenses them still names them."""
    condensed = {"id": "made", "type": "event", "fields": {"summary": "A feast"}, "sources": [0], "childIds": ["left"]}
    state = STATE | {"nodes": [*STATE["nodes"], condensed], "leftOut": 1}

    assert _inspect(write_state(tmp_path, state), capsys)["problems"] == []


def test_text_shows_the_same(tmp_path, capsys):
    chat = write_chat(tmp_path, {"st_bme_graph": STATE})

    assert main(["inspect", chat]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "nodes: total 4, active 3, archived 1, by_type {'character': 3, 'event': 1}" in lines
    assert "problems: 0" in lines


def test_what_is_no_state_is_named(tmp_path, capsys):
    assert main(["inspect", write_state(tmp_path, {"nodes": []})]) == 1
    assert "neither a state" in capsys.readouterr().err

"""`recall` on the command line."""

from __future__ import annotations

import json

import pytest

from commands.states import state_of, write_chat, write_state
from st_bme.cli import main

STATE = state_of("[character Gareth state=lost_an_eye]", "[event the feast ends at dawn]")


def test_json_says_what_would_be_injected(tmp_path, capsys):
    code = main(["recall", write_state(tmp_path, STATE), "--query", "Where is Gareth?", "--json"])

    answer = json.loads(capsys.readouterr().out)
    assert code == 0
    assert list(answer) == ["query", "tokens", "items", "text"]
    assert answer["query"] == "Where is Gareth?"
    assert "lost an eye" in answer["text"]
    assert 0 < answer["tokens"] <= 1200
    assert [(item["section"], item["type"], item["reason"]) for item in answer["items"]] == [
        ("core", "event", "core"),
        ("states", "character", "names"),
    ]


def test_the_header_of_a_chat_file_will_do(tmp_path, capsys):
    chat = write_chat(tmp_path, {"st_bme_graph": STATE})

    assert main(["recall", chat, "--query", "Gareth"]) == 0
    printed = capsys.readouterr().out
    assert "lost an eye" in printed
    assert " tokens, 2 memories\n" in printed


def test_headings_follow_the_language_of_the_memories(tmp_path, capsys):
    state = state_of("[character 林晚 state=失去了一只眼睛]", "[event 宴会在黎明结束]")

    main(["recall", write_state(tmp_path, state), "--query", "林晚在哪"])

    assert "## 当前状态" in capsys.readouterr().out


def test_nothing_to_recall_is_an_answer(tmp_path, capsys):
    state = state_of("[character Gareth state=lost_an_eye]")

    assert main(["recall", write_state(tmp_path, state), "--query", "hi"]) == 0
    assert "Nothing to recall." in capsys.readouterr().out


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("{", "no valid JSON"),
        ("[1, 2]", "neither a state"),
        ('{"chat_metadata": {}}\n{"mes": "x"}', "without memory"),
        ('{"version": 9}', "version 9 is the original ST-BME's; `import` takes it"),
        ('{"version": 11}', "version 11"),
        ('{"version": 10, "lineage": "x", "nodes": 4}', "'known' is missing"),
    ],
)
def test_what_is_no_state_is_named(tmp_path, capsys, content, reason):
    path = tmp_path / "state.json"
    path.write_text(content)

    code = main(["recall", str(path), "--query", "Gareth"])

    captured = capsys.readouterr()
    assert (code, captured.out) == (1, "")
    assert reason in captured.err


def test_a_missing_file_is_named(tmp_path, capsys):
    assert main(["recall", str(tmp_path / "none.json"), "--query", "x"]) == 1
    assert "none.json" in capsys.readouterr().err

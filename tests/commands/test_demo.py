"""`demo` on the command line."""

import json
import re
import socket

import pytest

from st_bme.cli import main

ANSWERS = {
    "What do I say at the back door of the Salted Eel?": "three herons",
    "Where did Isolde hide Corin's logbook?": "behind the loose brick under the stairs of Gull Light",
    "Who has the brass compass now?": "gave the brass compass to Maribel",
    "去藏经阁要说什么暗号？": "白鹤归山",
    "账册的原件藏在哪里？": "后院井壁的第七块砖后面",
    "陆行舟为什么不能喝桂花酒？": "一沾就浑身起疹子",
}


@pytest.fixture
def no_network(monkeypatch):
    def refuse(_, address):
        raise AssertionError(f"the demo must not connect, but asked for {address}")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket.socket, "connect_ex", refuse)


@pytest.fixture
def report(no_network, capsys):
    assert main(["demo", "--json"]) == 0
    (line,) = capsys.readouterr().out.splitlines()
    return json.loads(line)


def test_json_tells_of_both_chats(report):
    assert report.keys() == {"chats", "timings_ms"}
    assert [chat["language"] for chat in report["chats"]] == ["en", "zh"]
    for chat in report["chats"]:
        assert list(chat) == ["language", "messages", "nodes", "edges", "records", "state_bytes", "queries"]
        assert chat["messages"] >= 40
        assert chat["nodes"] >= 15
        assert chat["edges"] >= 10
        assert chat["records"] > 0
        assert chat["state_bytes"] > 0
    assert all(took > 0 for took in report["timings_ms"].values())


def test_every_question_is_answered_within_the_budget(report):
    queries = [query for chat in report["chats"] for query in chat["queries"]]

    assert [query["query"] for query in queries] == list(ANSWERS)
    for query in queries:
        assert list(query) == ["query", "tokens", "items", "text"]
        assert query["items"]
        assert 1 <= query["tokens"] <= 1200
        assert ANSWERS[query["query"]] in query["text"]


def test_the_account_fits_a_narrow_terminal_without_colours(no_network, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("NO_COLOR", "1")

    code = main(["demo"])

    out = capsys.readouterr().out
    assert code == 0
    assert "\x1b" not in out
    assert max(map(_width, out.splitlines())) <= 80
    assert out.count("The first one answers it.") == len(ANSWERS)
    assert all(f": {query}" in out for query in ANSWERS)
    assert "What next" in out


def _width(line: str) -> int:
    """Columns in a terminal: a Chinese character takes two."""
    return len(line) + len(re.findall("[\u3000-\u303f\u4e00-\u9fff\uff00-\uffef]", line))

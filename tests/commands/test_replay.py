"""`replay` reads a chat file through the whole pipeline and says what came of it."""

import json
import random
import re
import time

import orjson
import pytest

from graph.unpacked import fields_of
from st_bme.cli import main
from st_bme.graph.state import decode_state

ENGLISH = [
    ("Mira", "*Mira leans on the counter of the Blue Heron.* Welcome, traveller. Mind the step."),
    ("Uma", "Thank you. Is Captain Varga here?"),
    ("Mira", "Varga left for Stonebridge at dawn. He took the silver key with him, and he looked worried."),
    ("Uma", "Then I will ride to Stonebridge."),
    ("Mira", "*Mira hands you a lantern.* The road through Stonebridge is dark. Varga hates the dark."),
]
CHINESE = [
    ("林晚", "林晚站在青石镇的茶馆门口。“请进，外面在下雨。”"),
    ("旅人", "谢谢。你见过赵铁吗？"),
    ("林晚", "赵铁昨天去了黑水城，带走了那把银钥匙。"),
    ("旅人", "那我去黑水城找他。"),
    ("林晚", "林晚递给你一盏灯笼。“去黑水城的路很黑，赵铁最怕黑。”"),
]


def write(path, lines, user, header=None):
    header = header or {"user_name": user, "character_name": lines[0][0], "chat_metadata": {}}
    messages = [{"name": name, "is_user": name == user, "mes": text} for name, text in lines]
    path.write_text("\n".join(json.dumps(entry, ensure_ascii=False) for entry in (header, *messages)), encoding="utf-8")
    return path


@pytest.fixture
def replay(capsys):
    def replay(path, *arguments):
        code = main(["replay", str(path), "--model", "none", "--json", *arguments])
        captured = capsys.readouterr()
        return code, json.loads(captured.out) if code == 0 else captured.err

    return replay


@pytest.mark.parametrize(
    ("story", "question"),
    [
        pytest.param((ENGLISH, "Uma", {"Mira", "Uma"}, "Stonebridge"), "Where is Varga?", id="English"),
        pytest.param((CHINESE, "旅人", {"林晚"}, "黑水城"), "黑水城在哪里？", id="Chinese"),
    ],
)
def test_a_small_chat_is_read_and_asked_about(tmp_path, replay, story, question):
    lines, user, who, where = story
    out = tmp_path / "state.json"

    code, report = replay(write(tmp_path / "chat.jsonl", lines, user), "--query", question, "--out", str(out))

    state = orjson.loads(out.read_bytes())
    assert code == 0
    assert (report["floors"], report["records"], report["model_calls"], report["refused_operations"]) == (5, 2, 0, 0)
    assert (report["nodes"], report["edges"]) == (len(state["nodes"]), sum(map(len, state["edges"].values())))
    assert report["state_bytes"] == len(orjson.dumps(state))
    names = {fields_of(state, node).get("name") for node in state["nodes"]}
    assert who | {where} <= names
    (query,) = report["queries"]
    assert query["query"] == question
    assert where in query["text"]
    assert 0 < query["tokens"] < 2_000
    assert {item["node_id"] for item in query["items"]} <= {node["id"] for node in state["nodes"]}


def test_the_report_has_what_is_promised(tmp_path, replay):
    _, report = replay(write(tmp_path / "chat.jsonl", ENGLISH, "Uma"))

    assert list(report) == [
        "floors",
        "nodes",
        "edges",
        "records",
        "state_bytes",
        "bytes_per_node",
        "model_calls",
        "refused_operations",
        "queries",
        "seconds",
    ]
    assert report["queries"] == []


def test_two_replays_of_a_chat_give_one_graph(tmp_path, replay):
    path = write(tmp_path / "chat.jsonl", ENGLISH, "Uma")
    states = []
    for number in range(2):
        out = tmp_path / f"{number}.json"
        replay(path, "--out", str(out))
        states.append(decode_state(orjson.loads(out.read_bytes())))

    assert (states[0].nodes, states[0].edges, states[0].known) == (states[1].nodes, states[1].edges, states[1].known)


def test_nothing_of_the_chat_is_left_behind(tmp_path, replay, monkeypatch):
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))

    replay(write(tmp_path / "chat.jsonl", ENGLISH, "Uma"))

    assert list(folder.iterdir()) == []


def test_system_messages_comments_and_tools_are_no_story(tmp_path, replay):
    path = write(tmp_path / "chat.jsonl", ENGLISH, "Uma")
    extra = [
        {"name": "System", "mes": "Type /help.", "is_system": True, "extra": {"type": "help"}},
        {"name": "Note", "mes": "Zarathul was never here.", "is_system": True, "extra": {"type": "comment"}},
        {"name": "Tool", "mes": "[Zarathul]", "is_system": True, "extra": {"tool_invocations": [{"id": "1"}]}},
        {"name": "Mira", "mes": ""},
    ]
    with path.open("a", encoding="utf-8") as file:
        file.writelines("\n" + json.dumps(entry) for entry in extra)
    out = tmp_path / "state.json"

    _, report = replay(path, "--out", str(out))

    assert (report["floors"], report["records"]) == (9, 2)
    assert b"Zarathul" not in out.read_bytes()


def test_hidden_messages_are_read_and_swipes_that_were_turned_down_are_not(tmp_path, replay):
    path = write(tmp_path / "chat.jsonl", ENGLISH[:3], "Uma")
    reply = {
        "name": "Mira",
        "mes": "Hallgrim waits in Oakmoor.",
        "is_system": True,
        "swipe_id": 1,
        "swipes": ["Zarathul waits in Oakmoor.", "Hallgrim waits in Oakmoor."],
    }
    with path.open("a", encoding="utf-8") as file:
        file.write("\n" + json.dumps(reply))
    out = tmp_path / "state.json"

    replay(path, "--out", str(out))

    assert b"Hallgrim" in out.read_bytes()
    assert b"Zarathul" not in out.read_bytes()


@pytest.mark.parametrize(
    "header",
    [
        {"user_name": "Uma", "character_name": "Mira", "create_date": 1674559896839},
        {"user_name": "Uma", "character_names": ["Mira", "Varga"], "create_date": 1684669029632, "notes": ""},
        {"chat_metadata": {"integrity": "x"}, "user_name": "unused", "character_name": "unused"},
    ],
    ids=["2023", "room", "today"],
)
def test_a_chat_of_any_age_is_read(tmp_path, replay, header):
    code, report = replay(write(tmp_path / "chat.jsonl", ENGLISH, "Uma", header))

    assert (code, report["floors"], report["records"]) == (0, 5, 2)


def test_a_header_alone_is_an_empty_story(tmp_path, replay):
    path = tmp_path / "chat.jsonl"
    path.write_text('{"user_name": "Uma", "character_name": "Mira"}')

    code, report = replay(path)

    assert (code, report["floors"], report["nodes"], report["records"], report["bytes_per_node"]) == (0, 0, 0, 0, 0.0)


@pytest.mark.parametrize(
    ("content", "reason"),
    [("", "is empty"), ('{"user_name": "Uma"}\n{"mes": "a"}\n{"mes": ', "line 3"), ("[]", "line 1: not a JSON object")],
    ids=["empty", "cut short", "no object"],
)
def test_a_damaged_file_is_named_in_one_line(tmp_path, replay, content, reason):
    path = tmp_path / "chat.jsonl"
    path.write_text(content)

    code, error = replay(path)

    assert code != 0
    assert reason in error
    assert len(error.strip().splitlines()) == 1


def test_without_json_a_person_can_read_it(tmp_path, capsys):
    path = write(tmp_path / "chat.jsonl", ENGLISH, "Uma")

    main(["replay", str(path), "--model", "none", "--query", "Where is Varga?"])

    printed = capsys.readouterr().out
    assert "floors               5" in printed
    assert "bytes_per_node       under 16 KiB in all" in printed
    assert re.search(r"\? Where is Varga\?  \(\d+ tokens, \d+ memories\)", printed)
    assert "Stonebridge" in printed


@pytest.mark.parametrize(("name", "reason"), [("none/state.json", "no folder"), ("", "it is a folder")])
def test_where_nothing_can_be_written_nothing_is_read(tmp_path, monkeypatch, capsys, name, reason):
    path = write(tmp_path / "chat.jsonl", ENGLISH, "Uma")
    monkeypatch.setattr("st_bme.commands.replay.build_core", None)  # what would read the chat

    assert main(["replay", str(path), "--out", str(tmp_path / name)]) == 1
    assert reason in capsys.readouterr().err


WHO, WHERE = ("Mira", "Varga", "Hallgrim", "Sefa", "Doran"), ("Stonebridge", "Oakmoor", "Greyford", "Highmarsh")
WHAT = ("found the silver key", "lost the way", "spoke of the old king", "hid from the guards", "lit a fire")


def long_chat(count):
    rng = random.Random(7)
    for number in range(count):
        if number % 2:
            told = f"{rng.choice(WHO)} {rng.choice(WHAT)} near {rng.choice(WHERE)}. It was hour {number}."
            yield "Mira", f"{told} {rng.choice(WHO)} went with {rng.choice(WHO)} to {rng.choice(WHERE)}."
        else:
            yield "Uma", rng.choice(("ok", f"And then, after hour {number}?", "Tell me more."))


@pytest.mark.slow
@pytest.mark.timeout(180)
def test_ten_thousand_messages_are_read_within_a_minute(tmp_path, replay):
    started = time.process_time()

    code, report = replay(write(tmp_path / "chat.jsonl", list(long_chat(10_000)), "Uma"), "--query", "Where is Varga?")

    assert (code, report["floors"], report["records"]) == (0, 10_000, 5_000)
    assert report["queries"][0]["items"]
    # Time of this process alone, so that a machine with other work does not decide.
    assert time.process_time() - started < 60

"""`import` and `export`: the memory of a chat between files and the data folder."""

import json

import orjson
import pytest

from st_bme.cli import main

STORY = [
    ("Mara", False, "Mara unlocks the boathouse in Aldmoor and lights the lamp."),
    ("Rin", True, "I give the brass key to Captain Ilse at the harbor of Aldmoor."),
    ("Mara", False, "Captain Ilse sails to Venn Island and hides the brass key there."),
]
ORIGINAL = {
    "version": 3,
    "lastProcessedSeq": 2,
    "nodes": [
        {"id": "a", "type": "character", "seq": 0, "seqRange": [0, 2], "fields": {"name": "Ilse", "state": "at sea"}},
        {"id": "b", "type": "event", "seq": 2, "seqRange": [2, 2], "fields": {"summary": "Ilse hid the brass key"}},
    ],
    "edges": [{"id": "e", "fromId": "a", "toId": "b", "relation": "involved_in", "strength": 0.8}],
    "lastRecallResult": None,
}


def write_chat(path, metadata):
    header = {"user_name": "Rin", "character_name": "Mara", "chat_metadata": metadata}
    lines = [header, *({"name": name, "is_user": is_user, "mes": text} for name, is_user, text in STORY)]
    path.write_text("\n".join(json.dumps(line) for line in lines))
    return path


@pytest.fixture
def data(tmp_path):
    return str(tmp_path / "data")


def run(capsys, *arguments):
    code = main([*arguments])
    shown = capsys.readouterr()
    return code, shown.out, shown.err


def replayed_state(tmp_path, capsys):
    chat = write_chat(tmp_path / "story.jsonl", {})
    path = tmp_path / "state.json"
    assert run(capsys, "replay", str(chat), "--out", str(path), "--json")[0] == 0
    return path


def test_a_state_comes_back_as_it_went_in(tmp_path, data, capsys):
    path = replayed_state(tmp_path, capsys)
    state = orjson.loads(path.read_bytes())
    code, out, _ = run(capsys, "import", str(path), "--data-dir", data, "--json")
    report = json.loads(out)

    assert (code, report["lineage"], report["records"]) == (0, state["lineage"], len(state["tail"]))
    exported = json.loads(run(capsys, "export", "story", "--data-dir", data)[1])
    assert exported["head"] == state["head"]
    assert exported["tail"] == state["tail"]


def test_importing_again_adds_nothing(tmp_path, data, capsys):
    path = replayed_state(tmp_path, capsys)
    run(capsys, "import", str(path), "--data-dir", data)

    assert json.loads(run(capsys, "import", str(path), "--data-dir", data, "--json")[1])["records"] == 0


def test_a_chat_file_with_memory_of_the_original_keeps_its_graph(tmp_path, data, capsys):
    chat = write_chat(tmp_path / "old.jsonl", {"st_bme_graph": ORIGINAL})
    code, out, _ = run(capsys, "import", str(chat), "--data-dir", data, "--json")
    report = json.loads(out)

    assert (code, report["version"], report["nodes"], report["edges"]) == (0, 3, 2, 1)
    assert report["notices"] == ["original_imported"]
    exported = json.loads(run(capsys, "export", report["lineage"], "--original", "--data-dir", data)[1])
    assert exported["version"] == 9
    assert {node["fields"].get("name", "") for node in exported["nodes"]} == {"Ilse", ""}


def test_a_state_of_the_original_is_taken_once_and_a_later_one_only_reported(tmp_path, data, capsys):
    chat = write_chat(tmp_path / "old.jsonl", {"st_bme_graph": ORIGINAL})
    run(capsys, "import", str(chat), "--data-dir", data)
    report = json.loads(run(capsys, "import", str(chat), "--data-dir", data, "--json")[1])
    assert (report["records"], report["notices"]) == (0, [])

    write_chat(chat, {"st_bme_graph": ORIGINAL | {"lastProcessedSeq": 1}})
    report = json.loads(run(capsys, "import", str(chat), "--data-dir", data, "--json")[1])
    assert (report["records"], report["notices"]) == (0, ["original_installed"])


def test_a_chat_file_without_memory_and_an_unknown_chat_are_said(tmp_path, data, capsys):
    chat = write_chat(tmp_path / "plain.jsonl", {})

    code, _, err = run(capsys, "import", str(chat), "--data-dir", data)
    assert (code, "carries no memory" in err) == (1, True)
    code, _, err = run(capsys, "export", "nobody", "--data-dir", data)
    assert (code, "there is no chat 'nobody'" in err) == (1, True)


def test_a_corrupt_state_changes_nothing(tmp_path, data, capsys):
    path = replayed_state(tmp_path, capsys)
    path.write_bytes(path.read_bytes()[:-200])

    assert run(capsys, "import", str(path), "--data-dir", data)[0] == 1
    assert "holds none" in run(capsys, "export", "story", "--data-dir", data)[2]


def test_a_state_of_the_original_is_put_over_the_chat_that_it_names(tmp_path, data, capsys):
    chat = write_chat(tmp_path / "old.jsonl", {"st_bme_graph": ORIGINAL})
    lineage = json.loads(run(capsys, "import", str(chat), "--data-dir", data, "--json")[1])["lineage"]
    path = tmp_path / "original.json"
    exported = ("export", lineage, "--original", "--out", str(path), "--data-dir", data)
    assert run(capsys, *exported)[0] == 0

    code, out, _ = run(capsys, "import", str(path), "--data-dir", data, "--json")
    again = json.loads(out)
    assert (code, again["lineage"], again["version"], again["nodes"]) == (0, lineage, 9, 2)


def test_a_state_of_the_original_goes_to_the_chat_that_is_named(tmp_path, data, capsys):
    known = json.loads(run(capsys, "import", str(replayed_state(tmp_path, capsys)), "--data-dir", data, "--json")[1])
    path = tmp_path / "original.json"
    path.write_text(json.dumps(ORIGINAL))

    code, out, _ = run(capsys, "import", str(path), "--chat", "story", "--data-dir", data, "--json")
    report = json.loads(out)
    assert (code, report["lineage"], report["version"]) == (0, known["lineage"], 3)
    assert report["notices"] == ["original_imported"]


def test_a_state_of_the_original_needs_a_chat_that_is_there(tmp_path, data, capsys):
    path = tmp_path / "original.json"
    path.write_text(json.dumps(ORIGINAL))

    code, _, err = run(capsys, "import", str(path), "--data-dir", data)
    assert (code, "--chat" in err) == (1, True)
    code, _, err = run(capsys, "import", str(path), "--chat", "nobody", "--data-dir", data)
    assert (code, "there is no chat 'nobody'" in err) == (1, True)
    ours = replayed_state(tmp_path, capsys)
    code, _, err = run(capsys, "import", str(ours), "--chat", "story", "--data-dir", data)
    assert (code, "says itself" in err) == (1, True)


def test_an_export_that_cannot_be_written_is_said(tmp_path, data, capsys):
    run(capsys, "import", str(replayed_state(tmp_path, capsys)), "--data-dir", data)
    code, _, err = run(capsys, "export", "story", "--out", str(tmp_path / "none" / "x.json"), "--data-dir", data)

    assert (code, err.startswith("st-bme: cannot write"), "there is no folder" in err) == (1, True, True)

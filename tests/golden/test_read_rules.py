"""Where the read chain answers otherwise on purpose: each kind of case has our stated value."""

import json

import pytest

from golden import check
from st_bme.read.query import triviality

EVENT = {"id": "e", "type": "event", "fields": {"summary": "the feast"}}
TABLE = ["event_table:", "| summary |", "| --- |", "| the feast |"]


def outcome_of(folder, name, given, output):
    path = folder / f"{name}.json"
    case = {"id": 1, "input": given, "output": output}
    path.write_text(json.dumps({"frozen_now_ms": 0, "cases": [case]}), encoding="utf-8")
    found = check.check_file(path, check.load_purposes()[name], check.load_differences())
    return found.passed, found.by_design, found.failures


@pytest.mark.parametrize(
    "text", ["Hello!", "good morning", "你好～", "OK.", "hmm…", "继续", "对的", "*Thanks*", "go on"]
)
def test_small_talk_asks_for_nothing(tmp_path, text):
    recorded = {"trivial": False, "reason": "", "normalizedText": text}

    assert triviality(text)
    assert outcome_of(tmp_path, "trivial_input_new", text, recorded) == (0, 1, ())


@pytest.mark.parametrize("text", ["hello, where is Ann?", "okay, go north", "你好啊，钥匙呢", "hmmmm", "/continue"])
def test_other_texts_are_judged_as_recorded(tmp_path, text):
    is_command = text.startswith("/")
    recorded = {"trivial": is_command, "reason": "slash-command" if is_command else "", "normalizedText": text}

    assert outcome_of(tmp_path, "trivial_input_new", text, recorded) == (1, 0, ())


def test_what_is_in_the_core_leaves_no_heading_alone(tmp_path):
    recorded = "\n".join(["[Memory - Core]", *TABLE, "", "[Memory - Recalled]", "## 情景事件记忆"])

    outcome = outcome_of(tmp_path, "injection_v0", {"coreNodes": [EVENT], "recallNodes": [EVENT]}, recorded)

    assert outcome == (0, 1, ())


def test_an_unknown_type_leaves_no_heading_alone(tmp_path):
    nodes = [EVENT, {"id": "x", "type": "riddle", "fields": {"summary": "?"}}]
    recorded = "\n".join(["", "[Memory - Recalled]", "## 情景事件记忆", *TABLE, "## 其他"])

    outcome = outcome_of(tmp_path, "injection_v0", {"coreNodes": [], "recallNodes": nodes}, recorded)

    assert outcome == (0, 1, ())


def test_a_long_cell_of_wide_characters_keeps_as_many_characters(tmp_path):
    event = {**EVENT, "fields": {"summary": "🐉" * 250}}
    recorded = "\n".join(["[Memory - Core]", *TABLE[:3], f"| {'🐉' * 100} |"])

    assert outcome_of(tmp_path, "injection_v0", {"coreNodes": [event], "recallNodes": []}, recorded) == (0, 1, ())


def test_a_rule_excuses_no_other_difference(tmp_path):
    recorded = "\n".join(["[Memory - Core]", *TABLE[:3], "| the wedding |"])

    passed, by_design, failures = outcome_of(
        tmp_path, "injection_v0", {"coreNodes": [EVENT], "recallNodes": [EVENT]}, recorded
    )

    assert (passed, by_design, len(failures)) == (0, 0, 1)

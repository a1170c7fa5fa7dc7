from __future__ import annotations

import pytest

from st_bme.write.heuristics.state_lines import read_state_lines


def test_lines_become_fields_of_the_speaker():
    state = read_state_lines("She waits.\nMood: uneasy\nHP: 12/20\n**Goal:** find it\nLocation: Old Mill\nTime: dusk")

    assert state.fields == {"": {"state": "uneasy; HP: 12/20", "goal": "find it"}}
    assert (state.place, state.time, state.text) == ("Old Mill", "dusk", "She waits.")


def test_lines_below_a_name_belong_to_that_name():
    state = read_state_lines("Name: Orla\nMood: glad\nName: Tam\nInventory: rope, lamp")

    assert state.fields == {"Orla": {"state": "glad"}, "Tam": {"inventory": "rope, lamp"}}


def test_several_stand_between_bars():
    state = read_state_lines("[心情：紧张 | 地点：旧码头]")

    assert state.fields == {"": {"state": "紧张"}}
    assert state.place == "旧码头"


def test_owner_may_stand_in_the_line():
    assert read_state_lines("Orla's mood: calm\n林月的目标：找到地图").fields == {
        "Orla": {"state": "calm"},
        "林月": {"goal": "找到地图"},
    }


@pytest.mark.parametrize(
    "line", ["Orla: we should go.", "He said: wait", "It is 12:30", "Mood:", "mood swings: none of your business | no"]
)
def test_other_lines_stay_text(line):
    state = read_state_lines(line)

    assert (state.fields, state.text) == ({}, line)

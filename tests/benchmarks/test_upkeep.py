"""A short run of `benchmarks/upkeep.py`, and what holds however long it is."""

import json

import pytest

from benchmarks import upkeep as benchmark

FIGURES = {
    "turns",
    "active_nodes",
    "archived",
    "floors_covered_once",
    "pinned_changed",
    "undo_exact",
    "calls_by_task",
    "repeat_rate",
}
GROWTH = 1.6


@pytest.mark.timeout(300)
def test_upkeep_covers_all_changes_nothing_of_the_users_and_can_be_undone():
    figures = benchmark.measure(60)

    assert set(figures) == FIGURES
    assert json.loads(json.dumps(figures)) == figures
    assert figures["floors_covered_once"] is True
    assert figures["undo_exact"] is True
    assert figures["pinned_changed"] == 0
    assert figures["calls_by_task"].keys() == {"consolidate", "summarise", "roll_up", "reflect", "compress"}


@pytest.mark.slow
@pytest.mark.timeout(200)
def test_a_graph_of_twice_the_turns_is_little_larger():
    chat, active = benchmark.KeptChat(), []
    for turns in (120, 240):
        chat.play(turns)
        active.append(len(chat.graph.active_nodes()))

    assert active[1] <= GROWTH * active[0]
    assert chat.floors_covered_once()
    assert chat.pinned_changed() == 0
    assert chat.undo_exact

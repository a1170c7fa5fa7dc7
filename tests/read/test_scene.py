"""What a recalled memory brings along."""

from __future__ import annotations

import numpy as np

from read.stories import indexed, node_named, told
from st_bme.read.scene import complete_scene
from st_bme.read.select import Choice


def _brought(graph, *names, closed=(), limit=6):
    index = indexed(graph)
    row = {node.name: row for row, node in enumerate(index.nodes)}
    is_open = np.array([node.name not in closed for node in index.nodes])
    chosen = [Choice(row[name], "names", 1.0, {}) for name in names]
    return [index.nodes[choice.row].name for choice in complete_scene(index, chosen, is_open, limit=limit)]


STORY = told(
    "[event the storm] [character Gareth] [location Quay] [link Gareth event:the_storm involved_in]",
    "[event the wreck] [link Gareth #1 involved_in] [link #1 location:Quay occurred_at]",
    "[event the feast] [link Gareth #1 involved_in]",
    "[event the trial] [link Gareth #1 involved_in]",
)


def test_an_event_brings_cast_and_place_then_its_nearest_in_time():
    assert _brought(STORY, "the wreck") == ["Gareth", "Quay", "the feast", "the storm"]


def test_a_character_brings_their_latest_two_events():
    assert _brought(STORY, "Gareth") == ["the trial", "the feast"]


def test_the_chosen_take_turns():
    assert _brought(STORY, "Gareth", "the wreck", limit=2) == ["the trial", "Quay"]


def test_what_is_closed_or_chosen_is_not_brought():
    assert _brought(STORY, "the wreck", "Gareth", closed={"Quay", "the trial"}) == ["the feast", "the storm"]


def test_a_companion_counts_half_of_what_brought_it():
    index = indexed(STORY)
    row = index.row_of[node_named(STORY, "Gareth").id]
    is_open = np.ones(len(index), np.bool_)

    found = complete_scene(index, [Choice(row, "names", 0.8, {})], is_open, limit=1)

    assert (found[0].reason, found[0].score) == ("scene", 0.4)

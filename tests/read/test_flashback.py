"""What comes back by itself, and what use does to importance."""

from __future__ import annotations

import numpy as np
import pytest

from read.stories import COUNTER
from st_bme.model.node import Node
from st_bme.model.recall import Query
from st_bme.read.ages import Uses
from st_bme.read.flashback import flashbacks
from st_bme.read.index import RecallIndex
from st_bme.read.options import RecallOptions
from st_bme.read.recall import recall

SEEDS = range(400)


def _index(*importances, kind="character"):
    index = RecallIndex()
    nodes = [
        Node(f"n{row}", kind, {"name": f"Name{row}", "state": "asleep"}, ("k0",), importance)
        for row, importance in enumerate(importances)
    ]
    index.update({node.id: node for node in nodes}, {}, {"k0": 0})
    return index


def _back(index, seed=1, *, chance=1.0, taken=()):
    return flashbacks(index, set(taken), np.ones(len(index), np.bool_), chance=chance, seed=seed)


def test_an_important_memory_comes_back_by_chance():
    """Each of the three most important ones at its own chance of .15, and the same for the same message."""
    index = _index(9, 5, 7, 8, 6)
    found = [_back(index, seed, chance=0.15) for seed in SEEDS]

    assert {row for rows in found for row in rows} == {0, 3, 2}
    assert sum(map(len, found)) / (3 * len(SEEDS)) == pytest.approx(0.15, abs=0.04)
    assert found == [_back(index, seed, chance=0.15) for seed in SEEDS]


def test_what_is_there_already_or_is_a_rule_does_not_come_back():
    assert _back(_index(9, 8, 7, 6), taken=(0,)) == [1, 2, 3]
    assert _back(_index(9, kind="rule")) == []
    assert _back(_index(9), chance=0.0) == []


def test_a_flashback_is_injected_and_says_so():
    index = _index(9, 3)
    answer = recall(index, Query("Is Name1 here?", seed=1), RecallOptions(flashback_chance=1.0, recent=0), COUNTER)

    assert {item.node_id: item.reason for item in answer.items} == {"n1": "names", "n0": "flashback"}


def test_use_makes_a_memory_more_important_but_never_more_than_ten():
    index = _index(5, 9.95, 3)

    index.update_uses(Uses({"n0": 4, "n1": 4, "gone": 9}))

    assert index.arrays.importances == pytest.approx(np.array([5.4, 10, 3]))

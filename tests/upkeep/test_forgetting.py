"""What is forgotten, and when."""

import pytest

from graph.story import answer, records
from st_bme.graph.fold import fold
from st_bme.model.node import Node
from st_bme.model.operation import Operation
from st_bme.model.schema import STORY_TYPES
from st_bme.settings import Values
from st_bme.upkeep.forgetting import due_forgetting, worth_keeping
from st_bme.upkeep.situation import Situation


@pytest.mark.parametrize(
    ("node_type", "importance", "age", "is_exempt"),
    [
        ("event", 5, 2, False),
        ("character", 7.9, 2, False),
        ("event", 8, 2, True),
        ("event", 5, 0.9, True),
        ("rule", 1, 2, True),
        ("thread", 1, 2, True),
        ("synopsis", 1, 2, True),
    ],
)
def test_rules_threads_synopses_the_important_and_the_young_are_never_forgotten(node_type, importance, age, is_exempt):
    node = Node("n", node_type, {}, (), importance=importance)

    assert (worth_keeping(node, age=age, accesses=0) is None) == is_exempt


def forgotten(*, replies=20, importance=5.0, recalls=None, **settings):
    """How many of the memories of a chat are put away, where four turns stand for an hour of the formula."""
    view = tuple(f"m{place}" for place in range(replies))
    column = STORY_TYPES["event"].required[0]
    told = [Operation("create", 0, "event", {column: f"told {place}"}, importance) for place in range(replies)]
    kept = records(*(answer(place + 1, (key,), told[place]) for place, key in enumerate(view)))
    graph = fold(view, kept)
    counts = dict.fromkeys(graph.nodes, recalls or 0)
    roles = ("assistant",) * replies
    values = Values({"enableSleepCycle": True} | settings)
    situation = Situation(graph, kept, roles, values, lambda _: "", recalls=counts)
    return sum(len(job.about) for job in due_forgetting(situation, turns_a_unit=4))


def test_what_is_older_than_the_young_and_worth_little_is_put_away_together():
    assert forgotten() == 16
    assert forgotten(importance=8) == 0


def test_what_is_often_recalled_stays():
    assert forgotten(recalls=3) == 0


def test_the_threshold_is_the_users():
    counts = [forgotten(importance=7, forgetThreshold=threshold) for threshold in (0.3, 0.5, 0.6)]

    # .7 / (1 + log10(1 + age)) falls below .5 at an age of 1.51, which is beyond the sixth turn.
    assert counts == [0, 13, 16]


def test_it_is_looked_at_every_so_many_replies():
    assert [forgotten(sleepEveryN=every) > 0 for every in (10, 20, 21)] == [True, True, False]

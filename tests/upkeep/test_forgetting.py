"""What is forgotten, and when."""

import pytest

from graph.story import answer, records, time
from st_bme.graph.fold import fold
from st_bme.model.node import Node
from st_bme.model.operation import Operation
from st_bme.model.schema import STORY_TYPES
from st_bme.read.ages import LastUse, Uses
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


def put_away(*, importances=(5.0,) * 20, uses=None, days=None, **settings):
    """Places of the memories of a chat that are put away, in their order, where four turns stand for an hour of the
    formula. `uses` gives by place how often one was recalled and at which place last, `days` the day of each place.
    """
    view = tuple(f"m{place}" for place in range(len(importances)))
    column = STORY_TYPES["event"].required[0]
    told = [
        (*([time(f"day {days(place)}")] if days else ()), Operation("create", 0, "event", {column: f"{place}"}, worth))
        for place, worth in enumerate(importances)
    ]
    kept = records(*(answer(place + 1, (key,), *told[place]) for place, key in enumerate(view)))
    graph = fold(view, kept)
    ids = list(graph.nodes)
    known = {ids[place]: use for place, use in (uses or {}).items()}
    used = Uses(
        {node_id: count for node_id, (count, _) in known.items()},
        {node_id: LastUse(view[place], 0) for node_id, (_, place) in known.items()},
    )
    values = Values({"enableSleepCycle": True} | settings)
    situation = Situation(graph, kept, ("assistant",) * len(view), values, lambda _: "", uses=used)
    jobs = list(due_forgetting(situation, turns_a_unit=4))
    return [ids.index(reading.nodes[0].id) for job in jobs for reading in job.about]


def test_what_is_older_than_the_young_and_worth_little_is_put_away_together():
    assert put_away() == list(range(16))
    assert put_away(importances=[8.0] * 20) == []


def test_what_is_often_recalled_stays():
    assert put_away(uses=dict.fromkeys(range(20), (3, 10))) == []


def test_the_threshold_is_the_users():
    counts = [len(put_away(importances=[7.0] * 20, forgetThreshold=threshold)) for threshold in (0.3, 0.5, 0.6)]

    # .7 / (1 + log10(1 + age)) falls below .5 at an age of 1.51, which is beyond the sixth turn.
    assert counts == [0, 13, 16]


def test_it_is_looked_at_every_so_many_replies():
    assert [put_away(sleepEveryN=every) != [] for every in (10, 20, 21)] == [True, True, False]


def test_by_the_time_of_the_story_it_is_forgotten_after_so_many_of_its_days():
    """Ten of them stand for an hour of the formula, whatever the number of turns."""
    assert put_away(days=lambda place: place, decayClock="story") == list(range(10))
    assert put_away(days=lambda place: place // 5, decayClock="story") == []
    assert put_away(days=lambda place: place, decayClock="turns") == list(range(16))


def test_what_the_story_gives_no_time_is_as_old_as_its_turns():
    assert put_away(decayClock="story") == list(range(16))


def test_the_stale_go_first_and_no_more_than_so_many_at_a_look():
    """The first memory is of less worth than most, but was recalled a moment ago."""
    importances = [2.0, *[5.0] * 29, *[1.0] * 10, *[5.0] * 80]

    at_once = put_away(importances=importances, uses={0: (1, 118)}, forgetThreshold=1)

    assert at_once == [*range(30, 40), *range(1, 11)]

"""Which memories are condensed, and into what."""

import json

import pytest

from graph.story import answer, event, records
from st_bme.graph.fold import fold
from st_bme.graph.records import Stamp
from st_bme.model.operation import Operation
from st_bme.model.schema import STORY_TYPES
from st_bme.model.scope import OBJECTIVE, Scope
from st_bme.model.story_time import StoryTime
from st_bme.settings import Values
from st_bme.upkeep.compression import WINDOWS, due_compressions
from st_bme.upkeep.situation import Situation

ANN = Scope("pov", "character", "ann", "Ann")
BOB = Scope("pov", "character", "bob", "Bob")


def answers(operations):
    return records(*(answer(place + 1, (f"m{place}",), told) for place, told in enumerate(operations)))


def situation(operations, *, every=1, kept=None):
    """A chat in which each message tells of one thing."""
    view = tuple(f"m{place}" for place in range(len(operations)))
    known = kept or answers(operations)
    graph = fold(view, known)
    roles = ("assistant",) * len(view)
    return Situation(graph, known, roles, Values({"compressionEveryN": every}), lambda _: "")


def keep_up(operations, *, most=100):
    """Condense until nothing is due; the active memories and all of them."""
    kept = answers(operations)
    for _ in range(most):
        now = situation(operations, kept=kept)
        job = next(due_compressions(now), None)
        if job is None:
            return now.graph
        for reading, said in job.decide(json.dumps({"fields": {"summary": "s", "insight": "i", "title": "t"}})):
            kept.add(reading.decide(now.graph, Stamp(kept.highest_n + 1), said))
    raise AssertionError("condensing finds no end")


def told(node_type, number, scope=OBJECTIVE):
    column = STORY_TYPES[node_type].required[0]
    return Operation("create", 0, node_type, {column: f"told {number}"}, scope=scope)


@pytest.mark.parametrize("node_type", WINDOWS)
def test_each_type_is_condensed_beyond_its_window_in_levels_that_end(node_type):
    window = WINDOWS[node_type]
    scope = ANN if node_type == "pov_memory" else OBJECTIVE

    graph = keep_up([told(node_type, number, scope) for number in range(120)])

    levels = [node.level for node in graph.active_nodes()]
    assert max(levels) <= window.deepest
    assert max(levels) >= 2
    # One more than `compressionEveryN` may wait on each level for the next call.
    assert all(levels.count(level) <= window.batch.above + 1 for level in range(window.deepest))


@pytest.mark.parametrize("node_type", sorted(STORY_TYPES.keys() - WINDOWS.keys() - {"synopsis"}))
def test_other_types_are_never_condensed(node_type):
    graph = keep_up([told(node_type, number) for number in range(40)])

    assert len(graph.active_nodes()) == 40


def test_what_two_people_think_is_kept_apart():
    thoughts = [told("pov_memory", number, (ANN, BOB)[number % 2]) for number in range(16)]

    assert list(due_compressions(situation(thoughts))) == []
    assert len(list(due_compressions(situation([*thoughts, told("pov_memory", 99, ANN)])))) == 1


def test_the_newest_stay_and_the_children_lie_below_with_their_weight_names_and_times():
    operations = [
        Operation(
            "create",
            0,
            "event",
            {"summary": f"told {number}", "participants": f"Ann, Guest {number}"},
            importance=number,
            story_time=StoryTime(f"day {number}"),
        )
        for number in range(10)
    ]

    graph = keep_up(operations)

    [made] = [node for node in graph.active_nodes() if node.level == 1]
    children = [graph.nodes[child] for child in made.child_ids]
    assert [child.fields["summary"] for child in children] == ["told 0", "told 1", "told 2"]
    assert {child.parent_id for child in children} == {made.id}
    assert made.importance == 2
    assert made.fields["participants"] == "Ann, Guest 0, Guest 1, Guest 2"
    assert (made.story_time.label, made.story_time.end_label) == ("day 0", "day 2")
    assert set(made.sources) == {"m0", "m1", "m2"}


def test_it_waits_for_so_many_replies_unless_it_has_fallen_behind():
    def due(count, every):
        return len(list(due_compressions(situation([event(f"told {place}") for place in range(count)], every=every))))

    assert [due(count, 15) for count in (9, 10, 14, 15)] == [0, 0, 0, 1]

"""What upkeep is due (docs/storage.md, rules 27 and 30)."""

import pytest

from graph.story import answer, edit, event, find, named, off, records, told, update, upkeep
from st_bme.graph.fold import fold
from st_bme.graph.records import Base, Stamp
from st_bme.model.node import SET_BY_ALL, Node
from st_bme.model.operation import Operation, Target
from st_bme.model.schema import SUMMARY
from st_bme.upkeep.reading import Reading
from st_bme.upkeep.schedule import (
    Batch,
    batch_to_condense,
    free_nodes,
    next_undecided,
    replies_since,
    runs_to_summarise,
)
from st_bme.write.plan import PlanRules

VIEW = "uaubucudue"
ROLES = ("user", "assistant") * 5
SUMMARISE = "summarise"
SUM = Operation("create", type=SUMMARY, fields={"summary": "so far"})


def chat(*more, view=VIEW):
    """A covered chat of distinct messages, and what else was recorded of it."""
    view = tuple(f"{place}{letter}" for place, letter in enumerate(view))
    covered = [answer(1 + place, (key,)) for place, key in enumerate(view)]
    kept = records(*covered, *more)
    return fold(view, kept), kept


def keys(*places):
    return tuple(f"{place}{VIEW[place]}" for place in places)


def summary(n, *places):
    """A summary of these messages, made when they were the last."""
    return upkeep(n, keys(*range(places[-1] + 1)), {}, SUM, task=SUMMARISE, run=keys(*places))


def due(told_of, **rules):
    graph, kept = told_of
    readings = runs_to_summarise(SUMMARISE, graph, ROLES, kept, PlanRules(**{"every": 2} | rules))
    return [reading.run for reading in readings]


def test_replies_count_since_the_last_live_record_of_the_task():
    first, other = summary(20, 0, 1), upkeep(21, keys(*range(8)), {}, task="other")

    graph, kept = chat(first, other)

    assert replies_since(SUMMARISE, graph, ROLES, kept) == 4
    assert replies_since("other", graph, ROLES, kept) == 1
    assert replies_since("never done", graph, ROLES, kept) == 5


def test_an_undone_record_is_counted_from_and_one_asleep_is_not():
    undone, asleep = summary(20, 0, 1, 2, 3), upkeep(21, keys(*range(8)), {"gone": "x"}, task=SUMMARISE)

    graph, kept = chat(undone, asleep, off(22, undone))

    assert replies_since(SUMMARISE, graph, ROLES, kept) == 3


def test_messages_under_no_summary_are_due_by_so_many_replies():
    assert due(chat(summary(20, 0, 1, 2, 3))) == [keys(4, 5, 6, 7)]


def test_a_hole_between_summaries_is_due_at_once():
    assert due(chat(summary(20, 0, 1), summary(21, 4, 5, 6, 7))) == [keys(2, 3)]


def test_asked_for_all_are_due_in_as_few_runs_as_it_takes():
    """But what still has no reply waits for it."""
    assert due(chat(summary(20, 0, 1)), flush=True) == [keys(2, 3, 4, 5), keys(6, 7, 8, 9)]
    assert due(chat(summary(20, 0, 1)), every=3, flush=True) == [keys(2, 3, 4, 5, 6, 7), keys(8, 9)]
    assert due(chat(summary(20, 0, 1), view=VIEW[:9]), every=3, flush=True) == [keys(2, 3, 4, 5, 6, 7)]


def test_an_undone_summary_is_not_due_again():
    undone = summary(20, 0, 1, 2, 3)

    assert due(chat(undone, off(21, undone))) == [keys(4, 5, 6, 7)]


def test_nothing_behind_an_unread_message_is_due():
    view = keys(*range(10))
    kept = records(*(answer(1 + place, (key,)) for place, key in enumerate(view) if place != 5))

    assert due((fold(view, kept), kept)) == [keys(0, 1, 2, 3)]


def restored(*runs, view=range(10)):
    """A chat of which a server has nothing but a base with summaries of these messages."""
    summaries = tuple(
        Node(f"s{number}", SUMMARY, {"summary": "so far"}, keys(*places), setters={"summary": SET_BY_ALL})
        for number, places in enumerate(runs)
    )
    kept = records(Base(Stamp(1), keys(*range(10)), summaries))
    return fold(keys(*view), kept), kept


def test_of_a_base_only_what_lies_behind_its_summaries_is_due():
    assert due(restored((0, 1, 2, 3))) == [keys(4, 5, 6, 7)]
    assert due(restored((0, 1), (4, 5, 6, 7))) == []
    assert due(restored((0, 1, 2, 3, 4, 5))) == [keys(6, 7, 8, 9)]


def test_a_base_that_has_no_summaries_costs_none():
    assert due(restored()) == []


def test_what_a_summary_of_a_base_told_before_a_message_went_is_due_again():
    """Its message 2 is gone, and with it the whole summary."""
    assert due(restored((0, 1), (2, 3, 4, 5), view=(0, 1, 3, 4, 5, 6, 7))) == [keys(3, 4, 5, 6)]


def events_of(count):
    first = answer(1, "a", *(event(f"event {number}") for number in range(count)))
    return list(told("a", first).nodes.values()), first


def test_the_oldest_are_condensed_when_there_are_too_many():
    nodes, first = events_of(5)
    graph, batch = told("a", first), Batch(size=2, above=4, keep_newest=2)

    assert batch_to_condense(Reading("compress", tuple(nodes)), batch, graph, records(first)).nodes == tuple(nodes[:2])
    assert batch_to_condense(Reading("compress", tuple(nodes[:4])), batch, graph, records(first)) is None


def test_what_was_decided_is_passed_over():
    nodes, first = events_of(5)
    decided = Reading("compress", tuple(nodes[:2])).decide(told("a", first), Stamp(2), ())

    due_next = batch_to_condense(
        Reading("compress", tuple(nodes)), Batch(size=2, above=1), told("a", first), records(first, decided)
    )

    assert due_next.nodes == tuple(nodes[1:3])


def test_undone_upkeep_exempts_what_it_read_until_that_changes():
    first = answer(1, "a", Operation("create", 0, "character", {"name": "Ann"}))
    ann = find(told("a", first), "Ann")
    undone = Reading("merge", (ann,)).decide(told("a", first), Stamp(2), ())
    listed = [first, undone, off(3, undone)]
    changed = told("ab", *listed, answer(4, "b", update("Ann", state="sad")))

    assert free_nodes("merge", [ann], records(*listed)) == []
    assert free_nodes("other", [ann], records(*listed)) == [ann]
    assert free_nodes("merge", [find(changed, "Ann")], records(*listed)) == [find(changed, "Ann")]


@pytest.mark.parametrize("own", [Operation("pin", target=named("Ann")), Operation("lock", target=named("Ann"))])
def test_what_is_the_users_is_not_read(own):
    first = answer(1, "a", Operation("create", 0, "character", {"name": "Ann"}))
    graph = told("a", first, edit(2, "a", own))

    assert free_nodes("merge", list(graph.nodes.values()), records(first)) == []


def test_a_reading_that_was_decided_on_is_not_due_whatever_came_of_it():
    nodes, first = events_of(2)
    one, other = (Reading("forget", (node,)) for node in nodes)
    nothing = one.decide(told("a", first), Stamp(2), ())

    assert next_undecided([one, other], records(first, nothing)) == other
    assert nothing.memo_key == one.memo_key


def test_a_decision_takes_its_place_behind_what_was_read():
    first = answer(1, "ab", Operation("create", 0, "character", {"name": "Ann"}))
    graph = told("abc", first)
    ann = find(graph, "Ann")

    record = Reading("forget", (ann,)).decide(graph, Stamp(2), [Operation("archive", target=Target(id=ann.id))])

    assert record.anchor == ("b", "a")
    assert find(told("abc", first, record), "Ann").archived

"""Story time in the fold: segments, their order, and when a memory happens."""

from dataclasses import replace

import pytest

from graph.story import answer, character, edit, event, find, reasons, time, told, update
from st_bme.model.operation import Operation, Target
from st_bme.model.story_time import StoryTime


def labels(graph):
    return [segment.label for segment in graph.ledgers.timeline()]


def now(graph):
    active = graph.ledgers.active_segment
    return active.label if active else ""


def when(graph, name):
    """(start, end) label of when a memory happens, as the timeline calls it."""
    segments = graph.ledgers.segments
    found = find(graph, name).story_time
    ids = (found.segment_id, found.end_segment_id) if found else ()
    return tuple(segments[identity].label for identity in ids if identity)


def titled(node_type, text, cite=0, label=""):
    story_time = StoryTime(label) if label else None
    return Operation("create", cite, node_type, {"name": text}, story_time=story_time)


def test_a_later_segment_stands_behind_the_one_where_the_story_stands():
    graph = told("abc", answer(1, "abc", time("dawn"), time("dusk", 1, relation="after"),
                 time("noon", 2, relation="after", anchor="dawn", moves_on=False)))  # fmt: skip

    assert labels(graph) == ["dawn", "noon", "dusk"]
    assert now(graph) == "dusk"


def test_a_segment_told_to_come_before_stands_before():
    graph = told("ab", answer(1, "ab", time("the feast"), time("the eve", 1, relation="before", moves_on=False)))

    assert labels(graph) == ["the eve", "the feast"]


def test_what_runs_at_the_same_time_has_the_same_order():
    graph = told("abc", answer(1, "abc", time("dawn"), time("in the mill", 1, relation="parallel"), time("dusk", 2,
                 relation="after")))  # fmt: skip

    orders = {segment.label: segment.order for segment in graph.ledgers.timeline()}
    assert orders == {"dawn": 1, "in the mill": 1, "dusk": 2}


def test_another_spelling_is_the_same_segment():
    graph = told("ab", answer(1, "ab", time("Ｄay  One"), time("day one", 1)))

    assert labels(graph) == ["Ｄay  One"]


def test_a_known_segment_by_another_label_gets_an_alias():
    first = answer(1, "a", time("day one"))
    identity = told("a", first).ledgers.active_segment.id
    renamed = Operation("time", 0, story_time=StoryTime("the day of the feast", segment_id=identity))

    graph = told("abc", first, answer(2, "bc", renamed, event("Wine", 1), time("The day of the Feast", 1)))

    (segment,) = graph.ledgers.timeline()
    assert dict(segment.aliases) == {"the day of the feast": "b"}
    assert when(graph, "Wine") == ("day one",)


def test_the_story_does_not_move_to_what_it_only_speaks_of():
    for tense in ("future", "hypothetical", "flashback"):
        graph = told("ab", answer(1, "ab", time("now"), time("then", 1, tense=tense)))

        assert now(graph) == "now", tense


def test_a_time_that_moves_nothing_on_is_now_where_nothing_else_is():
    graph = told("ab", answer(1, "ab", time("dawn", moves_on=False), time("dusk", 1, moves_on=False)))

    assert (labels(graph), now(graph)) == (["dawn", "dusk"], "dawn")


def test_a_time_without_a_label_is_refused():
    assert reasons(told("a", answer(1, "a", time(" "), Operation("time", 0)))) == ["no_story_time", "no_story_time"]


def test_events_of_a_message_happen_when_it_says():
    graph = told("a", answer(1, "a", event("Rain"), time("dusk")))

    assert find(graph, "Rain").story_time.label == "dusk"


def test_what_is_told_without_a_time_happens_now_without_the_words_of_another_message():
    graph = told("ab", answer(1, "ab", time("dusk"), event("Rain", 1)))

    assert find(graph, "Rain").story_time == StoryTime("", segment_id=graph.ledgers.active_segment.id)


def test_a_memory_of_a_message_that_set_the_time_is_undated_without_it():
    listed = answer(1, "a", time("dusk")), answer(2, "b", event("Rain"))

    graph = told("b", *listed)

    assert (find(graph, "Rain").story_time, labels(graph), now(graph)) == (None, [], "")


def test_people_places_and_rules_have_no_time():
    graph = told(
        "a", answer(1, "a", time("dusk"), titled("character", "Ann", label="dawn"), titled("location", "Pier"))
    )

    assert [node.story_time for node in graph.nodes.values()] == [None, None]
    assert labels(graph) == ["dusk"]


@pytest.mark.parametrize("node_type", ["thread", "synopsis", "reflection"])
def test_a_thread_spans_all_that_it_is_told_of(node_type):
    first = answer(1, "abc", titled(node_type, "The heir", 0), time("day one"), time("day three", 1, relation="after"))
    identity = next(iter(told("abc", first).nodes))
    more = [Operation("update", at, fields={"status": str(at)}, target=Target(id=identity)) for at in (0, 1)]
    later = answer(2, "de", time("day two", relation="after", anchor="day one"), *more,
                   time("day four", 1, relation="after", anchor="day three"))  # fmt: skip

    assert when(told("abc", first), "The heir") == ("day one",)
    assert when(told("abcde", first, later), "The heir") == ("day one", "day four")
    assert when(told("abcd", first, later), "The heir") == ("day one", "day two")


def test_what_condenses_events_spans_them():
    told_first = answer(1, "ab", time("dawn"), event("One"), time("noon", 1, relation="after"), event("Two", 1))
    one, two = told("ab", told_first).nodes.values()
    hang = [Operation("archive", target=Target(id=node.id), to=Target(ref="both")) for node in (two, one)]
    both = Operation("create", type="event", fields={"summary": "Both"}, ref="both")

    graph = told("ab", told_first, edit(2, "ab", both, *hang))

    assert when(graph, "Both") == ("dawn", "noon")
    assert find(graph, "Both").story_time.end_label == "noon"


def test_words_said_later_of_a_time_replace_none():
    graph = told("ab", answer(1, "ab", time("dusk"), event("Rain"), event("Wind", 1)))
    wind = find(graph, "Wind")
    again = Operation(
        "update", 0, fields={"status": "over"}, story_time=StoryTime("at night"), target=Target(id=wind.id)
    )

    after = told("abc", answer(1, "ab", time("dusk"), event("Rain"), event("Wind", 1)), answer(2, "c", again))

    assert find(after, "Wind").story_time.label == "at night"
    assert find(after, "Rain").story_time.label == "dusk"


def test_a_change_happens_when_its_message_says():
    graph = told("ab", answer(1, "ab", character("Ann", state="glad"), time("dusk", 1), update("Ann", 1, state="sad")))

    change = next(node for node in graph.nodes.values() if node.type == "event")
    assert change.story_time.label == "dusk"


def test_a_users_time_stands_whatever_becomes_of_messages():
    set_by_hand = replace(time("year 3"), cite=None)

    listed = edit(1, "a", set_by_hand), answer(2, "b", event("Rain"))

    assert when(told("ab", *listed), "Rain") == ("year 3",)
    assert now(told("b", *listed)) == "year 3"

"""What fits into the budget."""

from __future__ import annotations

import pytest

from read.stories import COUNTER, indexed, told
from st_bme.read.fit import Fitter, Offer
from st_bme.read.index import Told
from st_bme.read.options import RecallOptions
from st_bme.read.select import Choice

OPTIONS = RecallOptions()
GRAPH = told(
    *[f"[event feast{i} lasted_all_night_long_until_dawn_{i}] [character Guest{i} state=very_tired]" for i in range(30)]
)
INDEX = indexed(GRAPH)
EVENTS = INDEX.rows_of_type("event").tolist()


def _chosen(rows):
    return [Choice(row, "names", 0.5, {"relevance": 1.0}) for row in rows]


GUESTS = _chosen(INDEX.rows_of_type("character").tolist())


def _fit(core=(), chosen=(), scene=(), *, budget=600, counter=COUNTER):
    return Fitter(INDEX, OPTIONS, counter, budget).fit(Offer(core, chosen, scene))


def test_core_keeps_to_its_share():
    fitted = _fit(EVENTS)

    assert 0 < len(fitted.core) < len(EVENTS)
    assert fitted.sections["core"] <= 600 * 0.4
    assert list(fitted.core) == EVENTS[: len(fitted.core)]


def test_what_was_chosen_may_take_all_that_core_leaves():
    fitted = _fit(EVENTS, GUESTS)

    assert fitted.sections["recalled"] > 600 * 0.4
    assert fitted.tokens <= 600


@pytest.mark.parametrize(("budget", "most"), [(200, 0), (600, 87), (1200, 237)])
def test_summaries_take_a_quarter_of_what_a_budget_has_beyond_the_first_tokens(budget, most):
    """Where there is little room, it is for what answers."""
    story = [Told(f"s{number}", number, number, "They went on and on. " * 4, is_current=True) for number in range(40)]

    fitted = Fitter(INDEX, OPTIONS, COUNTER, budget).fit(Offer(story=story))

    assert OPTIONS.story_tokens(budget) == most
    assert fitted.sections.get("story", 0) <= most
    assert bool(fitted.story) == bool(most)


def test_the_scene_never_displaces_what_was_chosen():
    alone, with_scene = _fit(chosen=GUESTS[:25]), _fit(chosen=GUESTS[:25], scene=_chosen(EVENTS))

    assert with_scene.recalled[: len(alone.recalled)] == alone.recalled


def test_the_scene_keeps_to_its_share():
    fitted = _fit(chosen=GUESTS[:1], scene=_chosen(EVENTS))

    assert len(fitted.recalled) - 1 > 0
    assert fitted.tokens - _fit(chosen=GUESTS[:1]).tokens <= 600 * 0.2


def test_a_memory_stands_once_whether_core_or_recalled():
    fitted = _fit(EVENTS[:2], [*_chosen(EVENTS[:2]), *GUESTS[:1]])

    taken = [*fitted.core, *(choice.row for choice in fitted.recalled)]
    assert sorted(taken) == sorted([*EVENTS[:2], GUESTS[0].row])


def test_a_memory_stands_once_though_its_table_is_wider_the_second_time():
    index = indexed(told("[event feast all_night] [event vote by_show_of_hands status=settled]"))
    events = index.rows_of_type("event").tolist()

    fitted = Fitter(index, OPTIONS, COUNTER, 600).fit(Offer(core=events, chosen=_chosen(events[:1])))

    assert [*fitted.core, *(choice.row for choice in fitted.recalled)] == [events[1], events[0]]


def test_the_newest_events_give_way_to_what_was_asked_but_some():
    alone, beside = _fit(EVENTS[::-1]), _fit(EVENTS[::-1], GUESTS)

    assert 0 < len(beside.core) < len(alone.core)


def test_rows_stand_in_the_order_of_the_story():
    text = _fit(EVENTS[:3][::-1]).text

    assert text.index("feast0") < text.index("feast1") < text.index("feast2")


def test_a_budget_without_room_for_a_row_gives_no_text():
    assert _fit(EVENTS, GUESTS, budget=60).text == ""


class _WholeIsDearer:
    """Counts ten more for a text of several lines, as a tokenizer might that merges within lines only."""

    def count(self, text: str) -> int:
        return COUNTER.count(text) + 10 * text.count("\n")


@pytest.mark.parametrize("budget", [200, 300, 600])
def test_where_the_whole_costs_more_than_its_lines_the_least_goes(budget):
    fitted = _fit(EVENTS, GUESTS, budget=budget, counter=_WholeIsDearer())

    assert _WholeIsDearer().count(fitted.text) == fitted.tokens <= budget
    assert fitted.recalled


def test_a_small_budget_narrows_the_cells():
    graph = told("[character Gareth state=" + "x" * 300 + "]")
    chosen = [Choice(0, "names", 1.0, {"relevance": 1.0})]

    narrow = Fitter(indexed(graph), RecallOptions(), COUNTER, 200).fit(Offer(chosen=chosen))
    wide = Fitter(indexed(graph), RecallOptions(), COUNTER, 1200).fit(Offer(chosen=chosen))

    assert (narrow.text.count("x"), wide.text.count("x")) == (50, 300)

"""Timeline, cognition, regions and variables of a base in the fold (docs/storage.md, rule 35)."""

from __future__ import annotations

import pytest

from graph.golden_stories import STORIES
from graph.story import answer, character, event, find, know, region, set_to, time, told
from st_bme.graph.base_part import base_part
from st_bme.graph.fold import fold
from st_bme.graph.memory_graph import MemoryGraph
from st_bme.graph.records import Base, RecordSet, Stamp, record_id

VIEW = "abcd"
TOLD = (
    answer(1, "abcd", character("Ann"), character("Bob"), time("day one"), event("Dawn"),
           time("day two", 1, relation="after"), event("Noon", 1), know("Ann", "Bob", "mistaken", 1, belief="a spy"),
           time("the eve", 2, relation="before", anchor="day two", moves_on=False), region("Town", "Pier", cite=2),
           set_to(2, hp="9"), event("Dusk", 3), set_to(3, hp="3", gold="1")),
)  # fmt: skip


def base_of(graph: MemoryGraph) -> Base:
    """What is left of a graph whose records are gone."""
    nodes, edges = (*graph.nodes.values(), *graph.summaries.values()), tuple(graph.edges.values())
    keys = tuple(dict.fromkeys(graph.view))
    return Base(Stamp(1), keys, nodes, edges, ledgers=graph.ledgers)


def of_messages(view: str):
    """The ledgers that a base of the whole chat gives where only these messages are."""
    return told(view, base_of(told(VIEW, *TOLD))).ledgers


def labels(ledgers) -> list[str]:
    return [segment.label for segment in ledgers.timeline()]


@pytest.mark.parametrize("name", STORIES)
def test_a_base_says_what_its_records_said(name):
    view, listed = STORIES[name]
    graph = told(view, *listed)

    again = told(view, base_of(graph))

    assert again.ledgers == graph.ledgers
    assert {node.id: node.story_time for node in again.active_nodes()} == {
        node.id: node.story_time for node in graph.active_nodes()
    }


def test_what_an_absent_message_said_is_hidden():
    without = of_messages("acd")

    assert labels(without) == ["day one", "the eve"]
    assert without.active_segment is None
    assert not without.knowledge
    assert without.active_region() == "Pier"


def test_the_order_of_the_story_stays_whichever_messages_are_there():
    assert labels(of_messages("abcd")) == ["day one", "the eve", "day two"]
    assert labels(of_messages("bc")) == ["the eve", "day two"]
    assert labels(of_messages("cab")) == ["day one", "the eve", "day two"]


def test_a_memory_has_no_time_without_the_message_that_told_it():
    base = base_of(told(VIEW, *TOLD))

    without = told("acd", base)

    assert find(told(VIEW, base), "Dusk").story_time is not None
    assert find(without, "Dusk").story_time is None


def test_a_value_that_a_missing_message_set_is_hidden():
    values = {said.name: said.value for said in of_messages("abc").variables.values()}

    assert values == {}


def test_what_is_said_after_a_base_counts():
    later = answer(2, "e", time("day three", relation="after"), set_to(hp="1"), know("Ann", "Bob"))

    ledgers = told("abcde", base_of(told(VIEW, *TOLD)), later).ledgers

    assert labels(ledgers) == ["day one", "the eve", "day two", "day three"]
    assert ledgers.variables["hp"].value == "1"
    assert [said.stance for said in ledgers.knowledge.values()] == ["known"]


def test_a_message_of_a_base_that_is_read_again_says_what_it_says_now():
    again = answer(2, "d", set_to(mood="calm"))

    values = {
        said.name: said.value for said in told(VIEW, base_of(told(VIEW, *TOLD)), again).ledgers.variables.values()
    }

    assert values == {"mood": "calm"}


@pytest.mark.parametrize("present", ["abc", "bd", "a", "cd"])
def test_a_part_says_what_the_whole_says_of_the_messages_that_are_there(present):
    base = base_of(told(VIEW, *TOLD))
    part = base_part(base, record_id(base), present)

    view = tuple(present)
    assert fold(view, RecordSet([part])).ledgers == fold(view, RecordSet([base])).ledgers

"""The part of an injection that stays from turn to turn, and the summaries in it."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from read.stories import COUNTER, indexed, node_named, records_of, told
from st_bme.graph.fold import fold
from st_bme.graph.ledgers import SCENE, Ledgers, region_key
from st_bme.graph.records import Answer, RecordSet
from st_bme.model.ledger import RegionFact
from st_bme.model.node import Node
from st_bme.model.operation import Operation, Target
from st_bme.model.recall import Query, Recall
from st_bme.model.scope import Scope
from st_bme.model.story_time import Segment
from st_bme.read.index import RecallIndex, first_floors
from st_bme.read.options import RecallOptions
from st_bme.read.recall import rank, write_out
from st_bme.read.steady import NO_STEADY, Steady

STEADY = RecallOptions(is_steady=True)
RULES = (
    "[rule Curfew constraint=nobody_leaves_after_dark_without_a_lantern]",
    "[rule Toll constraint=who_crosses_the_bridge_pays_the_ferryman_a_silver_coin]",
    "[thread Heir summary=nobody_knows_who_will_follow_the_old_queen]",
)
TALK = ("[event the ferry sinks]", "[event Mira finds a lantern]", "[event Olaf pays the toll]")


def _asked(index: RecallIndex, before: Steady = NO_STEADY, **query: object) -> tuple[Recall, Steady]:
    ranking = rank(index, Query(**{"text": "What of the ferry?", **query}), STEADY)
    assert ranking is not None
    return write_out(index, ranking, COUNTER, before)


def _summary(name: str, text: str, sources: tuple[str, ...], *, archived: bool = False) -> Node:
    return Node(name, "summary", {"summary": text}, sources, archived_by="upkeep" if archived else "")


def test_what_stays_has_a_block_of_its_own_and_is_not_repeated():
    answer, steady = _asked(indexed(told(*RULES, *TALK)))

    assert steady.text.startswith("<memory>\n")
    assert steady.text.endswith("\n</memory>")
    assert all(word in steady.text for word in ("Curfew", "Toll", "Heir"))
    assert not any(word in answer.text for word in ("Curfew", "Toll", "Heir"))
    assert "the ferry sinks" in answer.text
    assert (answer.steady, answer.sections["steady"]) == (steady.text, steady.tokens)
    assert {item.section for item in answer.items} >= {"steady", "core"}


def test_it_is_the_same_as_long_as_all_of_it_is_so():
    _, first = _asked(indexed(told(*RULES, TALK[0])))

    _, later = _asked(indexed(told(*RULES, *TALK)), first, text="Who paid?")

    assert later is first


def test_what_is_no_longer_so_goes_at_once():
    early = (*RULES, "[synopsis the queen reigns]", TALK[0])
    _, first = _asked(indexed(told(*early)))

    _, later = _asked(indexed(told(*early, "[synopsis the queen is dead]")), first)

    assert "the queen reigns" in first.text
    assert "the queen is dead" in later.text
    assert "the queen reigns" not in later.text


def test_a_new_rule_stands_late_until_it_is_worth_reading_all_anew():
    _, first = _asked(indexed(told(*RULES, TALK[0])))
    fourth = "[rule Silence constraint=no_song]"

    answer, second = _asked(indexed(told(*RULES, TALK[0], fourth)), first)
    more = [f"[rule Law{number} constraint={'many_words_' * 10}]" for number in range(3)]
    last_answer, third = _asked(indexed(told(*RULES, TALK[0], fourth, *more)), second)

    assert second is first
    assert "Silence" in answer.text
    assert "Silence" in third.text
    assert "Silence" not in last_answer.text


def test_a_text_that_asks_nothing_leaves_it_where_it_is():
    index = indexed(told(*RULES, *TALK))
    _, first = _asked(index)

    answer, later = _asked(index, first, text="ok")

    assert later is first
    assert (answer.text, answer.steady) == ("", first.text)


def test_without_cache_mode_rules_stand_in_the_core():
    index = indexed(told(*RULES, *TALK))
    ranking = rank(index, Query("What of the ferry?"), RecallOptions())
    assert ranking is not None

    answer, steady = write_out(index, ranking, COUNTER)

    assert steady == NO_STEADY
    assert "Curfew" in answer.text


def test_summaries_stand_in_the_order_of_the_story_and_no_stretch_twice():
    graph = told(*RULES, *TALK)
    keys = graph.view
    index = indexed(graph)
    floors = first_floors(keys, range(len(keys)))
    small = [_summary("s1", "They cross.", keys[0:2]), _summary("s2", "The ferry sinks.", keys[2:4])]
    index.update_story(small, floors)
    first_answer, first = _asked(index)

    rolled = [replace(one, archived_by="upkeep") for one in small]
    index.update_story([*rolled, _summary("s3", "They cross and the ferry sinks.", keys[0:4])], floors)
    answer, second = _asked(index, first)
    _, anew = _asked(index)

    assert "- #0–1: They cross.\n- #2–3: The ferry sinks." in first.text
    assert "They cross" not in first_answer.text
    assert second is first
    assert "They cross and" not in answer.text
    assert "- #0–3: They cross and the ferry sinks." in anew.text
    assert "They cross." not in anew.text


def test_a_summary_of_what_the_prompt_still_holds_is_left_out():
    graph = told(*RULES, *TALK)
    index = indexed(graph)
    index.update_story([_summary("s", "The ferry sinks.", graph.view[3:5])], first_floors(graph.view, range(6)))

    held, _ = _asked(index, in_context_from=3)
    gone, _ = _asked(index, in_context_from=5)

    assert "- #3–4" not in held.steady
    assert "- #3–4: The ferry sinks." in gone.steady


@given(budget=st.integers(100, 2_000), rules=st.integers(0, 30), events=st.integers(0, 30))
def test_both_texts_together_keep_to_the_budget(budget: int, rules: int, events: int):
    laws = [f"[rule Law{number} constraint={'word_' * (number % 9 + 1)}]" for number in range(rules)]
    deeds = [f"[event deed {number} at the ferry]" for number in range(events)]
    graph = told(*laws, *deeds, "[event the ferry sinks]")
    index = indexed(graph)
    floors = first_floors(graph.view, range(len(graph.view)))
    long = [_summary(f"s{place}", "It goes on. " * 9, (key,)) for place, key in enumerate(graph.view)]
    index.update_story(long, floors)

    answer, steady = _asked(index, budget_tokens=budget)

    assert COUNTER.count(answer.text) + COUNTER.count(steady.text) == answer.tokens <= budget
    assert answer.text.count("<memory>") == answer.text.count("</memory>") == (answer.text != "")


def test_when_and_where_the_story_stands_comes_with_what_is_recalled():
    graph = told(*RULES, *TALK)
    index = indexed(graph)
    now = Segment("s1", "the second night", 1, graph.view[0], now_since=graph.view[0])
    here = RegionFact("at", "the {{harbour}}", SCENE, graph.view[0])
    index.update_ledgers(Ledgers(segments={"s1": now}, regions={region_key("at", here.place, SCENE): here}))

    answer, _ = _asked(index)
    nothing, _ = _asked(index, text="ok")

    assert "\nStory time now: the second night. The scene is in: the { {harbour}}.\n" in answer.text
    assert nothing.text == ""


def test_what_is_kept_from_who_speaks_is_neither_in_what_stays_nor_in_a_summary():
    """Anna alone knows of the curfew: what stays for her does not stay for Boris."""
    talk = ("[rule Curfew constraint=nobody_leaves_after_dark]", RULES[1], *TALK, "[character Boris state=asleep]")
    graph = told(*talk)
    secret = node_named(graph, "Curfew")
    anna = Scope("pov", "character", "Anna", "Anna")
    knows = Operation("know", 0, scope=anna, target=Target(id=secret.id))
    first, *others = records_of(*talk).all()
    assert isinstance(first, Answer)
    kept = [replace(first, operations=(*first.operations, knows)), *others]
    graph = fold(graph.view, RecordSet(kept))
    index = indexed(graph)
    floors = first_floors(graph.view, range(len(graph.view)))
    index.update_story([_summary("s", "They keep a curfew.", graph.view[0:2])], floors)

    to_anna, stays = _asked(index, speaker="Anna")
    to_boris, stays_for_boris = _asked(index, stays, speaker="Boris")

    assert "nobody leaves" in stays.text
    assert "They keep a curfew." in stays.text
    assert "Toll" in stays_for_boris.text
    for text in (stays_for_boris.text, to_boris.text):
        assert "nobody leaves" not in text
        assert "They keep a curfew." not in text
    assert to_anna.steady == stays.text

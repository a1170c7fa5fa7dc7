"""Which candidates are chosen, and in which order."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from st_bme.graph.ledgers import Ledgers
from st_bme.model.node import Node
from st_bme.model.story_time import Segment, StoryTime
from st_bme.read.candidates import Candidates, Evidence
from st_bme.read.index import RecallIndex
from st_bme.read.options import RecallOptions
from st_bme.read.relevance import own_relevance
from st_bme.read.select import Weights, select
from st_bme.scoring.hybrid import HybridWeights

OPTIONS = RecallOptions()


def _choose(nodes, *, words, energies, options=OPTIONS, **others):
    index = RecallIndex()
    index.update({node.id: node for node in nodes}, {}, {f"k{floor}": floor for floor in range(101)})
    rows = np.arange(len(nodes))
    candidates = Candidates(rows, lambda _: "words")
    evidence = Evidence(
        wording=np.array(words),
        words=np.array(words),
        nearness=np.array(others.get("meaning", np.zeros(len(nodes)))),
        meaning=np.array(others.get("meaning", np.zeros(len(nodes)))),
        energies=np.array(energies),
        standing=np.array(others.get("standing", np.ones(len(nodes)))),
        named=frozenset(),
        speaking=frozenset(),
    )
    weights = Weights(evidence, own_relevance(index, evidence, options))
    return select(index, candidates, weights, options)


def _event(name, *, floor=100, importance=5.0):
    return Node(name, "event", {"summary": name}, (f"k{floor}",), importance)


def test_no_candidates_no_choice():
    assert _choose([], words=[], energies=[]) == []


def test_the_score_is_the_weighted_sum_of_what_speaks_for_a_memory():
    found = _choose([_event("a"), _event("b")], words=[1.0, 0.0], energies=[2.0, 0.0])

    # z-scores of (1, 0) are (1, -1); logistic(1) = 0.731059; weights .6, .1, .18 without the vector's.
    assert found[0].score == pytest.approx((0.6 * 1 + 0.1 * 0.5 + 0.18 * 0.731059) / 0.88, abs=1e-6)
    assert found[1].score == pytest.approx((0.1 * 0.5 + 0.18 * 0.268941) / 0.88, abs=1e-6)
    assert set(found[0].scores) == {"graph", "lexical", "importance", "decay", "standing", "relevance"}


def test_a_nearer_memory_counts_by_its_weight_and_no_more():
    """Where a memory stands multiplies its score: it never puts a worse one first by kind alone."""
    near, far = _choose([_event("a"), _event("b")], words=[1.0, 1.0], energies=[1.0, 1.0], standing=[1.5, 0.75])
    asked, beside = _choose([_event("a"), _event("b")], words=[1.0, 0.0], energies=[2.0, 0.0], standing=[0.8, 1.5])

    assert near.score / far.score == pytest.approx(2)
    assert (asked.row, beside.row) == (0, 1)


def test_memories_fade_by_turns_or_by_the_story():
    """One was told 50 turns ago but is of now, the other just told but of two segments before."""
    index = RecallIndex()
    nodes = [
        replace(_event("a", floor=0), story_time=StoryTime("now", segment_id="now")),
        replace(_event("b"), story_time=StoryTime("then", segment_id="then")),
    ]
    index.update({node.id: node for node in nodes}, {}, {f"k{floor}": floor for floor in range(101)})
    segments = {"then": Segment("then", "then", 1, "k0"), "now": Segment("now", "now", 3, "k0", now_since="k0")}
    index.update_ledgers(Ledgers(segments))
    ones = np.ones(2)
    evidence = Evidence(ones, ones, 0 * ones, 0 * ones, ones, ones, frozenset(), frozenset())

    def decays(clock):
        candidates = Candidates(np.arange(2), lambda _: "words")
        found = select(index, candidates, Weights(evidence, ones), replace(OPTIONS, clock=clock))
        return {index.nodes[choice.row].id: choice.scores["decay"] for choice in found}

    assert decays("turns") == pytest.approx({"a": 0.840553, "b": 1.0})
    # two segments: 0.8 + 0.2 / (1 + ln 3) = 0.895301
    assert decays("story") == pytest.approx({"a": 1.0, "b": 0.895301}, abs=1e-6)


def test_an_old_memory_fades_by_turns():
    old, new = sorted(
        _choose([_event("a", floor=0), _event("b")], words=[1.0, 1.0], energies=[1.0, 1.0]), key=lambda c: c.row
    )

    # 100 floors are 50 turns: 0.8 + 0.2 / (1 + ln 51) = 0.840553
    assert old.score / new.score == pytest.approx(0.840553, abs=1e-6)


def test_importance_decides_between_equals():
    found = _choose([_event("a"), _event("b", importance=9)], words=[1.0, 1.0], energies=[1.0, 1.0])

    assert [choice.row for choice in found] == [1, 0]


def test_at_most_top_k_are_chosen_best_first():
    nodes = [_event(f"tale{i} word{i}") for i in range(10)]
    found = _choose(nodes, words=[i / 10 for i in range(10)], energies=[0.0] * 10, options=RecallOptions(top_k=3))

    assert [choice.row for choice in found] == [9, 8, 7]


def test_of_two_that_say_the_same_one_makes_room_unless_switched_off():
    nodes = [_event("the mill burned down"), _event("the mill burned down."), _event("lemons are sold out")]

    diverse, best = (
        _choose(nodes, words=[1.0, 1.0, 0.9], energies=[1.0, 1.0, 0.9], options=options)
        for options in (RecallOptions(top_k=2), RecallOptions(top_k=2, is_diverse=False))
    )

    assert [choice.row for choice in best] == [0, 1]
    assert [choice.row for choice in diverse] == [0, 2]


def test_weights_are_the_users():
    options = RecallOptions(weights=HybridWeights(graph=0, importance=0, lexical=1))
    found = _choose([_event("a"), _event("b")], words=[1.0, 0.0], energies=[0.0, 2.0], options=options)

    assert [choice.row for choice in found] == [0, 1]


def test_vectors_count_by_their_weight_where_there_are_some():
    found = _choose([_event("a"), _event("b")], words=[1.0, 0.0], energies=[2.0, 0.0], meaning=[3.0, -1.0])

    # As above, with the vector's weight .3 and logistic(1) for a z-score of 1.
    assert found[0].score == pytest.approx((0.6 * 1 + 0.1 * 0.5 + 0.48 * 0.731059) / 1.18, abs=1e-6)
    assert found[0].scores["vector"] == pytest.approx(0.731059, abs=1e-6)


def test_without_normalisation_the_score_is_the_plain_sum():
    options = RecallOptions(is_normalized=False)
    found = _choose([_event("a"), _event("b")], words=[1.0, 0.0], energies=[2.0, 0.0], options=options)

    assert found[0].score == pytest.approx(0.6 * 1 + 0.1 * 0.5 + 0.18 * 0.731059, abs=1e-6)

"""A short run of what `benchmarks/upkeep.py` asks before and after upkeep."""

import random

import pytest
from benchmarks.kept_evidence import questions_about, say_what_is_told
from benchmarks.story import Story

from benchmarks import upkeep as benchmark

BUDGETS = {"recall@600tok", "recall@1200tok"}


def test_a_question_is_answered_by_the_messages_that_tell_it():
    story = Story(random.Random(1))
    turns = [story.greeting(), *(say_what_is_told(story.turn()) for _ in range(30))]
    texts = [message.text for turn in turns for message in turn.messages]

    asked = questions_about(turns, 5, seed=1)

    assert len(asked) == 5
    for question in asked:
        deed = question.text.removeprefix("Was it so that ").removesuffix("?")
        assert question.evidence == tuple(place for place, text in enumerate(texts) if deed in text) != ()


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_upkeep_costs_little_of_what_answers_a_question():
    found = benchmark.evidence_recall(turns=150, questions=60)

    active, off = found["active_nodes"], found["passages_off"]
    assert active["after"] < active["before"]
    assert off["before"].keys() == off["after"].keys() == found["passages_on"]["after"].keys() == BUDGETS
    assert all(off["after"][budget] >= off["before"][budget] - 0.05 for budget in BUDGETS)

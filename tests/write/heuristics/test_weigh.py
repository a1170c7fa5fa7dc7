from __future__ import annotations

import pytest

from st_bme.write.heuristics.sentences import Sentence
from st_bme.write.heuristics.weigh import ENOUGH, choose_sentences, shorten, weigh_sentence


@pytest.mark.parametrize("text", ["Good morning!", "Oh, I see.", "How are you doing today?", "嗯。", "想知道？"])
def test_small_talk_is_not_enough(text):
    assert weigh_sentence(Sentence(text)) < ENOUGH


@pytest.mark.parametrize(
    "text",
    [
        "I'm allergic to peanuts.",
        "The bridge collapsed at noon.",
        "我叫林月，来自青石镇。",
        "他把地图藏在钟楼的暗门后面。",
    ],
)
def test_news_is_enough(text):
    assert weigh_sentence(Sentence(text)) >= ENOUGH


def test_a_question_and_a_stage_direction_weigh_less():
    fact = weigh_sentence(Sentence("The duke hid his sword under the altar"))

    assert weigh_sentence(Sentence("The duke hid his sword under the altar?")) == fact / 2
    assert weigh_sentence(Sentence("The duke hid his sword under the altar", is_action=True)) < fact


def test_chosen_sentences_keep_their_order_and_fit():
    sentences = [Sentence("a" * 60), Sentence("b" * 60), Sentence("c" * 60), Sentence("d" * 10)]

    chosen = choose_sentences(sentences, [5.0, 9.0, 7.0, 1.0], 130)

    assert [sentence.text[0] for sentence in chosen] == ["b", "c"]


def test_shortened_at_the_end_of_a_clause_or_word():
    assert shorten("short", 10) == "short"
    assert shorten("she left early, and nobody saw her go", 24) == "she left early…"
    assert shorten("she left early and nobody saw", 24) == "she left early and…"
    assert shorten("长" * 30, 10) == "长" * 9 + "…"

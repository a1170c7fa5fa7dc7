"""Memories and passages on one scale."""

from __future__ import annotations

import numpy as np
import pytest

from read.stories import keys_of, told
from st_bme.model.message import Message
from st_bme.ports import VectorSpace
from st_bme.read.candidates import Question, gather_evidence
from st_bme.read.index import index_of
from st_bme.read.options import RecallOptions
from st_bme.read.query import blend
from st_bme.read.relevance import (
    ASKED_FOR,
    KINDRED,
    OWN_SHARE,
    SPOKEN,
    own_relevance,
    relevance_of_memories,
    weigh_passages,
)
from st_bme.read.vectors import Meaning, VectorTable
from st_bme.read.wording import asked_words
from st_bme.scoring.hybrid import HybridWeights
from st_bme.scoring.similarity import unit_rows

OPTIONS = RecallOptions()
FILLER = [f"They ride past mill {i} all day long in the rain and nobody says a word of it." for i in range(20)]


def _weigh(text, *messages, options=OPTIONS, table=None):
    """The index, its passages weighed, and the evidence; Mira and Tobin speak in turns. The query has no direction."""
    index = index_of(told(*messages), range(len(messages)))
    index.passages.update(
        [
            Message(key, "assistant", ("Mira", "Tobin")[floor % 2], message.replace("[", "").replace("]", ""), floor)
            for floor, (key, message) in enumerate(zip(keys_of(*messages), messages, strict=True))
        ]
    )
    parts = blend(text, "", "")
    meaning = None if table is None else Meaning(table, np.zeros(table.space.dimension, np.float32))
    question = Question(parts, asked_words(parts), "", meaning)
    return index, weigh_passages(index.passages, question, options), gather_evidence(index, question, options)


def test_what_the_named_speaker_said_comes_before_what_the_other_said():
    same = "I sold the grey mare at the fair by the river for nine crowns and a saddle of good leather."
    _, weighed, _ = _weigh("What did Tobin sell at the fair?", *FILLER, same, *FILLER[:6], same)

    assert np.argmax(weighed.relevance) == 27
    assert weighed.relevance[27] > weighed.relevance[20] + SPOKEN / 2


def test_who_asks_when_is_told_a_time():
    timeless, timed = "The miller sold the grey mare at the fair.", "The miller sold the grey mare on a Tuesday."
    _, weighed, _ = _weigh("When did the miller sell the mare?", *FILLER, timeless, *FILLER[:6], timed)
    _, unasked, _ = _weigh("Did the miller sell the mare?", *FILLER, timeless, *FILLER[:6], timed)

    assert weighed.relevance[27] - weighed.relevance[20] > ASKED_FOR / 2
    assert unasked.relevance[27] - unasked.relevance[20] < ASKED_FOR / 2


def test_words_that_mean_nearly_the_same_speak_for_a_passage():
    kin = {"instrument": [1, 0, 0, 0], "violin": [0.9, 0.1, 0, 0], "saddle": [0, 1, 0, 0], "song": [0, 0, 1, 0]}
    said = ["She plays the violin.", "He oils the saddle.", "They sing a song.", "An instrument is made of wood."]
    _, weighed, _ = _weigh("Which instrument?", *FILLER, *said, table=_table(kin))
    _, wordless, _ = _weigh("Which instrument?", *FILLER, *said)

    lead, lead_without = (found.relevance[20] - found.relevance[21] for found in (weighed, wordless))
    assert lead > lead_without + KINDRED


def _table(vectors):
    table = VectorTable(VectorSpace("words", 4))
    table.put(list(vectors), unit_rows(np.array(list(vectors.values()), np.float32)))
    return table


def test_without_vectors_a_short_answer_is_not_lost_among_long_messages():
    long = [
        f"By the mill at the ford {i} they sold what they had, and " + " ".join(f"word{i}x{j}" for j in range(60)) + "."
        for i in range(20)
    ]
    _, weighed, _ = _weigh("What did the miller sell at the fair?", *long, "The miller sold the grey mare at the fair.")

    assert np.argmax(weighed.relevance) == 20


def test_an_answer_comes_before_the_question():
    asking = "Who sold the grey mare?"
    answer = "It was the miller who sold the grey mare at the fair by the river for nine crowns and a saddle."
    _, weighed, _ = _weigh("Who sold the mare?", *FILLER, asking, *FILLER[:5], answer)

    assert np.argmax(weighed.relevance) == 26


def test_a_memory_is_mostly_as_relevant_as_its_message():
    memory = "[event the miller sold the grey mare at the fair by the river for nine crowns and a saddle]"
    index, weighed, evidence = _weigh("Who sold the mare?", *FILLER, memory)

    relevance = relevance_of_memories(index, evidence, weighed, OPTIONS)

    own = own_relevance(index, evidence, OPTIONS)[0]
    assert relevance[0] == pytest.approx(OWN_SHARE * own + (1 - OWN_SHARE) * weighed.relevance[20])


def test_a_memory_whose_message_is_closed_stands_for_itself():
    memory = "[event the miller sold the grey mare]"
    options = RecallOptions(passages_before=20)
    index, weighed, evidence = _weigh("Who sold the mare?", *FILLER, memory, options=options)

    assert relevance_of_memories(index, evidence, weighed, options) == pytest.approx(
        own_relevance(index, evidence, options)
    )


def test_a_name_alone_is_hardly_relevant():
    index, _, evidence = _weigh("Where is Gareth?", "[character Gareth] [character Isolde state=asleep]", *FILLER)

    named, other = own_relevance(index, evidence, OPTIONS)

    assert named < other


def test_the_users_weights_decide():
    memories = ["[event the miller sold the mare] [character Gareth state=asleep]", *FILLER]
    index, _, evidence = _weigh("Gareth sold it", *memories)
    by_words = RecallOptions(weights=HybridWeights(graph=0, lexical=1))
    by_links = RecallOptions(weights=HybridWeights(graph=1, lexical=0))

    assert np.argmax(own_relevance(index, evidence, by_links)) == index.row_of[_id(index, "Gareth")]
    assert own_relevance(index, evidence, by_words).max() > 0


def _id(index, name):
    return next(node.id for node in index.nodes if node.name == name)

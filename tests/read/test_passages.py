"""Messages as passages: how they are cut, found and forgotten."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from st_bme.model.message import Message
from st_bme.read.passages import LONGEST, OVERLAP, PassageIndex, cut, passages_of
from st_bme.read.sentences import sentences
from st_bme.read.wording import AskedWords, wording
from st_bme.scoring.terms import terms


def _message(floor, text, *, name="Mira", key=None):
    return Message(key or f"k{floor}", "assistant", name, text, floor)


def _found(index, text):
    scores = index.lexical.scores([terms(text)], [[]])[0, index.lexical_rows]
    return {index.passages[row].id for row in np.flatnonzero(scores).tolist()}


def test_a_short_message_is_one_passage():
    assert passages_of(_message(3, "The bell rings.")) == [passages_of(_message(3, "The bell rings."))[0]]
    passage = passages_of(_message(3, "The bell rings."))[0]
    assert (passage.id, passage.floor, passage.speaker, passage.text) == ("k3:0", 3, "Mira", "The bell rings.")


def test_a_message_that_tells_nothing_is_no_passage():
    assert passages_of(_message(0, " \n ")) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("He ran. She hid! Why? Nobody knew…", ["He ran. ", "She hid! ", "Why? ", "Nobody knew…"]),
        ('"Run!" she said. Gone.', ['"Run!" ', "she said. ", "Gone."]),
        ("他跑了。“躲起来！”她说。为什么？", ["他跑了。", "“躲起来！”", "她说。", "为什么？"]),
        ("one\n\ntwo", ["one\n\n", "two"]),
        ("3.5 miles", ["3.5 miles"]),
    ],
    ids=["english", "quoted", "chinese", "lines", "number"],
)
def test_sentences_end_where_they_do(text, expected):
    assert list(sentences(text)) == expected


def test_a_long_message_is_cut_on_sentence_ends_and_overlaps():
    told = [f"Sentence number {i} tells of a rope and a bell." for i in range(60)]

    parts = cut(" ".join(told))

    assert all(len(part) <= LONGEST and part.endswith(".") for part in parts)
    assert len(parts) > 2
    for before, after in itertools.pairwise(parts):
        assert after.startswith(sentences(before)[-1].strip())


@given(st.text(alphabet="ab .。!”\n", max_size=4000))
def test_nothing_is_lost_by_cutting(text):
    parts = cut(text)

    assert all(0 < len(part) <= LONGEST for part in parts)
    assert set(terms(text)) >= {term for part in parts for term in terms(part) if len(part) < LONGEST}
    position = 0
    for part in parts:
        start = text.find(part, max(0, position - OVERLAP))
        assert start >= 0
        assert text[position:start].strip() == ""
        position = max(position, start + len(part))
    assert text[position:].strip() == ""


def test_a_passage_is_found_by_its_words_and_its_speaker():
    index = PassageIndex()
    index.update([_message(0, "The bell rings."), _message(1, "A rope hangs.", name="Tobin")])

    assert _found(index, "bell") == {"k0:0"}
    assert _found(index, "tobin") == {"k1:0"}


def test_what_came_and_went_is_followed():
    index = PassageIndex()
    first, second, third = _message(0, "The bell rings."), _message(1, "A rope hangs."), _message(2, "Salt spills.")
    index.update([first, second])
    index.update([first, _message(1, "Salt spills.", key="k2"), _message(2, "An oar floats.", key="k9")])

    assert _found(index, "rope") == set()
    assert _found(index, "salt oar bell") == {"k0:0", "k2:0", "k9:0"}
    assert index.floors.tolist() == [0, 1, 2]
    assert third.key == "k2"


def test_the_order_of_changes_does_not_matter():
    messages = [_message(floor, f"The bell rings {floor} times.") for floor in range(6)]
    straight, winding = PassageIndex(), PassageIndex()
    straight.update(messages)
    for step in (messages[3:], messages[:2], messages[1:5], messages):
        winding.update(step)

    assert winding.passages == straight.passages
    query = (AskedWords(1.0, ["bell", "4"], []),)
    assert wording(winding, query).tolist() == wording(straight, query).tolist()
    assert winding.placed.texts == straight.placed.texts


def test_a_renamed_speaker_is_found_by_the_new_name():
    index = PassageIndex()
    index.update([_message(0, "The bell rings.")])
    index.update([_message(0, "The bell rings.", name="Tobin")])

    assert _found(index, "tobin") == {"k0:0"}
    assert _found(index, "mira") == set()


def test_a_text_at_two_floors_counts_at_the_first():
    index = PassageIndex()
    index.update([_message(4, "Yes.", key="same"), _message(8, "Yes.", key="same")])

    assert [(passage.id, passage.floor) for passage in index.passages] == [("same:0", 4)]


def test_words_follow_the_messages():
    index = PassageIndex()
    index.update([_message(0, "The violins play."), _message(1, "A guitar plays.")])
    assert sorted(index.kindred.words()) == ["guitar", "play", "violins"]

    index.update([_message(1, "The violins play.", key="k0", name="Tobin")])

    assert sorted(index.kindred.words()) == ["play", "violins"]
    index.update([])
    assert index.kindred.words() == []

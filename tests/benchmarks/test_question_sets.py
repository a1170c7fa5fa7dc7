"""Conversations with questions, and the own ones that come with the project."""

import json
from collections import Counter

import pytest
from benchmarks.question_sets import ASKED, read_conversations

from repository.files import ROOT
from st_bme.write.language import detect_language

DATA = ROOT / "benchmarks" / "data"


def _write(folder, **changes):
    conversation = {
        "speaker_a": "Mira",
        "session_10": [{"speaker": "Tobin", "dia_id": "D10:1", "text": "Last."}],
        "session_2": [
            {"speaker": "Mira", "dia_id": "D2:1", "text": "First."},
            {"speaker": "Tobin", "dia_id": "D2:2", "text": "Look!", "blip_caption": "a mare"},
        ],
        "session_2_date_time": "noon",
    }
    questions = [
        {"question": "Who?", "evidence": ["D10:1; D2:2", "D", "D9:9"], "category": 1},
        {"question": "What?", "evidence": [], "category": 4},
        {"question": "Trick?", "evidence": ["D2:1"], "category": 5},
    ]
    entry = {"sample_id": "one", "conversation": conversation, "qa": questions, **changes}
    path = folder / "set.json"
    path.write_text(json.dumps([entry]))
    return path


def test_sessions_are_read_by_number_and_pictures_by_their_caption(tmp_path):
    [conversation] = read_conversations(_write(tmp_path))

    told = [(message.floor, message.role, message.name, message.text) for message in conversation.messages]
    assert told == [
        (0, "user", "Mira", "First."),
        (1, "assistant", "Tobin", "Look! [shares a mare]"),
        (2, "assistant", "Tobin", "Last."),
    ]


def test_evidence_becomes_places_and_what_cannot_be_answered_is_not_asked(tmp_path):
    [conversation] = read_conversations(_write(tmp_path))

    assert [(asked.text, asked.evidence, asked.category) for asked in conversation.questions] == [("Who?", (1, 2), 1)]


def test_a_conversation_that_is_not_there_is_an_error(tmp_path):
    with pytest.raises(KeyError):
        read_conversations(_write(tmp_path), ["two"])


@pytest.mark.parametrize("language", ["en", "zh"])
def test_own_sets_are_long_and_ask_in_every_way(language):
    conversations = read_conversations(DATA / f"roleplay-{language}.json")

    assert [len(conversation.messages) >= 120 for conversation in conversations] == [True] * 3
    for conversation in conversations:
        assert len(conversation.questions) >= 60
        assert Counter(asked.category for asked in conversation.questions).keys() == ASKED.keys()
        assert detect_language(message.text for message in conversation.messages) == language
        assert {message.role for message in conversation.messages} == {"user", "assistant"}
        assert len({asked.text for asked in conversation.questions}) == len(conversation.questions)

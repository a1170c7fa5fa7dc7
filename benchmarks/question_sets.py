"""Conversations with questions and the messages that answer them, in the layout of LoCoMo's files."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from st_bme.model.message import Message

ASKED = {1: "multi-hop", 2: "temporal", 3: "open", 4: "single fact"}
"""Categories that count. The fifth of LoCoMo's asks what cannot be answered, and its evidence misleads."""

_SESSION = re.compile(r"session_(\d+)")
_EVIDENCE = re.compile(r"D\d+:\d+")


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """A question with the places of the messages that answer it, ascending."""

    text: str
    evidence: tuple[int, ...]
    category: int


@dataclass(frozen=True, slots=True)
class Conversation:
    """Messages in order, the floor of each its place, and what is asked about them."""

    id: str
    messages: Sequence[Message]
    questions: Sequence[AskedQuestion]


def read_conversations(path: Path, wanted: Sequence[str] = ()) -> list[Conversation]:
    """The conversations of a file, all or those named.

    A question without evidence is left out, and so is evidence that names no message. Raises: KeyError: a conversation
    that is wanted and not there.
    """
    found = {entry["sample_id"]: entry for entry in json.loads(path.read_text(encoding="utf-8"))}
    return [_conversation(name, found[name]) for name in wanted or found]


def _conversation(name: str, entry: Mapping[str, Mapping[str, object]]) -> Conversation:
    rows = list(_rows(entry["conversation"]))
    user = str(entry["conversation"].get("speaker_a", ""))
    messages = [_message(row, floor, is_user=row["speaker"] == user) for floor, row in enumerate(rows)]
    place_of = {message.key: message.floor for message in messages}
    questions = [_question(asked, place_of) for asked in entry["qa"]]
    return Conversation(name, messages, [asked for asked in questions if asked.evidence and asked.category in ASKED])


def _rows(conversation: Mapping[str, object]) -> Iterator[Mapping[str, object]]:
    numbers = [int(match[1]) for match in map(_SESSION.fullmatch, conversation) if match]
    for number in sorted(numbers):
        rows = conversation[f"session_{number}"]
        assert isinstance(rows, list)
        yield from rows


def _message(row: Mapping[str, object], floor: int, *, is_user: bool) -> Message:
    return Message(str(row["dia_id"]), "user" if is_user else "assistant", str(row["speaker"]), _said(row), floor)


def _said(row: Mapping[str, object]) -> str:
    """What a message says; a picture that it shows is told by its caption."""
    caption = row.get("blip_caption")
    return f"{row['text']} [shares {caption}]" if caption else str(row["text"])


def _question(asked: Mapping[str, object], place_of: Mapping[str, int]) -> AskedQuestion:
    named = _EVIDENCE.findall(json.dumps(asked["evidence"]))
    places = sorted({place_of[key] for key in named if key in place_of})
    return AskedQuestion(str(asked["question"]), tuple(places), int(str(asked["category"])))

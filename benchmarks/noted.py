"""What a language model would note of each message of a conversation, written by hand: an extractor that says it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from st_bme.model.message import Message
from st_bme.model.operation import Operation, Target
from st_bme.ports import ChatPrompt, Extraction, ExtractionInput


@dataclass(frozen=True, slots=True)
class Note:
    """An event with who takes part, where, and the thread that it carries on; and what is new about people."""

    event: str
    who: Sequence[str]
    where: str
    thread: str
    importance: float
    states: Mapping[str, str]

    def operations(self, cite: int) -> Iterator[Operation]:
        """The note as a model would answer it, with the relations that the instructions ask for."""
        ref = f"m{cite}.event"
        for name in dict.fromkeys([*self.who, *self.states]):
            state = self.states.get(name)
            yield Operation("create", cite, "character", {"name": name} | ({"state": state} if state else {}))
        fields = {"summary": self.event, "participants": ", ".join(self.who)}
        yield Operation("create", cite, "event", fields, self.importance, ref=ref)
        event = Target(ref=ref)
        for name in self.who:
            yield _link(cite, Target(type="character", name=name), event, "involved_in")
        if self.where:
            yield Operation("create", cite, "location", {"name": self.where})
            yield _link(cite, event, Target(type="location", name=self.where), "occurred_at")
        if self.thread:
            yield Operation("create", cite, "thread", {"title": self.thread, "status": "open"})
            yield _link(cite, event, Target(type="thread", name=self.thread), "advances")


class NotesExtractor:
    """Says of each message what was noted of it."""

    name = "notes"

    def __init__(self, notes: Mapping[str, Note], messages: Sequence[Message]) -> None:
        self._notes = notes
        self._messages = messages

    async def extract(self, request: ExtractionInput) -> Extraction:
        noted = ((cite, self._notes.get(self._messages[one.floor].key)) for cite, one in enumerate(request.run))
        return Extraction(tuple(one for cite, note in noted if note for one in note.operations(cite)), (), self.name)

    def prompts(self, request: ExtractionInput) -> Sequence[ChatPrompt]:  # noqa: ARG002
        return ()


def read_notes(path: Path) -> Mapping[str, Note]:
    """The notes of a file by the message that they are about."""
    found = json.loads(path.read_text(encoding="utf-8"))
    return {key: _note(entry) for key, entry in found.items()}


def _note(entry: Mapping[str, object]) -> Note:
    who, states = entry["who"], entry.get("states", {})
    assert isinstance(who, list)
    assert isinstance(states, dict)
    importance = float(str(entry["weight"]))
    return Note(str(entry["event"]), who, str(entry.get("where", "")), str(entry.get("thread", "")), importance, states)


def _link(cite: int, start: Target, end: Target, relation: str) -> Operation:
    return Operation("link", cite, target=start, to=end, relation=relation)

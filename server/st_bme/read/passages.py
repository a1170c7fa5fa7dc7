"""Past messages as a layer to search below the memories: what an extraction passed over can still be found."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from st_bme.model.message import Message
from st_bme.read.arrays import Floats, Ints, Mask
from st_bme.read.asked_for import Wanted, given
from st_bme.read.kindred import Kindred
from st_bme.read.sentences import sentences
from st_bme.read.speakers import Speakers
from st_bme.read.substance import substance
from st_bme.read.vectors import PlacedTexts
from st_bme.read.wording import shared_terms
from st_bme.scoring.lexical import LexicalIndex
from st_bme.scoring.recency import Timeline

LONGEST = 800  # characters: about what an embedding can stand for
OVERLAP = 200  # a part begins with the last sentence of the one before, if that is no longer


@dataclass(frozen=True, slots=True)
class Passage:
    """A message, or a part of a long one."""

    id: str  # key of the message and number of the part
    key: str
    floor: int
    speaker: str
    text: str
    substance: float
    gives: Wanted


class PassageIndex:
    """The messages that stand in the chat, cut into passages, in chat order; a row each.

    `update` looks only at messages that came or went. It must not run while a recall reads the index.
    """

    def __init__(self) -> None:
        self.passages: Sequence[Passage] = ()
        self.floors: Ints = np.empty(0, np.int64)
        self.told = Timeline(self.floors)
        self.substances: Floats = np.empty(0)
        self.times: Mask = np.empty(0, np.bool_)  # who gives a time
        self.numbers: Mask = np.empty(0, np.bool_)
        self.kindred = Kindred()
        self.speakers = Speakers(())
        self.turns: Ints = np.empty(0, np.int64)  # a message of the user's begins a turn
        self.placed = PlacedTexts(())
        self._asked_at: Ints = np.empty(0, np.int64)  # floors of the user's messages
        self._parts: dict[str, Sequence[Passage]] = {}
        self.lexical = LexicalIndex()
        self.lexical_rows: Ints = np.empty(0, np.int64)  # where each row stands there

    def __len__(self) -> int:
        return len(self.passages)

    def update(self, messages: Sequence[Message]) -> None:
        """Take over the chat as it stands. A text that stands at several floors counts at the first."""
        first = {message.key: message for message in reversed(messages)}
        for key in [key for key in self._parts if key not in first]:
            self._forget(key)
        for message in messages:
            if message is first[message.key]:
                self._place(message)
        self.passages = [part for key in sorted(first, key=lambda key: first[key].floor) for part in self._parts[key]]
        self.floors = np.array([passage.floor for passage in self.passages], np.int64)
        self.told = Timeline(self.floors)
        self.substances = np.array([passage.substance for passage in self.passages], np.float64)
        self.times = np.array([passage.gives.time for passage in self.passages], np.bool_)
        self.numbers = np.array([passage.gives.number for passage in self.passages], np.bool_)
        self.speakers = Speakers([passage.speaker for passage in self.passages])
        self._asked_at = np.array(sorted(message.floor for message in messages if message.role == "user"), np.int64)
        self.turns = self.turns_of(self.floors)
        self.placed = PlacedTexts([searched_text(passage) for passage in self.passages])
        self.lexical_rows = self.lexical.rows_of([passage.id for passage in self.passages])

    def turns_of(self, floors: Ints) -> Ints:
        """The turn in which each floor lies."""
        return np.searchsorted(self._asked_at, floors, side="right")

    def _place(self, message: Message) -> None:
        """Index a message; one that only moved or whose speaker was renamed keeps its words."""
        known = self._parts.get(message.key)
        if known and known[0].floor == message.floor and known[0].speaker == message.name:
            return
        parts = passages_of(message)
        if known is None or (known and known[0].speaker != message.name):
            for passage in parts:
                self.lexical.add(passage.id, shared_terms(searched_text(passage)))
        self._take_words(known or (), parts)
        self._parts[message.key] = parts

    def _forget(self, key: str) -> None:
        parts = self._parts.pop(key)
        for passage in parts:
            self.lexical.remove(passage.id)
        self._take_words(parts, ())

    def _take_words(self, before: Sequence[Passage], after: Sequence[Passage]) -> None:
        gone, come = ([passage.text for passage in passages] for passages in (before, after))
        if gone != come:  # many only move
            for text in gone:
                self.kindred.remove(text)
            for text in come:
                self.kindred.add(text)


def searched_text(passage: Passage) -> str:
    """What a passage is found by: a question often names who said it."""
    return f"{passage.speaker}: {passage.text}" if passage.speaker else passage.text


def passages_of(message: Message) -> Sequence[Passage]:
    """The passages of a message with cleaned text, none of one that tells nothing."""
    return [
        Passage(f"{message.key}:{number}", message.key, message.floor, message.name, text, substance(text), given(text))
        for number, text in enumerate(cut(message.text))
    ]


def cut(text: str) -> list[str]:
    """The text in parts of at most 800 characters that end where sentences do, and overlap by a short sentence."""
    parts: list[str] = []
    part: list[str] = []
    size = 0
    for sentence in _pieces(text):
        if part and size + len(sentence) > LONGEST:
            parts.append("".join(part).strip())
            last = part[-1]
            part = [last] if len(last) <= OVERLAP and len(last) + len(sentence) <= LONGEST else []
            size = sum(map(len, part))
        part.append(sentence)
        size += len(sentence)
    parts.append("".join(part).strip())
    return [found for found in parts if found]


def _pieces(text: str) -> Iterator[str]:
    """Sentences; one longer than a passage in pieces of that length."""
    for sentence in sentences(text):
        for start in range(0, len(sentence), LONGEST):
            yield sentence[start : start + LONGEST]

"""Seeded role-play chats, with what a model would say about each message. The same seed gives the same chat.

A chat has a quarter of an active memory a message and two relations a memory. It is kept in order as a long chat is:
older events are condensed, so that about half of all memories are archived.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from benchmarks.story import CHARACTER, USER, Story, Turn

from st_bme.graph.records import Answer, Record, Stamp
from st_bme.history.view import list_digest
from st_bme.model.message import ROLES, ListedMessage, Message
from st_bme.model.operation import Operation
from st_bme.protocol.wire import MessageList, Row, Text

STARTED_MS = 1_700_000_000_000
TURN_MS = 90_000


@dataclass(frozen=True, slots=True)
class GeneratedChat:
    """A chat turn by turn. Its beginning is the same however long it is."""

    turns: tuple[Turn, ...]

    @property
    def messages(self) -> list[Message]:
        return [message for turn in self.turns for message in turn.messages]

    def upto(self, count: int) -> GeneratedChat:
        """The turns that lie within the first `count` messages."""
        return GeneratedChat(tuple(turn for turn in self.turns if turn.messages[-1].floor < count))

    def records(self) -> list[Record]:
        """One answer a turn, and the upkeep, as a session would have recorded them."""
        records: list[Record] = []
        for turn in self.turns:
            records += records_of(turn, len(records) + 1)
        return records

    def operations_by_message(self) -> Mapping[str, Sequence[Operation]]:
        """What is said about each message, by key, for an extractor that is asked about runs of its own."""
        return {
            message.key: tuple(operation for operation in turn.operations if operation.cite == cite)
            for turn in self.turns
            for cite, message in enumerate(turn.messages)
        }


def records_of(turn: Turn, first_n: int) -> list[Record]:
    """The answer about one turn, and its upkeep."""
    run = tuple(message.key for message in turn.messages)
    stamp = Stamp(first_n, STARTED_MS + TURN_MS * turn.messages[-1].floor, "extraction", "gpt-4o-mini", 1_800)
    answer = Answer(stamp, run, turn.operations)
    return [answer, *(replace(one, stamp=replace(stamp, n=first_n + i)) for i, one in enumerate(turn.upkeep, 1))]


def generate(count: int, *, seed: int = 1) -> GeneratedChat:
    """A chat of at least `count` messages: the greeting, then user and character in turns."""
    story = Story(random.Random(seed))
    turns, messages = [story.greeting()], 1
    while messages < count:
        turns.append(story.turn())
        messages += len(turns[-1].messages)
    return GeneratedChat(tuple(turns))


def listed(messages: Sequence[Message]) -> list[ListedMessage]:
    """The list as a session keeps it."""
    return [ListedMessage(one.floor, one.key, one.role, one.name) for one in messages]


def message_list(messages: Sequence[Message], *, keep: int = 0) -> MessageList:
    """The list as a page sends it, of which the server has the first `keep` messages already."""
    names = (USER, CHARACTER)
    rows = [Row(key=one.key, role=ROLES.index(one.role), name=names.index(one.name)) for one in messages[keep:]]
    return MessageList(keep=keep, base=list_digest(listed(messages[:keep])), names=list(names), rows=list(rows))


def texts(messages: Sequence[Message]) -> list[Text]:
    """The texts as a page sends them."""
    return [Text(floor=message.floor, key=message.key, text=message.text) for message in messages]

"""A chat as recall searches it: an index of its memories and its messages that follows the session."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from st_bme.graph.memory_graph import MemoryGraph
from st_bme.graph.records import Answer
from st_bme.history.view import EMPTY_VIEW, View
from st_bme.model.message import Message
from st_bme.read.ages import Uses
from st_bme.read.index import RecallIndex, first_floors
from st_bme.session.chat_session import ChatSession
from st_bme.write.cleaning import clean_message

SLICE_CHARACTERS = 200_000
"""Taken in at once: about a fifth of a second, which a recall in a long chat just opened may have to wait."""


class SearchedChat:
    """The index of one chat. `refresh` runs off the event loop, one at a time, and not beside a recall."""

    def __init__(self, session: ChatSession) -> None:
        self.index = RecallIndex()
        self._session = session
        self._graph: MemoryGraph | None = None
        self._view = EMPTY_VIEW
        self._text_count = -1
        self._cleaned: dict[str, Message] = {}

    def refresh(self, *, has_passages: bool, has_times: bool = False) -> bool:
        """Take over what changed. False if messages are left for the next call: the oldest.

        `has_times`: memories fade by real days, so that it counts when messages were read.
        """
        graph, view = self._session.graph, self._session.view
        if graph is not self._graph:
            floors = first_floors(view.keys, view.floors)
            self.index.update(graph.nodes, graph.edges, floors)
            self.index.update_story(graph.summaries.values(), floors)
            self.index.update_ledgers(graph.ledgers)
            self._graph = graph
        side = self._session.side  # recalls go on meanwhile
        self.index.update_uses(Uses(dict(side.access), dict(side.used), self._read_ms() if has_times else {}))
        count = len(self._session.log.texts) if has_passages else 0
        if view is self._view and count == self._text_count:
            return True
        messages, is_whole = self._messages(view) if has_passages else ([], True)
        self.index.passages.update(messages)
        self._cleaned = {message.key: message for message in messages}
        if is_whole:
            self._view, self._text_count = view, count
        return is_whole

    def _read_ms(self) -> dict[str, int]:
        """When each message was read."""
        answers = [record for record in self._session.records.all() if isinstance(record, Answer)]
        return {key: answer.stamp.time for answer in answers for key in answer.run}

    def _messages(self, view: View) -> tuple[list[Message], bool]:
        """The cleaned messages of a view whose texts are here, and True if none had to be left for later."""
        found: list[Message] = []
        room = SLICE_CHARACTERS
        is_whole = True
        for position in range(len(view) - 1, -1, -1):
            message = self._session.log.message(view, position)
            if message is None:
                continue
            known = self._cleaned.get(message.key)
            if known is None and room <= 0:
                is_whole = False
                continue
            if known is None:
                room -= len(message.text)
                known = clean_message(message)
            found.append(replace(message, text=known.text))
        return found[::-1], is_whole

    def texts_to_embed(self) -> Sequence[str]:
        """What should have a vector: memories, then messages, newest first, then words; what the user wrote beside the
        chat before all. In one table memories then lie close together, and so do messages, which lets each be compared
        alone.
        """
        memories, passages = self.index.placed.texts, self.index.passages.placed.texts
        floors = self.index.arrays.last_floors
        floors = np.where(floors < 0, np.iinfo(np.int64).max, floors)
        newest = np.argsort(-floors, kind="stable").tolist()
        return [*(memories[row] for row in newest), *reversed(passages), *self.index.passages.kindred.words()]

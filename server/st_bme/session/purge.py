"""Forgetting for good what the chat does not tell any more, when the user asks for it (rule 36)."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from st_bme.graph.fold import fold
from st_bme.graph.memory_graph import MemoryGraph
from st_bme.graph.records import Answer, Base, Mark, RecordSet, Upkeep
from st_bme.model.message import Message
from st_bme.protocol.results import Purged
from st_bme.read.index import embedded_text
from st_bme.read.passages import passages_of, searched_text
from st_bme.session.chat_session import ChatSession
from st_bme.session.tools import Tools
from st_bme.write.cleaning import clean_message


def records_of_absent(records: RecordSet, graph: MemoryGraph, present: Collection[str]) -> list[str]:
    """Ids of the records that only tell of messages which are not there, and of the marks on them.

    A record that takes part stays whole, and so does what the user did by hand. What is undone stays as long as one of
    its messages is there: without it the message would be read again.
    """
    off = records.switched_off()
    doomed: set[str] = set()
    for _, identity, record in records.in_order():
        match record:
            case Answer() | Upkeep():
                run = {*record.run, *(record.reads if isinstance(record, Upkeep) else ())}
                there = {key for key in run if key in present or key in graph.nodes}
                is_gone = there != run and identity not in graph.live and not (there and identity in off)
            case Base():
                is_gone = not any(key in present for key in record.known)
            case _:
                is_gone = False
        if is_gone:
            doomed.add(identity)
    marks = [
        identity
        for _, identity, record in records.in_order()
        if isinstance(record, Mark) and record.record_id in doomed
    ]
    return [*doomed, *marks]


class Purge:
    """Removes records, texts and vectors of messages that are not in the chat."""

    def __init__(self, session: ChatSession, tools: Tools) -> None:
        self._session = session
        self._tools = tools

    async def run(self) -> Purged:
        """Remove them from store, chat file and vectors; old copies do not bring the records back."""
        session = self._session
        present = session.log.present()
        doomed = records_of_absent(session.records, session.graph, present)
        texts = {key: text for key, text in session.log.texts.items() if key not in present}
        searched = [*self._passages(texts), *_memories([session.records.get(identity) for identity in doomed])]
        await session.forget(doomed, tuple(texts))
        await self._tools.vectors.forget(searched)
        return Purged(records=len(doomed), texts=len(texts))

    def _passages(self, texts: dict[str, str]) -> list[str]:
        """What the passages of texts may be found by: who spoke is not known any more."""
        session = self._session
        listed = {slot.name for slot in session.log.slots if slot is not None}
        names = {"", session.identity.user_name, session.identity.character_name, *listed}
        messages = [Message(key, "assistant", name, text, 0) for key, text in texts.items() for name in names]
        return [searched_text(passage) for message in messages for passage in passages_of(clean_message(message))]


def _memories(records: Sequence[object]) -> list[str]:
    """What the memories of these answers are found by, as far as each answer tells it alone."""
    answers = [record for record in records if isinstance(record, Answer)]
    graphs = [fold(answer.run, RecordSet([answer])) for answer in answers]
    return [embedded_text(node) for graph in graphs for node in graph.nodes.values()]

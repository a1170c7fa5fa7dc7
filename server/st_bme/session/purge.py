"""Forgetting for good what the chat does not tell any more, when the user asks for it (rule 36)."""

from __future__ import annotations

from collections.abc import Collection

from st_bme.graph.memory_graph import MemoryGraph
from st_bme.graph.records import Answer, Base, Mark, RecordSet, Upkeep
from st_bme.protocol.results import Purged
from st_bme.session.chat_session import ChatSession


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
    """Removes records and texts of messages that are not in the chat."""

    def __init__(self, session: ChatSession) -> None:
        self._session = session

    async def run(self) -> Purged:
        """Remove them from store and chat file; old copies do not bring the records back."""
        session = self._session
        present = session.log.present()
        doomed = records_of_absent(session.records, session.graph, present)
        texts = tuple(key for key in session.log.texts if key not in present)
        await session.forget(doomed, texts)
        return Purged(records=len(doomed), texts=len(texts))

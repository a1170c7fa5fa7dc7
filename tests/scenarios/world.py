"""One chat with its memory, as it lives on one device, and what its oracles need to know of its past."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import orjson

from scenarios.chat_model import Chat
from scenarios.memory_model import Memory, canonical
from scenarios.scripted_upkeep import keep_up
from st_bme.graph.json_reader import JsonObject
from st_bme.graph.memory_graph import MemoryGraph
from st_bme.graph.records import Answer, Record, RecordSet, Upkeep, UserEdit
from st_bme.graph.restore import records_to_take
from st_bme.graph.state import Placement, decode_state, encode_state
from st_bme.graph.time_travel import branch_records
from st_bme.history.keys import message_key

Placed = Upkeep | UserEdit
Tend = Callable[[Memory, Mapping[str, str], Callable[[], object]], None]
TOKEN = re.compile(r"tok\d+x")


@dataclass
class World:
    """A chat and its memory. `texts` is every text that was ever said, by key, wherever."""

    texts: dict[str, str]
    chat: Chat = field(default_factory=Chat)
    memory: Memory = field(default_factory=lambda: Memory(every=2, hidden=False))
    seen: dict[object, object] = field(default_factory=dict)
    tend: Tend = keep_up

    def read(self) -> None:
        """Follow the chat and ask about what nobody has read."""
        for line in self.chat.lines:
            for text in line.swipes:
                self.texts[message_key(line.role, text)] = text
        self.memory.ask(self.chat)

    def keep_up(self) -> None:
        self.tend(self.memory, self.texts, lambda: self.memory.follow(self.chat))

    def graph(self) -> MemoryGraph:
        return self.memory.graph

    def placed(self) -> Mapping[str, Placed]:
        """All records that have a place in the walk beside answers, in order."""
        ordered = self.memory.records.in_order()
        return {identity: record for _, identity, record in ordered if isinstance(record, Upkeep | UserEdit)}

    def state(self) -> JsonObject:
        """The copy in the chat file, as it comes back from SillyTavern."""
        floors = [message.floor for message in self.chat.messages(include_hidden=False)]
        in_file = [message_key(line.role, line.text) for line in self.chat.lines]
        in_file += [message_key(line.role, text) for line in self.chat.lines[-1:] for text in line.swipes]
        placement = Placement("l", "Chat", "o", 1, self.memory.records.head, floors, "c", -1, in_file=in_file)
        state: JsonObject = orjson.loads(orjson.dumps(encode_state(self.graph(), self.memory.records, placement)))
        return state

    def restored(self) -> World:
        """The same chat where the server lost all, and took what the copy has."""
        records = records_to_take(decode_state(self.state()), RecordSet())
        return self._with(records, self.chat.copy())

    def branch(self, length: int) -> World:
        """A branch behind so many lines."""
        chat = self.chat.copy(length)
        view = len(chat.messages(include_hidden=False))
        return self._with(branch_records(self.graph().view, view, self.memory.records), chat)

    def twin(self) -> World:
        """The same chat and memory on another device."""
        return self._with(self.memory.records.all(), self.chat.copy())

    def _with(self, records: Sequence[Record], chat: Chat) -> World:
        other = World(self.texts, chat, tend=self.tend)
        other.memory.records.add_all(records)
        other.memory.follow(chat)
        covered = [key for record in records if isinstance(record, Answer) for key in _read(record)]
        other.memory.runs = [tuple(dict.fromkeys(covered))]
        return other

    def stage(self) -> tuple[object, object]:
        """What the graph depends on beside what messages say; and the graph."""
        records = self.memory.records
        return (self.graph().view, records.switched_off(), tuple(self.placed())), canonical(self.graph())


def _read(answer: Answer) -> list[str]:
    return [key for place, key in enumerate(answer.run) if place not in answer.lacks]

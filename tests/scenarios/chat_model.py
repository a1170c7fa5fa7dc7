"""A chat in memory with the actions of SillyTavern, and a memory of it: what the oracles walk over."""

from __future__ import annotations

from dataclasses import dataclass, field

from st_bme.adapters.testing import scripted_operations
from st_bme.graph.fold import Folder
from st_bme.graph.memory_graph import MemoryGraph
from st_bme.graph.records import Answer, RecordSet, Stamp, record_id
from st_bme.history.keys import message_key
from st_bme.model.message import Message, Role
from st_bme.write.plan import plan_runs


@dataclass
class Line:
    """A message with its swipes."""

    role: Role
    swipes: list[str]
    active: int = 0

    @property
    def text(self) -> str:
        return self.swipes[self.active]


@dataclass
class Chat:
    """The chat array."""

    lines: list[Line] = field(default_factory=list)

    def send(self, text: str, reply: str) -> None:
        self.lines += [Line("user", [text]), Line("assistant", [reply])]

    def swipe(self, text: str) -> None:
        """Generate one more swipe of the last reply."""
        last = self.lines[-1]
        last.swipes.append(text)
        last.active = len(last.swipes) - 1

    def swipe_back(self) -> None:
        last = self.lines[-1]
        last.active = max(0, last.active - 1)

    def edit(self, place: int, text: str) -> None:
        line = self.lines[place % len(self.lines)]
        line.swipes[line.active] = text

    def delete(self, place: int) -> None:
        del self.lines[place % len(self.lines)]

    def move(self, place: int, to: int) -> None:
        line = self.lines.pop(place % len(self.lines))
        self.lines.insert(to % (len(self.lines) + 1), line)

    def duplicate(self, place: int) -> None:
        place %= len(self.lines)
        line = self.lines[place]
        self.lines.insert(place, Line(line.role, list(line.swipes), line.active))

    def messages(self) -> list[Message]:
        return [
            Message(message_key(line.role, line.text), line.role, "", line.text, floor)
            for floor, line in enumerate(self.lines)
        ]


class Memory:
    """Records and graph of a chat, written by the scripted extractor, with every call that it took."""

    def __init__(self, *, every: int, cites: bool = True) -> None:
        self.every = every
        self.cites = cites
        self.records = RecordSet()
        self.runs: list[tuple[str, ...]] = []
        self.graph: MemoryGraph = Folder().fold((), self.records)
        self._folder = Folder()

    def follow(self, messages: list[Message]) -> None:
        """Fold over the chat as it is now."""
        self.graph = self._folder.fold([message.key for message in messages], self.records)

    def ask_until_nothing_is_pending(self, messages: list[Message]) -> None:
        """Extract as the session does, each run once, until no message is without an owner."""
        self.follow(messages)
        roles = [message.role for message in messages]
        while ranges := plan_runs(roles, self.graph.pending, every=self.every, greeting=True, flush=True):
            runs = {tuple(messages[position].key for position in places): places for places in ranges}
            for places in runs.values():
                self._ask([messages[position] for position in places])
            self.follow(messages)

    def _ask(self, run: list[Message]) -> None:
        self.runs.append(tuple(message.key for message in run))
        operations = [
            operation
            for index, message in enumerate(run)
            for operation in scripted_operations(message, index, cite=index if self.cites else None)
        ]
        stamp = Stamp(n=self.records.highest_n + 1, cause="test")
        self.records.add(Answer(stamp, self.runs[-1], tuple(operations)))


def canonical(graph: MemoryGraph) -> object:
    """What two equal graphs share, in fold order."""
    return (graph.view, list(graph.nodes.items()), list(graph.edges.items()), graph.pending)


def in_other_order(records: RecordSet, order: list[int]) -> RecordSet:
    """The same records, arrived in another order."""
    listed = records.all()
    keyed = sorted(range(len(listed)), key=lambda place: (order[place % len(order)] if order else 0, -place))
    shuffled = RecordSet(listed[place] for place in keyed)
    assert {record_id(record) for record in listed} == set(shuffled.ids())
    return shuffled

"""The memory of a chat, with scripted models: records and the graph that they fold to."""

from __future__ import annotations

from collections.abc import Sequence

from scenarios.chat_model import Chat
from st_bme.adapters.testing import scripted_operations
from st_bme.graph.fold import Folder, fold
from st_bme.graph.memory_graph import MemoryGraph
from st_bme.graph.records import Answer, Mark, RecordSet, Stamp, UserEdit, record_id
from st_bme.graph.schedule import anchor_of
from st_bme.model.message import Message, Role
from st_bme.model.operation import Operation
from st_bme.write.plan import PlanRules, plan_extraction


class Memory:
    """Records and graph of a chat, written by the scripted extractor, with every run that it was asked about.

    `lag`: so many of the newest messages wait until more is said.
    """

    def __init__(self, *, every: int = 1, cites: bool = True, hidden: bool = True, lag: int = 0) -> None:
        self.every = every
        self.cites = cites
        self.hidden = hidden
        self.lag = lag
        self.records = RecordSet()
        self.runs: list[tuple[str, ...]] = []
        self.roles: list[Role] = []
        self.graph: MemoryGraph = fold((), RecordSet())
        self._folder = Folder()

    def follow(self, chat: Chat) -> list[Message]:
        """Fold over the chat as it is now; its messages that count."""
        messages = chat.messages(include_hidden=self.hidden)
        self.roles = [message.role for message in messages]
        self.graph = self._folder.fold([message.key for message in messages], self.records)
        return messages

    def ask(self, chat: Chat) -> None:
        """Extract as the session does, each run once, until no message is without an owner."""
        messages = self.follow(chat)
        while ranges := self._due():
            runs = {tuple(messages[position].key for position in places): places for places in ranges}
            for places in runs.values():
                self._ask([messages[position] for position in places])
            self.follow(chat)

    def _due(self) -> list[range]:
        end = max(0, len(self.roles) - self.lag)
        rules = PlanRules(every=self.every, flush=True)
        return plan_extraction(self.roles[:end], self.graph.pending[:end], rules).runs

    def _ask(self, run: Sequence[Message]) -> None:
        self.runs.append(tuple(message.key for message in run))
        operations = [
            operation
            for index, message in enumerate(run)
            for operation in scripted_operations(message, index, cite=index if self.cites else None)
        ]
        self.records.add(Answer(self.stamp("extraction"), self.runs[-1], tuple(operations)))

    def stamp(self, cause: str) -> Stamp:
        return Stamp(n=self.records.highest_n + 1, cause=cause)

    def by_hand(self, *operations: Operation) -> str:
        """Record what the user did; the id of the record."""
        stamp = self.stamp("user")
        return self.records.add(UserEdit(stamp, f"by hand {stamp.n}", operations, anchor_of(self.graph.view)))

    def mark(self, identity: str, *, off: bool) -> None:
        """Undo or redo a record."""
        stamp = self.stamp("undo" if off else "redo")
        self.records.add(Mark(stamp, f"mark {stamp.n}", identity, off=off))


def canonical(graph: MemoryGraph) -> object:
    """What two equal graphs share, in fold order."""
    parts = (graph.nodes, graph.summaries, graph.edges)
    return (graph.view, *(list(part.items()) for part in parts), graph.ledgers, graph.pending)


def in_other_order(records: RecordSet, order: Sequence[int] = (3, 1, 4, 1, 5, 9, 2, 6)) -> RecordSet:
    """The same records, arrived in another order."""
    listed = records.all()
    places = sorted(range(len(listed)), key=lambda place: (order[place % len(order)], -place))
    shuffled = RecordSet(listed[place] for place in places)
    assert {record_id(record) for record in listed} == set(shuffled.ids())
    return shuffled

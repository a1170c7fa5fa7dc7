"""Oracles O1 and O3 to O11 with scripted upkeep, the user's hand, undo, branches, two servers and lost stores."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from hypothesis import strategies as st
from hypothesis.stateful import initialize, invariant, precondition, rule

from scenarios import oracles
from scenarios.chat_model import Chat
from scenarios.hands import DEEDS, Deed, by_hand
from scenarios.memory_model import canonical, in_other_order
from scenarios.walk import PLACE, TEXT, ChatWalk, as_test
from scenarios.world import World
from st_bme.graph.fold import fold
from st_bme.graph.records import Answer, RecordSet, Upkeep, UserEdit
from st_bme.graph.time_travel import graph_at

NAMES = ("Ann", "Anna", "Bob")
COMMANDS = (
    "[character {name} state={token}]",
    "[character {name} goal={token}]",
    "[update character {name} goal={token}]",
    "[location Pier state={token}]",
    "[archive character {name}]",
    "[link {name} {other} related]",
    "[unlink {name} {other} related]",
    "[time after day_{token}]",
    "[time before day_{token}]",
    "[know {name} {other} mistaken {token}]",
    "[know {name} {other} known]",
    "[region {name}@{token}/Pier]",
    "[region {token}]",
    "[set mood={token}]",
)
MAX_WORLDS = 4


class KeptMemoryWalk(ChatWalk):
    """Several chats that branched off each other; every action goes to the one that is open."""

    @initialize(greeting=TEXT)
    def open(self, greeting: int) -> None:
        self.said = 0
        self.world = self.new_world()
        self.worlds = [self.world]
        said = self.say(greeting)
        self.act(lambda: self.chat.send("hello", said))

    def new_world(self) -> World:
        return World({})

    @property
    def chat(self) -> Chat:
        return self.world.chat

    def say(self, number: int) -> str:
        """An event of its own for every message, and up to two changes of who and where is known already."""
        self.said += 1
        token, chance = f"tok{self.said}x", Random(number)
        words = [
            command.format(name=chance.choice(NAMES), other=chance.choice(NAMES), token=token)
            for command in chance.sample(COMMANDS, k=chance.randint(0, 2))
        ]
        return " ".join([f"[event {self.tell(token, chance)}]", *words])

    def tell(self, token: str, chance: Random) -> str:
        """What happens in a message."""
        return token

    def act(self, change: Callable[[], None]) -> None:
        before = self.world.graph()
        change()
        self.world.read()
        oracles.nothing_sleeps_without_reason(before, self.world)
        self.world.keep_up()

    @rule(deed=st.sampled_from(DEEDS), node=PLACE, other=PLACE)
    def do_by_hand(self, deed: Deed, node: int, other: int) -> None:
        operation = by_hand(deed, self.world.graph(), (node, other), f"hand{self.said}")
        if operation is not None:
            self.world.memory.by_hand(operation)
            self._without_calls()

    @rule(number=PLACE)
    def undo_or_redo(self, number: int) -> None:
        ordered = self.world.memory.records.in_order()
        records = [identity for _, identity, record in ordered if isinstance(record, Answer | Upkeep | UserEdit)]
        if records:
            identity = records[number % len(records)]
            self.world.memory.mark(identity, off=identity not in self.world.memory.records.switched_off())
            self._without_calls()

    def _without_calls(self) -> None:
        """O3: what the user does by hand asks for nothing."""
        calls = len(self.world.memory.runs)
        self.world.read()
        assert len(self.world.memory.runs) == calls
        self.world.keep_up()

    @precondition(lambda self: len(self.worlds) < MAX_WORLDS)
    @rule(length=PLACE)
    def branch(self, length: int) -> None:
        """O11: a branch has the graph of its parent as of there; both go on."""
        parent = self.world
        branch = parent.branch(length % (len(parent.chat.lines) + 1))
        graph = branch.graph()
        assert canonical(graph) == canonical(graph_at(parent.graph().view, len(graph.view), parent.memory.records))
        self.worlds.append(branch)
        self.world = branch
        self._without_calls()

    @rule(number=PLACE)
    def open_another(self, number: int) -> None:
        self.world = self.worlds[number % len(self.worlds)]

    @rule(text=TEXT, reply=TEXT, deed=st.sampled_from(DEEDS), node=PLACE)
    def unite_two_servers(self, text: int, reply: int, deed: Deed, node: int) -> None:
        """O10: the chat goes on in one place, is edited in another; both records together, in either order."""
        other = self.world.twin()
        said = self.say(text), self.say(reply)
        other.chat.edit(node, said[0]) if other.chat.lines else other.chat.send(*said)
        other.read()
        other.keep_up()
        operation = by_hand(deed, other.graph(), (node, node + 1), f"other hand{self.said}")
        if operation is not None:
            other.memory.by_hand(operation)
        self.act(lambda: self.chat.send(*said))
        mine, theirs = self.world.memory.records, other.memory.records
        view = self.world.graph().view
        united = [RecordSet([*first.all(), *second.all()]) for first, second in ((mine, theirs), (theirs, mine))]
        assert canonical(fold(view, united[0])) == canonical(fold(view, united[1]))
        mine.add_all(theirs.all())
        both = (*self.world.memory.runs, *other.memory.runs)
        self.world.memory.runs = [tuple(dict.fromkeys(key for run in both for key in run))]
        self.world.seen.clear()
        self._without_calls()

    @rule()
    def lose_the_server(self) -> None:
        """O9: what the copy holds is all there is from here on."""
        lost = self.world
        self.world = lost.restored()
        self.worlds[self.worlds.index(lost)] = self.world
        self._without_calls()

    @invariant()
    def o1_the_graph_depends_on_nothing_but_records_and_view(self) -> None:
        graph = self.world.graph()
        assert canonical(fold(graph.view, in_other_order(self.world.memory.records))) == canonical(graph)

    @invariant()
    def o3_no_message_is_asked_about_that_has_an_answer(self) -> None:
        runs = [run for run in self.world.memory.runs if run]
        asked = [key for run in runs for key in dict.fromkeys(run)]
        assert len(asked) == len(set(asked))

    @invariant()
    def o4_there_and_back(self) -> None:
        oracles.there_and_back(self.world)

    @invariant()
    def o5_no_leak(self) -> None:
        oracles.no_leak(self.world)

    @invariant()
    def o6_no_loss(self) -> None:
        oracles.no_loss(self.world)

    @invariant()
    def o7_summaries_cover(self) -> None:
        oracles.summaries_cover(self.world)

    @invariant()
    def o8_nothing_of_the_users_is_lost(self) -> None:
        oracles.nothing_of_the_users_is_lost(self.world)

    @invariant()
    def o9_either_store_restores_the_graph(self) -> None:
        oracles.either_store_restores_the_graph(self.world)


TestKeptMemory = as_test(KeptMemoryWalk)

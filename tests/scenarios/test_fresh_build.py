"""Oracles O1 to O3: a graph that followed a walk through a chat is the one that reading the chat anew gives."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from hypothesis.stateful import initialize, invariant

from scenarios.chat_model import Chat
from scenarios.memory_model import Memory, canonical, in_other_order
from scenarios.walk import TEXT, ChatWalk, as_test
from st_bme.graph.fold import fold
from st_bme.graph.records import RecordSet, record_id

NAMES = ("Ann", "Bob", "Cleo")
PLACES = ("Pier", "Mill")
MOODS = ("glad", "sad", "cross")
COMMANDS = (
    "[character {name} state={mood}]",
    "[update character {name} state={mood} goal={other}]",
    "[update character {name} name={other}]",
    "[location {place} state={mood}]",
    "[event {name}_meets_{other}]",
    "[archive character {name}]",
    "[wake character {name}]",
    "[link {name} {other} related]",
    "[unlink {name} {other} related]",
    "[link #1 location:{place} occurred_at]",
    "[event {mood}_day] [time after {mood}_day]",
    "[event {other}_is_born] [time before {mood}_day]",
    "[know {name} {other} mistaken {mood}]",
    "[know {name} {other} partial]",
    "[region {name}@{place}]",
    "[region Town/{place}] [set mood={mood}]",
)
SHORT = ("ok", "yes", "…")


def said(number: int) -> str:
    """One to three commands; small numbers say little. Real chats repeat "ok", and equal texts have equal keys."""
    chance = Random(number)
    if number < len(SHORT):
        return SHORT[number]
    words = [
        command.format(
            name=chance.choice(NAMES),
            other=chance.choice(NAMES),
            mood=chance.choice(MOODS),
            place=chance.choice(PLACES),
        )
        for command in chance.choices(COMMANDS, k=chance.randint(1, 3))
    ]
    return " ".join(words)


class FreshBuildWalk(ChatWalk):
    """One chat, and memories of it that differ in how many replies a call reads, when, and what counts."""

    @initialize(greeting=TEXT)
    def open(self, greeting: int) -> None:
        self.cited = [Memory(), Memory(every=3), Memory(every=2, hidden=False)]
        self.uncited = Memory(every=2, cites=False)
        self.late = Memory(every=2, lag=3)
        self.chat = Chat()
        self.act(lambda: self.chat.send("hello", said(greeting)))

    def say(self, number: int) -> str:
        return said(number)

    def act(self, change: Callable[[], None]) -> None:
        change()
        for memory in (*self.cited, self.uncited, self.late):
            memory.ask(self.chat)

    @invariant()
    def o1_the_graph_depends_on_nothing_but_records_and_view(self) -> None:
        for memory in (*self.cited, self.uncited):
            other = fold(memory.graph.view, in_other_order(memory.records))
            assert canonical(other) == canonical(memory.graph)

    @invariant()
    def o2_the_graph_is_the_one_that_a_fresh_build_gives(self) -> None:
        for memory in self.cited:
            fresh = Memory(hidden=memory.hidden)
            fresh.ask(self.chat)
            assert canonical(fresh.graph) == canonical(memory.graph)

    def teardown(self) -> None:
        """O2 once more, where messages were read later than they were said."""
        self.late.lag = 0
        self.late.ask(self.chat)
        assert canonical(self.late.graph) == canonical(self.cited[0].graph)

    @invariant()
    def o2b_without_citations_live_runs_replayed_in_chat_order_give_the_graph(self) -> None:
        graph, records = self.uncited.graph, self.uncited.records
        replayed = RecordSet(record for record in records.all() if record_id(record) in graph.live)
        assert canonical(fold(graph.view, replayed)) == canonical(graph)

    @invariant()
    def o3_no_message_is_asked_about_twice(self) -> None:
        """So nothing is asked for by deleting, moving, hiding, duplicating, swiping back or restoring."""
        for memory in (*self.cited, self.late):
            asked = [key for run in memory.runs for key in dict.fromkeys(run)]
            assert len(asked) == len(set(asked))

    @invariant()
    def o3_without_citations_no_run_is_asked_about_twice(self) -> None:
        assert len(self.uncited.runs) == len(set(self.uncited.runs))


TestFreshBuild = as_test(FreshBuildWalk)

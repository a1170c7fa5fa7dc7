"""Oracles of docs/storage.md over random walks: send, swipe, swipe back, edit, delete, move, duplicate."""

from __future__ import annotations

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from scenarios.chat_model import Chat, Memory, canonical, in_other_order
from st_bme.graph.fold import fold
from st_bme.graph.records import RecordSet, record_id

NAMES = ("Ann", "Bob", "Cleo")
PLACES = ("Pier", "Mill")
MOODS = ("glad", "sad", "cross")

_name, _place, _mood = st.sampled_from(NAMES), st.sampled_from(PLACES), st.sampled_from(MOODS)
_command = st.one_of(
    st.builds("[character {} state={}]".format, _name, _mood),
    st.builds("[update character {} state={} goal={}]".format, _name, _mood, _mood),
    st.builds("[location {} state={}]".format, _place, _mood),
    st.builds("[event {}_meets_{}]".format, _name, _name),
    st.builds("[archive character {}]".format, _name),
    st.builds("[link {} {} related]".format, _name, _name),
    st.builds("[unlink {} {} related]".format, _name, _name),
    st.builds("[link #1 location:{} occurred_at]".format, _place),
)
# A few short texts among them: real chats repeat "ok", and equal texts have equal keys.
_text = st.one_of(st.sampled_from(("ok", "yes", "…")), st.lists(_command, min_size=1, max_size=3).map(" ".join))


class Walk(RuleBasedStateMachine):
    """One chat, three memories of it that differ in how many replies a call reads."""

    @initialize(greeting=_text)
    def open(self, greeting: str) -> None:
        self.chat = Chat()
        self.chat.send("hello", greeting)
        self.memories = [Memory(every=1), Memory(every=3), Memory(every=2, cites=False)]
        self.asked: list[int] = []
        self._settle(new_text=True)

    @rule(text=_text, reply=_text)
    def send(self, text: str, reply: str) -> None:
        self.chat.send(text, reply)
        self._settle(new_text=True)

    @precondition(lambda self: self.chat.lines and self.chat.lines[-1].role == "assistant")
    @rule(text=_text)
    def swipe(self, text: str) -> None:
        self.chat.swipe(text)
        self._settle(new_text=True)

    @precondition(lambda self: self.chat.lines and self.chat.lines[-1].active > 0)
    @rule()
    def swipe_back(self) -> None:
        self.chat.swipe_back()
        self._settle(new_text=False)

    @precondition(lambda self: self.chat.lines)
    @rule(place=st.integers(0, 99), text=_text)
    def edit(self, place: int, text: str) -> None:
        self.chat.edit(place, text)
        self._settle(new_text=True)

    @precondition(lambda self: len(self.chat.lines) > 1)
    @rule(place=st.integers(0, 99))
    def delete(self, place: int) -> None:
        self.chat.delete(place)
        self._settle(new_text=False)

    @precondition(lambda self: len(self.chat.lines) > 1)
    @rule(place=st.integers(0, 99), to=st.integers(0, 99))
    def move(self, place: int, to: int) -> None:
        self.chat.move(place, to)
        self._settle(new_text=False)

    @precondition(lambda self: self.chat.lines)
    @rule(place=st.integers(0, 99))
    def duplicate(self, place: int) -> None:
        self.chat.duplicate(place)
        self._settle(new_text=False)

    def _settle(self, *, new_text: bool) -> None:
        messages = self.chat.messages()
        self.asked = []
        for memory in self.memories:
            before = len(memory.runs)
            memory.ask_until_nothing_is_pending(messages)
            self.asked.append(len(memory.runs) - before)
        if not new_text:
            assert self.asked[:2] == [0, 0], "O3: nothing new was said, so no call"

    @invariant()
    def o1_the_graph_depends_on_nothing_but_records_and_view(self) -> None:
        for memory in self.memories:
            other = fold(memory.graph.view, in_other_order(memory.records, [3, 1, 4, 1, 5, 9, 2, 6]))
            assert canonical(other) == canonical(memory.graph)

    @invariant()
    def o2_the_graph_is_the_one_that_a_fresh_build_gives(self) -> None:
        fresh = Memory(every=1)
        fresh.ask_until_nothing_is_pending(self.chat.messages())
        for memory in self.memories[:2]:
            assert canonical(fresh.graph) == canonical(memory.graph)

    @invariant()
    def o2b_without_citations_live_runs_replayed_in_chat_order_give_the_graph(self) -> None:
        memory = self.memories[2]
        replayed = RecordSet(record for record in memory.records.all() if record_id(record) in memory.graph.live)
        assert canonical(fold(memory.graph.view, replayed)) == canonical(memory.graph)

    @invariant()
    def o3_no_run_is_asked_about_twice(self) -> None:
        for memory in self.memories:
            assert len(memory.runs) == len(set(memory.runs))


TestOracles = Walk.TestCase
# More than the profile says: a walk has many ways to go, and its steps are cheap.
TestOracles.settings = settings(max_examples=3 * settings.default.max_examples)

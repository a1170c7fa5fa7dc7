"""Summaries over whatever is done to a chat: with what is due they tell of every read message once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from hypothesis import strategies as st
from hypothesis.stateful import initialize, invariant, rule

from scenarios.chat_model import Chat
from scenarios.memory_model import Memory
from scenarios.walk import PLACE, ChatWalk, as_test
from st_bme.adapters.scripted_upkeep import scripted_upkeep
from st_bme.graph.records import Upkeep
from st_bme.settings import Values
from st_bme.upkeep.schedule import runs_to_summarise
from st_bme.upkeep.situation import Situation
from st_bme.upkeep.summaries import SUMMARISE, due_summaries
from st_bme.write.plan import PlanRules

DIFFERENT_TEXTS = 30
"""Few, so that one is said twice now and then."""

SETTINGS = Values({"smallSummaryEveryNExtractions": 2})


class CoverageWalk(ChatWalk):
    """The real task over a scripted model that answers so many calls behind each action."""

    @initialize()
    def open(self) -> None:
        self.chat = Chat()
        self.memory = Memory(hidden=False)
        self.answers = 2

    def say(self, number: int) -> str:
        return f"they say {number % DIFFERENT_TEXTS}"

    def act(self, change: Callable[[], None]) -> None:
        change()
        self.memory.ask(self.chat)
        self._summarise()

    @rule(answers=st.integers(0, 5))
    def answer_from_now_on(self, answers: int) -> None:
        self.answers = answers

    def _summarise(self) -> None:
        for _ in range(self.answers):
            memory = self.memory
            situation = Situation(memory.graph, memory.records, memory.roles, SETTINGS, lambda key: key)
            job = next(due_summaries(situation), None)
            if job is None or job.prompt is None:
                break
            for reading, operations in job.decide(scripted_upkeep(job.prompt, most=200)):
                memory.records.add(reading.decide(memory.graph, memory.stamp(SUMMARISE), operations))
            memory.follow(self.chat)

    @rule(number=PLACE)
    def undo_or_redo(self, number: int) -> None:
        summaries = [one for _, one, record in self.memory.records.in_order() if isinstance(record, Upkeep)]
        if summaries:
            identity = summaries[number % len(summaries)]
            self.memory.mark(identity, off=identity not in self.memory.records.switched_off())
            self.memory.follow(self.chat)

    @invariant()
    def summaries_and_what_is_due_tell_of_every_message_once(self) -> None:
        """What is said more than once may lie under one summary of it wherever it stands."""
        graph, records = self.memory.graph, self.memory.records
        made = [(one, record) for _, one, record in records.in_order() if isinstance(record, Upkeep) and record.run]
        live = [record.run for identity, record in made if identity in graph.live]
        flags = graph.condensed.get(SUMMARISE, (False,) * len(graph.view))
        due = runs_to_summarise(SUMMARISE, graph, self.memory.roles, records, PlanRules(flush=True))
        left = Counter(graph.view)
        left.subtract(key for key, is_told in zip(graph.view, flags, strict=True) if is_told)
        left.subtract(key for reading in due for key in reading.run)

        assert sorted(map(sorted, map(set, live))) == sorted(map(sorted, self._lowest()))
        off = [record.run for identity, record in made if identity in records.switched_off()]
        assert sum(map(len, live)) <= sum(flags) or len(set(graph.view)) < len(graph.view)
        assert _are_runs_in_a_row(graph.view, flags, [*live, *off])
        assert min(left.values(), default=0) >= 0
        assert set(+left) <= self._unanswered()

    def _lowest(self) -> list[tuple[str, ...]]:
        """The messages of each summary that stands below those that no other one condenses."""
        graph, found = self.memory.graph, []
        waiting = [summary.id for summary in graph.frontier()]
        while waiting:
            summary = graph.summaries[waiting.pop()]
            waiting.extend(summary.child_ids)
            found += [] if summary.child_ids else [summary.sources]
        return found

    def _unanswered(self) -> set[str]:
        """The last messages, which wait for a reply; one that opens the chat answers nothing."""
        replies = [place for place, role in enumerate(self.memory.roles) if place and role == "assistant"]
        return set(self.memory.graph.view[replies[-1] + 1 if replies else 0 :])


def _are_runs_in_a_row(view: Sequence[str], flags: Sequence[bool], runs: Sequence[Sequence[str]]) -> bool:
    """Whether the flagged messages are some of these runs, none of which overlap."""
    reached = {0}
    for place, is_told in enumerate(flags):
        if place in reached:
            if not is_told:
                reached.add(place + 1)
            ends = (place + len(run) for run in runs if tuple(view[place : place + len(run)]) == tuple(run))
            reached.update(end for end in ends if all(flags[place:end]))
    return len(view) in reached


TestCoverage = as_test(CoverageWalk, share=1)

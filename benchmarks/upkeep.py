"""What upkeep makes of a long chat: `python3 benchmarks/upkeep.py [--turns 1000] [--json]`.

A seeded story is read turn by turn, with a stated share of events that are told again. Behind each turn the real tasks
do what is due, sleep and reflection on; a scripted model answers by saying again what it was shown, cut to a length.
Now and then the user pins or edits an event. Every upkeep record is undone and redone, one by one, behind its turn;
in the end some of them are once more, under all that was built on them. In a second chat the same questions are asked
with upkeep and without (`kept_evidence.py`).
"""

# ruff: noqa: E402 - the package is found only in the environment that is entered first

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "server")]
import bootstrap

bootstrap.enter()

from benchmarks.kept_evidence import Examiner, compare, counter, questions_about, say_what_is_told
from benchmarks.story import Story, Turn

from st_bme.adapters.scripted_upkeep import scripted_upkeep
from st_bme.graph.fold import Folder
from st_bme.graph.memory_graph import MemoryGraph
from st_bme.graph.records import Answer, Mark, RecordSet, Stamp, Upkeep, UserEdit, record_id
from st_bme.graph.schedule import anchor_of
from st_bme.model.message import Message, Role
from st_bme.model.operation import Operation, Target
from st_bme.settings import Values
from st_bme.upkeep.situation import Job, Situation, Task
from st_bme.upkeep.summaries import SUMMARISE
from st_bme.upkeep.tasks import TASKS

TURNS, SEED = 1_000, 1
REPEAT_RATE = 0.2
"""Share of the turns in which an event of the last ten turns is told once more, with another number in its title."""

REPEATED_WITHIN = 10
KEPT_EVERY = 50
ANSWER_LENGTH = 220
OLD_ONES = 20
QUESTIONS, EVIDENCE_TURNS = 100, 500
SETTINGS = Values({"enableSleepCycle": True, "enableReflection": True})


class KeptChat:
    """A chat that is read and kept in order turn by turn.

    `say` may change what a turn of the story says. Without `is_tried` nothing is undone and redone.
    """

    def __init__(
        self,
        seed: int = SEED,
        *,
        say: Callable[[Turn], Turn] = lambda turn: turn,
        repeat_rate: float = REPEAT_RATE,
        is_tried: bool = True,
    ) -> None:
        self._say = say
        self._repeat_rate = repeat_rate
        self._is_tried = is_tried
        self.turns: list[Turn] = []
        self._dice = random.Random(seed)
        self._story = Story(random.Random(seed))
        self.view: list[str] = []
        self.roles: list[Role] = []
        self.texts: dict[str, str] = {}
        self.records = RecordSet()
        self.calls: Counter[str] = Counter()
        self.kept: dict[str, Mapping[str, str]] = {}
        self._told: list[Operation] = []
        self._played = 0
        self._folder = Folder()
        self.undo_exact = True
        self.graph: MemoryGraph = self.fold()

    def fold(self) -> MemoryGraph:
        self.graph = self._folder.fold(tuple(self.view), self.records)
        return self.graph

    def play(self, upto: int) -> None:
        """Tell the greeting and the turns up to this one, each read and then kept in order."""
        for number in range(self._played, upto + 1):
            turn = self._story.turn() if number else self._story.greeting()
            self._read(self._with_repeat(self._say(turn), number))
            self._keep_up()
            if number % KEPT_EVERY == KEPT_EVERY - 1:
                self._keep_by_hand(number)
        self._played = upto + 1

    def _with_repeat(self, turn: Turn, number: int) -> Turn:
        """The turn, and now and then an event that was told before."""
        events = [operation for operation in turn.operations if operation.type == "event"]
        if self._told and self._dice.random() < self._repeat_rate:
            event = self._dice.choice(self._told[-REPEATED_WITHIN:])
            again = replace(event, fields=event.fields | {"title": f"{event.fields['title']} {number}"}, ref="again")
            turn = replace(turn, operations=(*turn.operations, again))
        self._told += events
        return turn

    def _read(self, turn: Turn) -> None:
        self.turns.append(turn)
        for message in turn.messages:
            self.view.append(message.key)
            self.roles.append(message.role)
            self.texts[message.key] = f"{message.name}: {message.text}"
        run = tuple(message.key for message in turn.messages)
        self.records.add(Answer(self._stamp("extraction"), run, turn.operations))
        self.fold()

    def _stamp(self, cause: str) -> Stamp:
        return Stamp(self.records.highest_n + 1, cause=cause)

    def _keep_up(self) -> None:
        """All that is due, in the order of the tasks; then each new record is undone and redone."""
        known = len(self.records)
        for task in TASKS:
            while job := self._next(task):
                answer = ""
                if job.prompt is not None:
                    self.calls[job.prompt.task] += 1
                    answer = scripted_upkeep(job.prompt, most=ANSWER_LENGTH)
                graph = self.graph
                for reading, operations in job.decide(answer):
                    self.records.add(reading.decide(graph, self._stamp(reading.task), operations))
                self.fold()
        made = [record for record in self.records.all()[known:] if isinstance(record, Upkeep)]
        if made and self._is_tried:
            self.undo_and_redo(made)

    def _next(self, task: Task) -> Job | None:
        if not any(SETTINGS.bool(switch) for switch in task.switches):
            return None
        situation = Situation(self.graph, self.records, self.roles, SETTINGS, self.texts.__getitem__)
        return next(task.due(situation), None)

    def _keep_by_hand(self, number: int) -> None:
        """The user pins the newest event, or edits it."""
        events = [node for node in self.graph.active_nodes() if node.type == "event" and node.id not in self.kept]
        if not events:
            return
        newest, target = events[-1], Target(id=events[-1].id)
        own = {"summary": f"in the user's own words {number}"}
        is_pin = number // KEPT_EVERY % 2 == 0
        operation = Operation("pin", target=target) if is_pin else Operation("update", fields=own, target=target)
        edit = UserEdit(self._stamp("user"), f"by hand {number}", (operation,), anchor_of(self.view))
        self.records.add(edit)
        self.kept[newest.id] = newest.fields if is_pin else {**newest.fields, **own}
        self.fold()

    def pinned_changed(self) -> int:
        """How many memories that are the user's upkeep put away or wrote in."""
        nodes = self.graph.nodes
        return sum(
            nodes[node_id].archived or dict(nodes[node_id].fields) != dict(fields)
            for node_id, fields in self.kept.items()
        )

    def floors_covered_once(self) -> bool:
        """Whether the summaries that stand tell of every message once, but for the last that wait for more."""
        graph = self.graph
        leaves: list[str] = []
        waiting = [summary.id for summary in graph.frontier()]
        while waiting:
            summary = graph.summaries[waiting.pop()]
            waiting.extend(summary.child_ids)
            leaves += [] if summary.child_ids else [summary.id]
        lowest = {summary.id for summary in graph.summaries.values() if summary.level == 0}
        runs = [
            record.run for identity, record in self._upkeep() if record.task == SUMMARISE and identity in graph.live
        ]
        flags = graph.condensed[SUMMARISE]
        end = max(place for place, is_told in enumerate(flags) if is_told) + 1
        every = SETTINGS.int("smallSummaryEveryNExtractions")
        return (
            sorted(leaves) == sorted(lowest)
            and sum(map(len, runs)) == sum(flags) == end
            and self.roles[end:].count("assistant") < every
        )

    def _upkeep(self) -> list[tuple[str, Upkeep]]:
        entries = self.records.in_order()
        return [(identity, record) for _, identity, record in entries if isinstance(record, Upkeep)]

    def undo_and_redo(self, records: Sequence[Upkeep]) -> None:
        """Note whether each of these records, undone, has no part in the graph, and redone leaves it as it was, byte
        for byte.
        """
        before, trial = self.graph, self.records.first(len(self.records))
        for record in records:
            identity = record_id(record)
            trial.add(Mark(Stamp(trial.highest_n + 1), "off", identity, off=True))
            is_out = identity not in self._folder.fold(self.view, trial).live
            trial.add(Mark(Stamp(trial.highest_n + 1), "on", identity, off=False))
            again = self._folder.fold(self.view, trial)
            self.undo_exact = self.undo_exact and is_out and is_same(again, before)
        self.undo_exact = self.undo_exact and to_bytes(self.fold()) == to_bytes(before)

    def undo_old_ones(self) -> None:
        """The same for some of all records, in the chat as it is now."""
        records = [record for _, record in self._upkeep()]
        self.undo_and_redo(records[:: max(1, len(records) // OLD_ONES)])


    def without_upkeep(self) -> MemoryGraph:
        """The graph of the same chat where nothing was kept in order."""
        others = RecordSet(record for record in self.records.all() if not isinstance(record, Upkeep))
        return Folder().fold(tuple(self.view), others)

    @property
    def messages(self) -> list[Message]:
        return [message for turn in self.turns for message in turn.messages]


def to_bytes(graph: MemoryGraph) -> bytes:
    """All that a graph holds, in fold order."""
    return repr((graph.view, graph.nodes, graph.summaries, graph.edges, graph.ledgers, graph.pending)).encode()


def is_same(one: MemoryGraph, other: MemoryGraph) -> bool:
    """As `to_bytes` would say, and faster."""
    mine, theirs = (
        [list(table.items()) for table in (graph.nodes, graph.summaries, graph.edges)] for graph in (one, other)
    )
    return mine == theirs and one.ledgers == other.ledgers and one.live == other.live


def evidence_recall(turns: int = EVIDENCE_TURNS, questions: int = QUESTIONS) -> Mapping[str, object]:
    """What is found with upkeep and without, in a chat whose events can be held against what was said."""
    chat = KeptChat(say=say_what_is_told, repeat_rate=0, is_tried=False)
    chat.play(turns)
    asked = questions_about(chat.turns, questions, SEED)
    examiner = Examiner(chat.messages, asked, counter())
    return {"turns": turns, "questions": len(asked), **compare(examiner, chat.without_upkeep(), chat.graph)}


def measure(turns: int = TURNS) -> dict[str, object]:
    """All figures of the report but `evidence_recall`, by their names."""
    chat, active = KeptChat(), {}
    for count in (turns // 2, turns):
        chat.play(upto=count)
        active[str(count)] = len(chat.graph.active_nodes())
    chat.undo_old_ones()
    return {
        "turns": turns,
        "active_nodes": active,
        "archived": len(chat.graph.nodes) - len(chat.graph.active_nodes()),
        "floors_covered_once": chat.floors_covered_once(),
        "pinned_changed": chat.pinned_changed(),
        "undo_exact": chat.undo_exact,
        "calls_by_task": dict(sorted(chat.calls.items())),
        "repeat_rate": REPEAT_RATE,
    }


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=TURNS)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(arguments)
    started = time.perf_counter()
    figures = {**measure(options.turns), "evidence_recall": evidence_recall()}
    if options.json:
        print(json.dumps(figures))
    else:
        for name, value in figures.items():
            print(f"{name:20} {value}")
        print(f"{'seconds':20} {time.perf_counter() - started:.0f}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())

"""How much of what answers a question is found before and after upkeep, by the measure of `benchmarks/evidence.py`.

The chat is that of `benchmarks/upkeep.py`, but a reply that tells of an event says nothing else, so that a memory can
be held against its message. A question asks how something came about that such a reply tells.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean

from benchmarks.evidence import Ranked, Witness, recall_of
from benchmarks.story import Turn

from st_bme.adapters.token_counter import LocalTokenCounter
from st_bme.graph.memory_graph import MemoryGraph
from st_bme.history.keys import message_key
from st_bme.model.message import Message
from st_bme.model.recall import Query
from st_bme.ports import TokenCounter
from st_bme.read.index import RecallIndex, index_of
from st_bme.read.options import RecallOptions
from st_bme.read.recall import PASSAGE, recall

BUDGETS = (600, 1_200)
OWN_EVENT = "e"
"""Ref of the event that a turn tells of; one that is told again has another."""

_DEED = re.compile(r"\S+ .*?the \S+ \S+(?= )")
"""The beginning of a sentence of the story: who does what with which thing."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, and the places of the messages that answer it."""

    text: str
    evidence: tuple[int, ...]


def say_what_is_told(turn: Turn) -> Turn:
    """The turn whose reply says what its event says, and nothing else."""
    event = next((operation for operation in turn.operations if operation.ref == OWN_EVENT), None)
    if event is None:
        return turn
    *before, reply = turn.messages
    text = event.fields["summary"]
    told = replace(reply, key=message_key(reply.role, text), text=text)
    return replace(turn, messages=(*before, told))


def questions_about(turns: Sequence[Turn], count: int, seed: int) -> list[Asked]:
    """So many questions, evenly spread over the events of a chat."""
    deeds = list(dict.fromkeys(deed for turn in turns for deed in _deeds(turn)))
    messages = [message for turn in turns for message in turn.messages]
    chosen = random.Random(seed).sample(deeds, min(count, len(deeds)))
    return [
        Asked(f"Was it so that {deed}?", tuple(one.floor for one in messages if deed in one.text))
        for deed in chosen
    ]


def _deeds(turn: Turn) -> Iterator[str]:
    """What the turn's event tells first."""
    for operation in turn.operations:
        if operation.ref == OWN_EVENT and (found := _DEED.match(operation.fields["summary"])):
            yield found[0]


class Examiner:
    """Asks the same questions of one chat, whatever its graph is."""

    def __init__(self, messages: Sequence[Message], questions: Sequence[Asked], counter: TokenCounter) -> None:
        self._messages = messages
        self._questions = questions
        self._counter = counter
        self._witness = Witness([message.text for message in messages])
        self._place_of = {message.key: message.floor for message in messages}

    def examine(self, graph: MemoryGraph, *, has_passages: bool) -> dict[str, float]:
        """Mean recall of the evidence within each budget.

        A cut at so many messages says nothing here: one memory that stands for thirty would fill it.
        """
        index = index_of(graph, range(len(graph.view)))
        if has_passages:
            index.passages.update(self._messages)
        options = RecallOptions() if has_passages else RecallOptions(passage_tokens=0)
        found: dict[str, list[float]] = {f"recall@{budget}tok": [] for budget in BUDGETS}
        for budget, figures in zip(BUDGETS, found.values(), strict=True):
            for asked in self._questions:
                query = Query(asked.text, budget_tokens=budget)
                items = recall(index, query, options, self._counter).items
                told = [Ranked(self._places(index, item.node_id, item.type), item.text) for item in items]
                figures.append(recall_of(asked.evidence, self._witness.told(told)))
        return {name: round(fmean(figures), 4) for name, figures in found.items()}

    def _places(self, index: RecallIndex, node_id: str, type_: str) -> list[int]:
        if type_ == PASSAGE:
            return [self._place_of[node_id.rpartition(":")[0]]]
        return sorted(self._place_of[key] for key in index.nodes[index.row_of[node_id]].sources)


def compare(examiner: Examiner, before: MemoryGraph, after: MemoryGraph) -> Mapping[str, object]:
    """Both graphs by the same questions, without and with passages."""
    active = [len(graph.active_nodes()) for graph in (before, after)]
    return {
        "active_nodes": {"before": active[0], "after": active[1]},
        **{
            name: {
                when: examiner.examine(graph, has_passages=has_passages)
                for when, graph in (("before", before), ("after", after))
            }
            for name, has_passages in (("passages_off", False), ("passages_on", True))
        },
    }


def counter() -> TokenCounter:
    """That of retrieval's benchmark."""
    made = LocalTokenCounter()
    made.load()
    return made

"""The part of an injection that stays from turn to turn, so that a provider's cache of the prompt stays good."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from st_bme.model.node import Node
from st_bme.model.schema import columns_of
from st_bme.ports import TokenCounter
from st_bme.read.index import RecallIndex, Told
from st_bme.read.inject import Form, Headings, core_text, enclosed, story_line, story_text

SLOW_TYPES = frozenset({"rule", "thread", "synopsis"})
"""Always injected, and seldom another than before."""

# New lines stand late in the prompt until they are worth reading the whole prompt anew for.
_WAITING_SHARE = 0.25
_WAITING_TOKENS = 80


@dataclass(frozen=True, slots=True)
class Steady:
    """Text with its tokens; `lines` says by id what of which memory or summary it holds."""

    text: str = ""
    tokens: int = 0
    lines: Mapping[str, str] = field(default_factory=dict)


NO_STEADY = Steady()


@dataclass(frozen=True, slots=True)
class Wanted:
    """What should stand in the part, each most important first, and the most tokens that it may take."""

    nodes: Sequence[Node]
    story: Sequence[Told]
    cap_tokens: int


class SteadyWriter:
    """Keeps the part that was shown last as long as all of it is still so, and little waits to be in it."""

    def __init__(self, index: RecallIndex, headings: Headings, form: Form, counter: TokenCounter) -> None:
        self._index = index
        self._headings = headings
        self._form = form
        self._counter = counter

    def follow(self, before: Steady, wanted: Wanted) -> Steady:
        """The part for the coming prompt: the same as before where that will do."""
        is_same = before.text != "" and before.tokens <= wanted.cap_tokens
        is_same = is_same and all(self._line(identity) == line for identity, line in before.lines.items())
        waiting = {identity: line for identity, line in self._lines(wanted).items() if identity not in before.lines}
        room = max(_WAITING_TOKENS, int(before.tokens * _WAITING_SHARE))
        if is_same and sum(map(self._counter.count, waiting.values())) <= room:
            return before
        return self._write(wanted)

    def _lines(self, wanted: Wanted) -> dict[str, str]:
        ids = [*(node.id for node in wanted.nodes), *(told.id for told in wanted.story)]
        return {identity: line for identity in ids if (line := self._line(identity))}

    def _line(self, identity: str) -> str:
        """What is said of a memory or summary now, "" where it is gone."""
        told = self._index.told.get(identity)
        if told is not None:
            return story_line(told.first, told.last, told.text, self._form.cell_limit)
        row = self._index.awake.get(identity)
        node = None if row is None else self._index.nodes[row]
        return "" if node is None else self._form.row(node, columns_of(node.type, node.fields))

    def _write(self, wanted: Wanted) -> Steady:
        """As much as there is room for: memories and summaries in turns, so that neither crowds the other out."""
        nodes: list[Node] = []
        story: list[Told] = []
        best = NO_STEADY
        for place in range(max(len(wanted.nodes), len(wanted.story))):
            more_nodes = [*nodes, *wanted.nodes[place : place + 1]]
            if (tried := self._text(more_nodes, story)).tokens <= wanted.cap_tokens:
                nodes, best = more_nodes, tried
            more_story = [*story, *wanted.story[place : place + 1]]
            if (tried := self._text(nodes, more_story)).tokens <= wanted.cap_tokens:
                story, best = more_story, tried
        return best if best.lines else NO_STEADY

    def _text(self, nodes: Sequence[Node], story: Sequence[Told]) -> Steady:
        in_time = sorted(story, key=lambda told: told.first)
        lines = {told.id: self._line(told.id) for told in in_time} | {node.id: self._line(node.id) for node in nodes}
        parts = [
            story_text([lines[told.id] for told in in_time], self._headings),
            core_text(nodes, self._headings, self._form),
        ]
        text = enclosed([part for part in parts if part], self._headings)
        return Steady(text, self._counter.count(text), lines)

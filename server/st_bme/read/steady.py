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
        return before if is_same and self._can_wait(before, wanted) else self._write(wanted)

    def _can_wait(self, before: Steady, wanted: Wanted) -> bool:
        """What is not in it yet is little."""
        room = max(_WAITING_TOKENS, int(before.tokens * _WAITING_SHARE))
        for identity in (*(node.id for node in wanted.nodes), *(told.id for told in wanted.story)):
            if identity not in before.lines:
                room -= self._counter.count(self._line(identity))
                if room < 0:
                    return False
        return True

    def _line(self, identity: str) -> str:
        """What is said of a memory or summary now, "" where it is gone."""
        told = self._index.told.get(identity)
        if told is not None:
            return story_line(told.first, told.last, told.text, self._form.cell_limit)
        row = self._index.awake.get(identity)
        node = None if row is None else self._index.nodes[row]
        return "" if node is None else self._form.row(node, columns_of(node.type, node.fields))

    def _write(self, wanted: Wanted) -> Steady:
        """As much as there is room for: memories and summaries in turns, so that neither crowds the other out.

        Lines are priced one by one, so that nothing is counted twice; the finished text is counted as a whole.
        """
        nodes: list[Node] = []
        story: list[Told] = []
        room = wanted.cap_tokens - self._price(enclosed([], self._headings))
        for place in range(max(len(wanted.nodes), len(wanted.story))):
            for node in wanted.nodes[place : place + 1]:
                if (price := self._price_of_node(node, nodes)) <= room:
                    nodes.append(node)
                    room -= price
            for told in wanted.story[place : place + 1]:
                price = self._price(self._line(told.id)) + (0 if story else self._price(self._headings.story))
                if price <= room:
                    story.append(told)
                    room -= price
        while (text := self._text(nodes, story)).tokens > wanted.cap_tokens and text.lines:
            (nodes or story).pop()
        return text if text.lines else NO_STEADY

    def _price_of_node(self, node: Node, nodes: Sequence[Node]) -> int:
        """Tokens of its line, and of what opens the part and its type where it is the first."""
        columns = columns_of(node.type, node.fields)
        opening = [] if nodes else [self._headings.core]
        if all(other.type != node.type for other in nodes):
            opening += self._form.head(node.type, columns)
        filled = [column for column in columns if node.fields.get(column)]
        # A table has a cell for what this memory says nothing of only where another one does.
        return self._price(*opening, self._form.row(node, filled)) + len(columns) - len(filled)

    def _price(self, *lines: str) -> int:
        return sum(self._counter.count(line) + 1 for line in lines)

    def _text(self, nodes: Sequence[Node], story: Sequence[Told]) -> Steady:
        in_time = sorted(story, key=lambda told: told.first)
        lines = {told.id: self._line(told.id) for told in in_time} | {node.id: self._line(node.id) for node in nodes}
        parts = [
            story_text([lines[told.id] for told in in_time], self._headings),
            core_text(nodes, self._headings, self._form),
        ]
        text = enclosed([part for part in parts if part], self._headings)
        return Steady(text, self._counter.count(text), lines)

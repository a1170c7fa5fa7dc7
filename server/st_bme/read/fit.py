"""What of the memories fits into the budget of tokens, and the text that comes of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

import numpy as np

from st_bme.model.node import Node
from st_bme.ports import TokenCounter
from st_bme.read.index import RecallIndex, Told
from st_bme.read.inject import (
    CLOSING,
    HEADINGS,
    OPENING,
    Form,
    Mark,
    core_text,
    enclosed,
    filled_columns,
    heading_of,
    passage_line,
    passages_text,
    recalled_text,
    story_line,
    story_text,
)
from st_bme.read.options import RecallOptions
from st_bme.read.quotes import Quote, repeats, says_it
from st_bme.read.select import Choice
from st_bme.scoring.budget import take

_T = TypeVar("_T")

_NARROWEST_CELL, _WIDEST_CELL = 40, 400  # characters
_CHARACTERS_A_TOKEN = 4  # of the budget: with 1200 tokens a cell has at most 300 characters

_NAMES = ("name", "title")

SHORTEST_ROW = 8  # tokens; of more rows than fit at this length none needs to be looked at


@dataclass(frozen=True, slots=True)
class Fitted:
    """What is injected, best first, and the text with its tokens, which never exceed the budget.

    `parts` are the parts of the text without the delimiters, `sections` their tokens.
    """

    story: tuple[Told, ...] = ()
    core: tuple[int, ...] = ()  # rows
    recalled: tuple[Choice, ...] = ()
    quotes: tuple[Quote, ...] = ()
    text: str = ""
    tokens: int = 0
    sections: Mapping[str, int] = field(default_factory=dict)
    parts: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Offer:
    """What a recall would like to inject, each best first."""

    core: Sequence[int] = ()  # rows
    chosen: Sequence[Choice] = ()
    scene: Sequence[Choice] = ()
    quotes: Sequence[Quote] = ()
    story: Sequence[Told] = ()
    now: str = ""
    marks: Mapping[str, Mark] = field(default_factory=dict)  # by memory


class Fitter:
    """Packs the memories of one recall. Prices of rows are upper bounds; the finished text is counted as a whole."""

    def __init__(self, index: RecallIndex, options: RecallOptions, counter: TokenCounter, budget_tokens: int) -> None:
        self._index = index
        self._nodes = index.nodes
        self._floors = index.arrays.last_floors
        self._options = options
        self._headings = HEADINGS[options.language]
        self._count = counter.count
        self._budget = budget_tokens
        self._form = form_for(options, budget_tokens)
        self._said: set[tuple[str, str]] = set()  # by memories that are taken, with their types
        self._taken: set[int] = set()  # their rows
        self._lines: dict[str, str] = {}  # of quotes, by passage

    def fit(self, offer: Offer) -> Fitted:
        """Summaries and core within their shares, then what was chosen and quotes by their relevance, then what was
        only named, the newest events as far as the core's share goes, and the scene within its share.
        """
        self._form = replace(self._form, marks=offer.marks)
        room = _Room(self._budget - self._price(OPENING, self._headings.note, offer.now, CLOSING))
        story = room.spend(self._pack_story(offer.story, room.within(self._options.story_tokens(self._budget))))
        core_room = _Room(room.within(self._share(self._options.core_share)))
        news, standing = self._parted(offer.core)
        core = core_room.spend(self._pack(standing, self._headings.core, core_room.tokens))
        room.tokens -= core_room.spent
        telling = [choice for choice in offer.chosen if self._tells(choice.row)]
        named = [choice.row for choice in offer.chosen if not self._tells(choice.row)]
        kept = self._kept_for(offer.quotes, telling, room.tokens)
        told = [choice.row for choice in telling]
        recalled = room.spend(self._pack(told, self._headings.recalled, room.tokens - kept))
        quote_room = room.within(self._options.passage_tokens)
        quotes = room.spend(self._pack_quotes(offer.quotes, [*core, *recalled], quote_room))
        # What was kept for quotes that a memory says after all, or did not fit, is free for the rest.
        recalled += room.spend(self._pack([*told, *named], "" if recalled else self._headings.recalled, room.tokens))
        news = self._unsaid(news, quotes)
        core += room.spend(self._pack(news, "" if core else self._headings.core, room.within(core_room.tokens)))
        scene_room = room.within(self._share(self._options.scene_share))
        beside = self._unsaid([choice.row for choice in offer.scene], quotes)
        recalled += self._pack(beside, "" if recalled else self._headings.recalled, scene_room)[0]
        choice_of = {choice.row: choice for choice in (*offer.scene, *offer.chosen)}
        return self._within_budget(offer.now, (story, core, [choice_of[row] for row in recalled], quotes))

    def _unsaid(self, rows: Sequence[int], quotes: Sequence[Quote]) -> list[int]:
        """Those of which no quote says almost every word."""
        by_key = {quote.passage.key: quote for quote in quotes}
        return [
            row
            for row in rows
            if not any(
                repeats(by_key[key], self._index.terms_of(row)) for key in self._nodes[row].sources if key in by_key
            )
        ]

    def _share(self, share: float) -> int:
        return int(self._budget * share)

    def _parted(self, core: Sequence[int]) -> tuple[list[int], list[int]]:
        """What is in the core for being new, and what is there for what it is."""
        rows = np.array(core, np.int64)
        is_news = self._index.arrays.is_news[rows]
        return rows[is_news].tolist(), rows[~is_news].tolist()

    def _tells(self, row: int) -> bool:
        """More than a name, which the reader has seen or does not miss."""
        fields = self._nodes[row].fields
        return any(value and column not in _NAMES for column, value in fields.items())

    def _pack_story(self, story: Sequence[Told], room: int) -> tuple[list[Told], int]:
        """As many summaries as there is room for, in the order given."""
        prices = [self._price(self._told_line(told)) for told in story]
        places, tokens = take(prices, room, opening=self._price(self._headings.story))
        return [story[place] for place in places], tokens

    def _told_line(self, told: Told) -> str:
        return story_line(told.first, told.last, told.text, self._form.cell_limit)

    def _kept_for(self, quotes: Sequence[Quote], chosen: Sequence[Choice], room: int) -> int:
        """Tokens of the room that quotes take where the most relevant go first, memories and quotes alike."""
        most = min(room, self._options.passage_tokens)
        kept = self._price(self._headings.passages)
        offered = [(-quote.scores["relevance"], False, place) for place, quote in enumerate(quotes)]
        offered += [(-choice.scores["relevance"], True, place) for place, choice in enumerate(chosen)]
        for _, is_memory, place in sorted(offered):
            price = self._price(self._row(chosen[place].row) if is_memory else self._line(quotes[place]))
            room -= price
            if room < 0:
                break
            kept += 0 if is_memory else price
        return min(most, kept) if quotes else 0

    def _line(self, quote: Quote) -> str:
        """A quote as it stands in the text."""
        passage = quote.passage
        if passage.id not in self._lines:
            self._lines[passage.id] = passage_line(passage.floor, passage.speaker, quote.text)
        return self._lines[passage.id]

    def _row(self, row: int) -> str:
        """A memory as it stands in a table of its own."""
        node = self._nodes[row]
        return self._form.row(node, filled_columns([node]))

    def _pack_quotes(self, quotes: Sequence[Quote], taken: Sequence[int], room: int) -> tuple[list[Quote], int]:
        """As many as there is room for, without what a memory made from the message says already."""
        said: dict[str, set[str]] = {}
        quoted = {quote.passage.key for quote in quotes}
        for row in taken:
            for key in quoted.intersection(self._nodes[row].sources):
                said.setdefault(key, set()).update(self._index.terms_of(row))
        fitting: list[Quote] = []
        spent = self._price(self._headings.passages)
        for quote in quotes:
            # No token holds two words, so what has too many need not be counted.
            left = room - spent
            if len(quote.text.split(maxsplit=left)) > left or says_it(said.get(quote.passage.key), quote):
                continue
            price = self._price(self._line(quote))
            if price <= left:
                fitting.append(quote)
                spent += price
        return fitting, spent if fitting else 0

    def _pack(self, rows: Sequence[int], heading: str, room: int) -> tuple[list[int], int]:
        """As many as there is room for, in the order given, without what another one says already."""
        spent = self._price(heading)
        taken: list[int] = []
        met: set[tuple[str, str]] = set()  # types and texts: what says the same stands once
        opened: set[tuple[str, str]] = set()
        offered = rows[: room // SHORTEST_ROW]
        columns_of = self._columns(offered)
        for row in offered:
            if row in self._taken:
                continue
            node = self._nodes[row]
            columns = columns_of[node.type]
            text = self._form.said(node, columns)
            said = (node.type, text)
            if said in met or said in self._said:
                continue
            met.add(said)
            price = self._price(self._form.marked(node, text))
            under = (heading_of(node, self._headings), node.type)
            if under not in opened:
                opened.add(under)
                price += self._price(under[0], *self._form.head(node.type, columns))
            if spent + price <= room:
                spent += price
                taken.append(row)
                self._said.add(said)
        self._taken.update(taken)
        return taken, spent if taken else 0

    def _columns(self, rows: Sequence[int]) -> dict[str, tuple[str, ...]]:
        """Per type the columns that a table of all of these has; a table of some has no others."""
        by_type: dict[str, list[Node]] = {}
        for row in rows:
            by_type.setdefault(self._nodes[row].type, []).append(self._nodes[row])
        return {name: filled_columns(nodes) for name, nodes in by_type.items()}

    def _within_budget(
        self, now: str, taken: tuple[list[Told], list[int], list[Choice], list[Quote]]
    ) -> Fitted:
        """The text of these; where a counter counts more for the whole than for its lines, the least goes."""
        story, core, recalled, quotes = taken
        while story or core or recalled or quotes:
            in_time = sorted(story, key=lambda told: told.first)
            memories = self._in_time([choice.row for choice in recalled])
            all_parts = {
                "now": now,
                "story": story_text([self._told_line(told) for told in in_time], self._headings),
                "core": core_text(self._in_time(core), self._headings, self._form),
                "recalled": recalled_text(memories, self._headings, self._form),
                "passages": passages_text([self._line(quote) for quote in sorted(quotes, key=_place)], self._headings),
            }
            parts = {name: part for name, part in all_parts.items() if part}
            text = enclosed(list(parts.values()), self._headings)
            tokens = self._count(text)
            if tokens <= self._budget:
                sections = {name: self._count(part) for name, part in parts.items()}
                chosen = (tuple(story), tuple(core), tuple(recalled), tuple(quotes))
                return Fitted(*chosen, text, tokens, sections, parts)
            (quotes or recalled or core or story).pop()
        return Fitted()

    def _in_time(self, rows: Sequence[int]) -> list[Node]:
        """A story is read in its order."""
        return [self._nodes[row] for row in sorted(rows, key=self._place_in_time)]

    def _place_in_time(self, row: int) -> tuple[int, int]:
        return (int(self._floors[row]), row)

    def _price(self, *lines: str) -> int:
        """Tokens of some lines with their line breaks."""
        return sum(map(self._count, lines)) + len(lines)


class _Room:
    """Tokens that are left."""

    def __init__(self, tokens: int) -> None:
        self.tokens = tokens
        self.spent = 0

    def within(self, cap: int) -> int:
        """As many of them as a part may take."""
        return max(0, min(self.tokens, cap))

    def spend(self, packed: tuple[list[_T], int]) -> list[_T]:
        """What was packed, paid for."""
        found, tokens = packed
        self.tokens -= tokens
        self.spent += tokens
        return found


def form_for(options: RecallOptions, budget_tokens: int) -> Form:
    """How memories are written under a budget: the smaller it is, the shorter each field."""
    cell_limit = min(_WIDEST_CELL, max(_NARROWEST_CELL, budget_tokens // _CHARACTERS_A_TOKEN))
    return Form(cell_limit, has_tables=options.form == "tables")


def _place(quote: Quote) -> tuple[int, str]:
    return (quote.passage.floor, quote.passage.id)

"""What of the memories fits into the budget of tokens, and the text that comes of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from st_bme.model.node import Node
from st_bme.ports import TokenCounter
from st_bme.read.index import RecallIndex, Told
from st_bme.read.inject import (
    CLOSING,
    HEADINGS,
    OPENING,
    Form,
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
from st_bme.scoring.budget import Item, Section, pack

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
    core: tuple[Choice, ...] = ()
    recalled: tuple[Choice, ...] = ()
    quotes: tuple[Quote, ...] = ()
    text: str = ""
    tokens: int = 0
    sections: Mapping[str, int] = field(default_factory=dict)
    parts: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Offer:
    """What a recall would like to inject, each best first."""

    core: Sequence[Choice] = ()
    chosen: Sequence[Choice] = ()
    scene: Sequence[Choice] = ()
    quotes: Sequence[Quote] = ()
    story: Sequence[Told] = ()
    now: str = ""


class Fitter:
    """Packs the memories of one recall. Prices of rows are upper bounds; the finished text is counted as a whole."""

    def __init__(self, index: RecallIndex, options: RecallOptions, counter: TokenCounter, budget_tokens: int) -> None:
        self._index = index
        self._nodes = index.nodes
        self._floors = index.arrays.last_floors
        self._options = options
        self._headings = HEADINGS[options.language]
        self._counter = counter
        self._budget = budget_tokens
        self._form = form_for(options, budget_tokens)
        self._said: set[str] = set()  # rows that are taken

    def fit(self, offer: Offer) -> Fitted:
        """Summaries and core within their shares, then what was chosen and quotes by their relevance, then what was
        only named, the newest events as far as the core's share goes, and the scene within its share.
        """
        room = _Room(self._budget - self._price(OPENING, self._headings.note, offer.now, CLOSING))
        story = room.spend(self._pack_story(offer.story, room.within(self._options.story_tokens(self._budget))))
        core_room = _Room(room.within(self._share(self._options.core_share)))
        standing = [choice for choice in offer.core if not self._is_news(choice)]
        core = core_room.spend(self._pack(standing, self._headings.core, core_room.tokens))
        room.tokens -= core_room.spent
        telling = [choice for choice in offer.chosen if self._tells(choice)]
        kept = self._kept_for(offer.quotes, telling, room.tokens)
        recalled = room.spend(self._pack(telling, self._headings.recalled, room.tokens - kept))
        quote_room = room.within(self._options.passage_tokens)
        quotes = room.spend(self._pack_quotes(offer.quotes, [*core, *recalled], quote_room))
        # What was kept for quotes that a memory says after all, or did not fit, is free for the rest.
        named = [choice for choice in offer.chosen if not self._tells(choice)]
        recalled += room.spend(self._pack([*telling, *named], "" if recalled else self._headings.recalled, room.tokens))
        news = self._unsaid([choice for choice in offer.core if self._is_news(choice)], quotes)
        core += room.spend(self._pack(news, "" if core else self._headings.core, room.within(core_room.tokens)))
        scene_room = room.within(self._share(self._options.scene_share))
        beside = self._unsaid(offer.scene, quotes)
        recalled += self._pack(beside, "" if recalled else self._headings.recalled, scene_room)[0]
        return self._within_budget(offer.now, (story, core, recalled, quotes))

    def _unsaid(self, choices: Sequence[Choice], quotes: Sequence[Quote]) -> list[Choice]:
        """Those of which no quote says almost every word."""
        by_key = {quote.passage.key: quote for quote in quotes}
        return [
            choice
            for choice in choices
            if not any(
                repeats(by_key[key], self._index.terms_of(choice.row))
                for key in self._nodes[choice.row].sources
                if key in by_key
            )
        ]

    def _share(self, share: float) -> int:
        return int(self._budget * share)

    def _is_news(self, choice: Choice) -> bool:
        """It is always injected for being new, not for what it is."""
        node = self._nodes[choice.row]
        return node.type == "event" and not node.pinned

    def _tells(self, choice: Choice) -> bool:
        """More than a name, which the reader has seen or does not miss."""
        fields = self._nodes[choice.row].fields
        return any(value and column not in _NAMES for column, value in fields.items())

    def _pack_story(self, story: Sequence[Told], room: int) -> tuple[list[Told], int]:
        """As many summaries as there is room for, in the order given."""
        lines = {told.id: told for told in story}
        items = [Item(told.id, self._price(self._told_line(told)), -place) for place, told in enumerate(story)]
        packed = pack([Section("story", items, room, self._price(self._headings.story))], room)[0]
        return [lines[item.id] for item in packed.taken], packed.tokens

    def _told_line(self, told: Told) -> str:
        return story_line(told.first, told.last, told.text, self._form.cell_limit)

    def _kept_for(self, quotes: Sequence[Quote], chosen: Sequence[Choice], room: int) -> int:
        """Tokens of the room that quotes take where the most relevant go first, memories and quotes alike."""
        most = min(room, self._options.passage_tokens)
        prices = [(quote.scores["relevance"], self._price(_line(quote)), True) for quote in quotes]
        prices += [(choice.scores["relevance"], self._price_of(choice), False) for choice in chosen]
        kept = self._price(self._headings.passages)
        for _, price, is_quote in sorted(prices, key=lambda offered: -offered[0]):
            room -= price
            if room < 0:
                break
            kept += price * is_quote
        return min(most, kept) if quotes else 0

    def _price_of(self, choice: Choice) -> int:
        node = self._nodes[choice.row]
        return self._price(self._form.row(node, filled_columns([node])))

    def _pack_quotes(self, quotes: Sequence[Quote], taken: Sequence[Choice], room: int) -> tuple[list[Quote], int]:
        """As many as there is room for, without what a memory made from the message says already."""
        said: dict[str, set[str]] = {}
        for choice in taken:
            for key in self._nodes[choice.row].sources:
                said.setdefault(key, set()).update(self._index.terms_of(choice.row))
        new = [quote for quote in quotes if not says_it(said.get(quote.passage.key), quote)]
        items = [Item(quote.passage.id, self._price(_line(quote)), -place) for place, quote in enumerate(new)]
        packed = pack([Section("passages", items, room, self._price(self._headings.passages))], room)[0]
        fitting = {item.id for item in packed.taken}
        return [quote for quote in new if quote.passage.id in fitting], packed.tokens

    def _pack(self, choices: Sequence[Choice], heading: str, room: int) -> tuple[list[Choice], int]:
        """As many as there is room for, in the order given, without what another row says already."""
        items: list[Item] = []
        rows: dict[str, Choice] = {}  # by the text of the row: what says the same stands once
        opened: set[tuple[str, str]] = set()
        offered = choices[: room // SHORTEST_ROW]
        columns_of = self._columns(offered)
        for place, choice in enumerate(offered):
            node = self._nodes[choice.row]
            columns = columns_of[node.type]
            lines = [self._form.row(node, columns)]
            row = f"{node.type} {lines[0]}"
            if row in rows or row in self._said:
                continue
            under = (heading_of(node, self._headings), node.type)
            if under not in opened:
                opened.add(under)
                lines += [under[0], *self._form.head(node.type, columns)]
            rows[row] = choice
            items.append(Item(row, self._price(*lines), -place))
        packed = pack([Section(heading, items, room, self._price(heading))], room)[0]
        self._said.update(item.id for item in packed.taken)
        return [rows[item.id] for item in packed.taken], packed.tokens

    def _columns(self, choices: Sequence[Choice]) -> dict[str, tuple[str, ...]]:
        """Per type the columns that a table of all of these has; a table of some has no others."""
        by_type: dict[str, list[Node]] = {}
        for choice in choices:
            by_type.setdefault(self._nodes[choice.row].type, []).append(self._nodes[choice.row])
        return {name: filled_columns(nodes) for name, nodes in by_type.items()}

    def _within_budget(
        self, now: str, taken: tuple[list[Told], list[Choice], list[Choice], list[Quote]]
    ) -> Fitted:
        """The text of these; where a counter counts more for the whole than for its lines, the least goes."""
        story, core, recalled, quotes = taken
        while story or core or recalled or quotes:
            in_time = sorted(story, key=lambda told: told.first)
            all_parts = {
                "now": now,
                "story": story_text([self._told_line(told) for told in in_time], self._headings),
                "core": core_text(self._in_time(core), self._headings, self._form),
                "recalled": recalled_text(self._in_time(recalled), self._headings, self._form),
                "passages": passages_text([_line(quote) for quote in sorted(quotes, key=_place)], self._headings),
            }
            parts = {name: part for name, part in all_parts.items() if part}
            text = enclosed(list(parts.values()), self._headings)
            tokens = self._counter.count(text)
            if tokens <= self._budget:
                sections = {name: self._counter.count(part) for name, part in parts.items()}
                chosen = (tuple(story), tuple(core), tuple(recalled), tuple(quotes))
                return Fitted(*chosen, text, tokens, sections, parts)
            (quotes or recalled or core or story).pop()
        return Fitted()

    def _in_time(self, choices: Sequence[Choice]) -> list[Node]:
        """A story is read in its order."""
        return [self._nodes[row] for row in sorted((choice.row for choice in choices), key=self._place_in_time)]

    def _place_in_time(self, row: int) -> tuple[int, int]:
        return (int(self._floors[row]), row)

    def _price(self, *lines: str) -> int:
        """Tokens of some lines with their line breaks."""
        return sum(self._counter.count(line) + 1 for line in lines)


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
    return Form(cell_limit, has_tables=options.has_tables)


def _line(quote: Quote) -> str:
    return passage_line(quote.passage.floor, quote.passage.speaker, quote.text)


def _place(quote: Quote) -> tuple[int, str]:
    return (quote.passage.floor, quote.passage.id)

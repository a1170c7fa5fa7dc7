"""What recall searches: the memories of a graph as arrays and indexes, and below them the messages of the chat."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from st_bme.graph.ledgers import NOTHING_SAID, Ledgers
from st_bme.graph.memory_graph import MemoryGraph
from st_bme.model.edge import Edge
from st_bme.model.node import Node
from st_bme.model.schema import STORY_TYPES, is_presentable, type_of
from st_bme.read.ages import Uses
from st_bme.read.arrays import Floats, Ints, Mask
from st_bme.read.links import csr_of, fanned, joined, joining, links_between, links_in_time
from st_bme.read.passages import PassageIndex
from st_bme.read.standing import Standing, standing_of
from st_bme.read.vectors import PlacedTexts
from st_bme.read.wording import shared_terms
from st_bme.scoring.diffusion import Csr
from st_bme.scoring.fusion import z_scores
from st_bme.scoring.lexical import LexicalIndex
from st_bme.scoring.names import NameIndex
from st_bme.scoring.recency import Timeline

NO_FLOOR = -1
FULL_IMPORTANCE = 10.0
_USE = 0.1  # the original ST-BME's

_CORE_ORDER = ("synopsis", "rule", "thread", "event")
_NAME_COLUMNS = ("name", "title")
_NAMED_TYPES = frozenset(name for name, type_ in STORY_TYPES.items() if "name" in type_.columns)
# What a memory is embedded by; the original ST-BME's choice.
_EMBEDDED_COLUMNS = ("summary", "name", "title", "traits", "state", "constraint")


@dataclass(frozen=True, slots=True)
class Arrays:
    """One number a memory, by row."""

    importances: Floats
    first_floors: Ints  # floor of the earliest source, -1 where no source stands in the chat
    last_floors: Ints
    worths: Floats  # z-scores of importance
    told_floors: Ints  # the last floors of what has its place in time, -1 for states that are kept up to date
    told: Timeline  # the same
    newest: Ints  # (n,) rows from the last floor to the first, on one floor as they come
    core: Ints  # rows that are pinned or of a type that is always injected, most important first
    is_pinned: Mask
    is_by_user: Mask  # the user wrote or pinned it
    is_bare: Mask  # it has nothing but a name
    is_asleep: Mask  # upkeep put it away
    is_news: Mask  # where it is always injected, it is so for being new, not for what it is
    source_rows: Ints  # (m,) a row each time for every message that a memory was made from
    source_floors: Ints  # (m,) where that message stands


@dataclass(frozen=True, slots=True)
class Told:
    """A summary with the first and the last floor that it covers. `is_current`: no other one condenses it."""

    id: str
    first: int
    last: int
    text: str
    is_current: bool


class RecallIndex:
    """The memories, each in a row, in the order of the fold; and the passages of the chat.

    What the model or the user archived has no row. What upkeep put away has one and sleeps: it has no links and no part
    in what is injected unasked.

    `update` looks only at what is another object than before, so a turn costs what the turn changed. It must not run
    while a recall reads the index.
    """

    def __init__(self) -> None:
        self.nodes: Sequence[Node] = ()
        self.row_of: Mapping[str, int] = {}
        self.awake: Mapping[str, int] = {}  # the same without what sleeps
        self.floors: Mapping[str, int] = {}  # of the messages, by key
        self.standing_for: Ints = np.empty(0, np.int64)
        self.head_floor = NO_FLOOR  # last floor of the chat
        self.names = NameIndex()
        self.passages = PassageIndex()
        self.placed = PlacedTexts(())
        self.told: Mapping[str, Told] = {}  # summaries, by id
        self._ledgers = NOTHING_SAID
        self._standing: Standing | None = None
        self.lexical = LexicalIndex()
        self._indexed: dict[str, Node] = {}
        self._terms: dict[str, tuple[str, ...]] = {}
        self._texts: dict[str, str] = {}
        self.lexical_rows: Ints = np.empty(0, np.int64)  # where each row stands there
        self._rows_by_type: dict[str, Ints] = {}
        self.uses = Uses()
        self.arrays = _arrays_of((), {})
        self._importances = self.arrays.importances
        self._links = links_between([], {})
        self._relations = csr_of(0, self._links)
        self._flows: dict[bool, Csr] = {}

    def __len__(self) -> int:
        return len(self.nodes)

    def update(self, nodes: Mapping[str, Node], edges: Mapping[str, Edge], floors: Mapping[str, int]) -> None:
        """Take over a graph. `floors` gives the floor of each message key."""
        kept = {node.id: node for node in nodes.values() if is_presentable(node.type) and _has_row(node)}
        for node_id in [node_id for node_id, node in self._indexed.items() if kept.get(node_id) is not node]:
            self._forget(node_id)
        for node_id, node in kept.items():
            if node_id not in self._indexed:
                self._add(node)
        self.nodes = tuple(kept.values())
        self.row_of = {node_id: row for row, node_id in enumerate(kept)}
        self.awake = {node_id: row for row, (node_id, node) in enumerate(kept.items()) if not node.archived}
        types = np.array([node.type if node.id in self.awake else "" for node in self.nodes])
        self._rows_by_type = {name: np.flatnonzero(types == name) for name in set(types.tolist())}
        self.standing_for = _standing_for(nodes, self.row_of)
        self._standing = None
        self.placed = PlacedTexts([self._texts[node_id] for node_id in kept])
        self.floors = floors
        self.head_floor = max(floors.values(), default=NO_FLOOR)
        self.lexical_rows = self.lexical.rows_of(list(kept))
        self.arrays = _arrays_of(self.nodes, floors)
        self._importances = self.arrays.importances
        self._links = links_between(list(edges.values()), self.awake)
        self._relations = csr_of(len(kept), joining(self._links))
        self._flows = {}

    def update_story(self, summaries: Iterable[Node], floors: Mapping[str, int]) -> None:
        """Take over the summaries of a graph; those of which no message stands in the chat are left out."""
        found = [(node, [floors[key] for key in node.sources if key in floors]) for node in summaries]
        self.told = {
            node.id: Told(node.id, min(at), max(at), node.fields.get("summary", ""), not node.archived)
            for node, at in found
            if at
        }

    def update_uses(self, uses: Uses) -> None:
        """Take over how often and when memories were recalled: each time makes one more important."""
        self.uses = uses
        importances = self._importances.copy()
        used = [(self.row_of[node_id], count) for node_id, count in uses.counts.items() if node_id in self.row_of]
        if used:
            rows, counts = np.array(used, np.int64).T
            grown = np.minimum(FULL_IMPORTANCE, importances[rows] + counts * _USE)
            importances[rows] = np.maximum(importances[rows], grown)
        self.arrays = replace(self.arrays, importances=importances, worths=z_scores(importances))

    def update_ledgers(self, ledgers: Ledgers) -> None:
        """Take over what is known beside the memories of a graph."""
        self._ledgers = ledgers
        self._standing = None

    @property
    def standing(self) -> Standing:
        """How the memories stand by what the ledgers say, found when first asked for."""
        if self._standing is None:
            self._standing = standing_of(self.nodes, self._ledgers)
        return self._standing

    def flows(self, *, in_time: bool = True) -> Csr:
        """The ways that energy takes: relations and, `in_time`, weak links between what follows one another."""
        if in_time not in self._flows:
            floors = np.where(self.arrays.is_asleep, NO_FLOOR, self.arrays.told_floors)
            links = joined(self._links, links_in_time(self.nodes, floors)) if in_time else self._links
            self._flows[in_time] = fanned(csr_of(len(self), links))
        return self._flows[in_time]

    def mentions(self, name: str) -> Mask:
        """(n,) True where a memory has all words of a name, or the first of them."""
        found = np.zeros(len(self), np.bool_)
        for wanted in (shared_terms(name), shared_terms(name.partition(" ")[0])):
            found[self.lexical.rows_with(wanted)] = True
        return found[self.lexical_rows]

    def terms_of(self, row: int) -> tuple[str, ...]:
        """The terms by which the memory of a row is found."""
        return self._terms[self.nodes[row].id]

    def rows_of_type(self, name: str) -> Ints:
        """Rows of one type that are awake, ascending."""
        return self._rows_by_type.get(name, np.empty(0, np.int64))

    def neighbours(self, row: int) -> list[int]:
        """Rows that a relation joins with this one, each once, in the order of the edges."""
        return list(dict.fromkeys(other for other, _ in self.links_of(row)))

    def links_of(self, row: int) -> list[tuple[int, float]]:
        """Rows that a relation joins with this one, with its strength; none that inhibits."""
        relations = self._relations
        span = slice(relations.offsets[row], relations.offsets[row + 1])
        return list(zip(relations.targets[span].tolist(), relations.strengths[span].tolist(), strict=True))

    def _forget(self, node_id: str) -> None:
        self.lexical.remove(node_id)
        self.names.remove(node_id)
        del self._indexed[node_id], self._terms[node_id], self._texts[node_id]

    def _add(self, node: Node) -> None:
        found = shared_terms("\n".join([*node.fields.values(), *node.former_names]))
        self.lexical.add(node.id, found)
        self._terms[node.id] = found
        self._texts[node.id] = embedded_text(node)
        self._indexed[node.id] = node
        for name in [*(node.fields.get(column, "") for column in _NAME_COLUMNS), *node.former_names]:
            self.names.add(name, node.id)


def index_of(graph: MemoryGraph, floors: Sequence[int]) -> RecallIndex:
    """An index of a graph, built from nothing. `floors` are those of the graph's view, position by position."""
    index = RecallIndex()
    by_key = first_floors(graph.view, floors)
    index.update(graph.nodes, graph.edges, by_key)
    index.update_story(graph.summaries.values(), by_key)
    index.update_ledgers(graph.ledgers)
    return index


def embedded_text(node: Node) -> str:
    """What of a memory is turned into a vector."""
    found = [node.fields[column] for column in _EMBEDDED_COLUMNS if node.fields.get(column)]
    return "\n".join(found) or node.name


def first_floors(keys: Sequence[str], floors: Sequence[int]) -> dict[str, int]:
    """The floor at which each key stands first."""
    return dict(zip(reversed(keys), reversed(floors), strict=True))


def _arrays_of(nodes: Sequence[Node], floors: Mapping[str, int]) -> Arrays:
    placed = [[floors[key] for key in node.sources if key in floors] for node in nodes]
    pinned = np.array([node.pinned for node in nodes], np.bool_)
    asleep = np.array([node.archived for node in nodes], np.bool_)
    always = np.array([type_of(node.type).always_inject for node in nodes], np.bool_)
    core = np.flatnonzero((always | pinned) & ~asleep)
    last = np.array([max(found, default=NO_FLOOR) for found in placed], np.int64)
    is_state = np.array([type_of(node.type).latest_only for node in nodes], np.bool_)
    told_floors = np.where(is_state, NO_FLOOR, last)
    importances = np.array([node.importance for node in nodes], np.float64)
    return Arrays(
        importances=importances,
        worths=z_scores(importances),
        first_floors=np.array([min(found, default=NO_FLOOR) for found in placed], np.int64),
        last_floors=last,
        told_floors=told_floors,
        told=Timeline(told_floors),
        newest=np.argsort(-last, kind="stable"),
        core=core[np.lexsort((-core, -last[core], _core_places(nodes)[core], ~pinned[core]))],
        is_pinned=pinned,
        is_by_user=np.array([node.user_edited or node.pinned for node in nodes], np.bool_),
        is_bare=np.array([_is_bare(node) for node in nodes], np.bool_),
        is_asleep=asleep,
        is_news=np.array([node.type == "event" and not node.pinned for node in nodes], np.bool_),
        source_rows=np.repeat(np.arange(len(nodes)), [len(found) for found in placed]),
        source_floors=np.array([floor for found in placed for floor in found], np.int64),
    )


def _core_places(nodes: Sequence[Node]) -> Ints:
    """(n,) place in the core of each type of memory."""
    place_of = {name: place for place, name in enumerate(_CORE_ORDER)}
    return np.array([place_of.get(node.type, len(_CORE_ORDER)) for node in nodes], np.int64)


def _standing_for(nodes: Mapping[str, Node], row_of: Mapping[str, int]) -> Ints:
    """(n,) The row of the awake memory that a sleeping one lies below, however deep; its own where there is none."""
    rows = list(row_of.values())
    for node_id, row in row_of.items():
        above = nodes[node_id]
        while above.archived and above.parent_id in nodes:
            above = nodes[above.parent_id]
        rows[row] = row_of.get(above.id, row)
    return np.array(rows, np.int64)


def _has_row(node: Node) -> bool:
    """It is awake, or upkeep put it away; not if another node, those below it or a newer one say the same."""
    is_replaced = type_of(node.type).latest_only and node.parent_id != ""
    is_told = node.redirect != "" or bool(node.child_ids) or is_replaced or node.type == "reflection"
    return not node.archived or (node.archived_by == "upkeep" and not is_told)


def _is_bare(node: Node) -> bool:
    return node.type in _NAMED_TYPES and not any(node.fields[column] for column in node.fields if column != "name")

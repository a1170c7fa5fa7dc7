"""A chat to recall from: seeded memories with vectors, relations, and what characters know of them."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from benchmarks.prose import Prose

from st_bme.graph.ledgers import NOTHING_SAID, Ledgers, owner_key
from st_bme.model.edge import INHIBITORY, Edge
from st_bme.model.ledger import STANCES, Knowledge
from st_bme.model.message import Message
from st_bme.model.node import Node
from st_bme.model.recall import Query
from st_bme.model.scope import OBJECTIVE, Scope
from st_bme.ports import VectorSpace
from st_bme.read.index import RecallIndex
from st_bme.read.query import QueryPart
from st_bme.read.recall import query_parts
from st_bme.read.vectors import Meaning, Vectors, VectorTable, blended

SPACE_NAME = "generated"
# Sixty events of a hundred memories, as in the measurements of the original ST-BME.
_SHARES = {"event": 60, "character": 10, "location": 8, "thread": 5, "rule": 2, "reflection": 5, "pov_memory": 10}
_EDGES_A_NODE = 3
_INHIBITING = 0.02
_CLUSTERS = 24
_NODES_A_MESSAGE = 2
_KNOWN = 0.2  # of all memories something is said to each who has a ledger


@dataclass(frozen=True, slots=True)
class Asked:
    """A query with the vectors of its texts."""

    query: Query
    parts: Sequence[QueryPart]
    vectors: Sequence[Vectors]


@dataclass(frozen=True, slots=True)
class GeneratedGraph:
    """Everything that an index is made of, and queries to it."""

    nodes: Mapping[str, Node]
    edges: Mapping[str, Edge]
    messages: Sequence[Message]
    table: VectorTable
    asked: Sequence[Asked]
    people: Sequence[str]

    @property
    def floors(self) -> Mapping[str, int]:
        return {message.key: message.floor for message in self.messages}

    def index(self, *, ledgers: Ledgers = NOTHING_SAID, has_passages: bool = True) -> RecallIndex:
        index = RecallIndex()
        index.update(self.nodes, self.edges, self.floors)
        index.update_ledgers(ledgers)
        if has_passages:
            index.passages.update(self.messages)
        return index

    def meaning(self, asked: Asked) -> Meaning:
        """What a query means, as a session makes it of the vectors at hand."""
        return Meaning(self.table, blended(asked.vectors, [part.weight for part in asked.parts]))


def generate_graph(nodes: int, dimension: int, *, queries: int = 40, seed: int = 1) -> GeneratedGraph:
    """The same for the same numbers."""
    maker = _Maker(nodes, dimension, seed)
    made, messages = maker.nodes(nodes), maker.messages(nodes // _NODES_A_MESSAGE)
    edges = maker.edges(list(made), nodes * _EDGES_A_NODE)
    asked = [maker.asked() for _ in range(queries)]
    graph = GeneratedGraph(made, edges, messages, maker.table, asked, maker.people)
    index = graph.index()
    maker.embed([*index.placed.texts, *index.passages.placed.texts, *index.passages.kindred.words()])
    return graph


def ledgers_of(graph: GeneratedGraph, characters: int, *, seed: int = 1) -> Ledgers:
    """What so many characters know of a fifth of all memories each."""
    dice = random.Random(seed)
    names = list(dict.fromkeys(graph.people))[:characters]
    said = [
        Knowledge(owner_key("character", name), name, node_id, dice.choice(STANCES), "k0", dice.random())
        for name in names
        for node_id in dice.sample(list(graph.nodes), int(len(graph.nodes) * _KNOWN))
    ]
    return Ledgers(knowledge={(known.owner, known.node_id): known for known in said})


class _Maker:
    def __init__(self, nodes: int, dimension: int, seed: int) -> None:
        self._dice = random.Random(seed)
        self._prose = Prose(self._dice)
        self._noise = np.random.default_rng(seed)
        self._centres = self._units(self._noise.standard_normal((_CLUSTERS, dimension)))
        self._dimension = dimension
        self._floors = max(1, nodes // _NODES_A_MESSAGE)
        self.table = VectorTable(VectorSpace(SPACE_NAME, dimension))
        self.people = [self._prose.name() for _ in range(max(2, nodes // 10))]

    def nodes(self, count: int) -> dict[str, Node]:
        kinds = self._dice.choices(list(_SHARES), list(_SHARES.values()), k=count)
        return {f"n{number}": self._node(f"n{number}", kind, number) for number, kind in enumerate(kinds)}

    def _node(self, node_id: str, kind: str, number: int) -> Node:
        prose, person = self._prose, self._dice.choice(self.people)
        fields = {"title": prose.clause(person), "summary": f"{prose.sentence(person)} {prose.sentence(prose.name())}"}
        scope = OBJECTIVE
        if kind in ("character", "location"):
            name = self.people[number % len(self.people)] if kind == "character" else prose.place()
            fields = {"name": name, "state": prose.state(), "traits": prose.traits()}
        elif kind == "pov_memory":
            scope = Scope("pov", "character", person.casefold(), person)
            del fields["title"]
        elif kind == "reflection":
            fields = {"insight": prose.sentence(person)}
        key = f"k{number * self._floors // max(1, self._floors * _NODES_A_MESSAGE)}"
        return Node(node_id, kind, fields, (key,), self._dice.choice((3, 4, 5, 5, 6, 7, 8)), scope)

    def edges(self, ids: Sequence[str], count: int) -> dict[str, Edge]:
        found = {}
        for number in range(count):
            start, end = self._dice.sample(ids, 2)
            kind = INHIBITORY if self._dice.random() < _INHIBITING else 0
            found[f"e{number}"] = Edge(f"e{number}", start, end, "related", self._dice.uniform(0.3, 0.9), "", kind)
        return found

    def messages(self, count: int) -> list[Message]:
        said = []
        for floor in range(count):
            is_user = floor % 2 == 0
            people = [self._dice.choice(self.people) for _ in range(2 if is_user else 6)]
            text = " ".join(self._prose.sentence(person) for person in people)
            said.append(
                Message(f"k{floor}", "user" if is_user else "assistant", "Mira" if is_user else "Oren", text, floor)
            )
        return said

    def asked(self) -> Asked:
        names = [self._dice.choice(self.people) for _ in range(4)]
        sentences = [self._prose.sentence(name) for name in names]
        query = Query(
            f"{sentences[0]} {sentences[1]}", sentences[2], sentences[3], speaker=self._dice.choice(self.people)
        )
        parts = query_parts(query)
        return Asked(query, parts, list(self._vectors(len(parts))))

    def embed(self, texts: Sequence[str]) -> None:
        self.table.put(texts, self._vectors(len(texts)))

    def _vectors(self, count: int) -> Vectors:
        centres = self._centres[self._noise.integers(0, _CLUSTERS, count)]
        spread = self._noise.standard_normal((count, self._dimension)) / np.sqrt(self._dimension)
        return self._units(centres + 0.8 * spread)

    def _units(self, rows: np.ndarray[tuple[int, ...], np.dtype[np.floating]]) -> Vectors:
        units: Vectors = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
        return units

"""What a state above the limit says of the graph before its tail (docs/storage.md, rule 34).

The state holds the graph as it stands. Beside it stand the nodes and edges as they were before the records of the tail,
where these changed them, and which of the graph's are new since: one laid over the other is the graph before the tail.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from st_bme.errors import CorruptState
from st_bme.graph.base_json import BaseGraph
from st_bme.graph.codec import KnownMessages, edge_from_json, edge_to_json, node_from_json, node_to_json, number_to_json
from st_bme.graph.json_reader import Json, JsonObject, JsonReader
from st_bme.graph.ledger_json import ledgers_from_json, ledgers_to_json
from st_bme.graph.ledgers import Ledgers
from st_bme.graph.memory_graph import MemoryGraph
from st_bme.graph.operation_json import without_defaults
from st_bme.graph.packed import ShortIds, in_lists, kind_of, pack_edge, unpack_edges
from st_bme.graph.packed_nodes import NodePacking, columns_of_types, without_children_but
from st_bme.graph.ranges import from_ranges, to_ranges
from st_bme.graph.state_patch import apply_steps, diff_states
from st_bme.model.edge import Edge
from st_bme.model.node import Node
from st_bme.model.schema import SUMMARY

_T = TypeVar("_T", Node, Edge)


@dataclass(frozen=True, slots=True)
class Written:
    """What a state writes of its graph; summaries are the last of its nodes and have a list of their own.

    Edges are in the order in which they are read again: by kind. What is `said` of nodes and edges is what stands in
    the state; of one that was read it is empty.
    """

    known: KnownMessages
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    ledgers: Ledgers
    said_nodes: tuple[JsonObject, ...] = ()
    said_edges: tuple[tuple[str, Json], ...] = ()

    @classmethod
    def of(cls, known: KnownMessages, nodes: tuple[Node, ...], edges: Iterable[Edge], ledgers: Ledgers) -> Written:
        ordered = tuple(sorted(edges, key=lambda edge: kind_of(edge.relation, number_to_json(edge.strength))))
        whole = cls(known, nodes, ordered, ledgers)
        return replace(whole, said_nodes=(*whole.say_nodes(nodes),), said_edges=(*whole.say_edges(ordered),))

    def to_json(self) -> JsonObject:
        nodes: list[Json] = []
        summaries: list[Json] = []
        for node, said in zip(self.nodes, self.said_nodes, strict=True):
            (summaries if node.type == SUMMARY else nodes).append(said)
        columns: JsonObject = {name: list(row) for name, row in self._packing().columns.items()}
        written: JsonObject = {"columns": columns, "nodes": nodes, "edges": in_lists(self.said_edges)}
        return written | without_defaults(summaries=summaries) | ledgers_to_json(self.ledgers, self.known.places())

    def say_nodes(self, nodes: Iterable[Node]) -> Iterator[JsonObject]:
        """Nodes as they stand in a state with these of its own."""
        places, packing = self.known.places(), self._packing()
        return (packing.pack(node_to_json(node, places)) for node in nodes)

    def say_edges(self, edges: Iterable[Edge]) -> Iterator[tuple[str, Json]]:
        """Edges as they stand there, each with its kind."""
        places, ids = self.known.places(), ShortIds([node.id for node in self.nodes])
        return (pack_edge(edge_to_json(edge, self.known, places), ids) for edge in edges)

    def without_archived(self) -> Written:
        """What is left when archived nodes and ended edges leave, and nobody names them as children."""
        ids = {node.id for node in self.nodes if not node.archived}
        nodes = [(node, said) for node, said in zip(self.nodes, self.said_nodes, strict=True) if node.id in ids]
        edges = [
            (edge, said)
            for edge, said in zip(self.edges, self.said_edges, strict=True)
            if edge.is_current and edge.from_id in ids and edge.to_id in ids
        ]
        return replace(
            self,
            nodes=tuple(node for node, _ in nodes),
            edges=tuple(edge for edge, _ in edges),
            said_nodes=tuple(without_children_but(ids, said) for _, said in nodes),
            said_edges=tuple(said for _, said in edges),
        )

    def _packing(self) -> NodePacking:
        columns = columns_of_types({node.type for node in self.nodes})
        return NodePacking.of(columns, self.ledgers.segments.values())


def packing_of(reader: JsonReader, ledgers: Ledgers) -> NodePacking:
    """What the state says once for all its nodes. Raises CorruptState."""
    columns = reader.object("columns") or JsonReader({}, reader.where)
    return NodePacking.of({name: columns.texts(name) for name in columns.names()}, ledgers.segments.values())


def nodes_of(reader: JsonReader, name: str, keys: Sequence[str], packing: NodePacking) -> tuple[Node, ...]:
    """The nodes of a list of a state. Raises CorruptState."""
    places = ((item, f"{reader.where} {name}[{place}]") for place, item in enumerate(reader.items(name)))
    return tuple(node_from_json(JsonReader(packing.unpack(item, where), where), keys) for item, where in places)


def edges_of(reader: JsonReader, name: str, known: KnownMessages, nodes: Iterable[Node]) -> tuple[Edge, ...]:
    """The edges of a part of a state that has these nodes. Raises CorruptState."""
    found = unpack_edges(reader.value(name, {}), f"{reader.where} {name}", ShortIds([node.id for node in nodes]))
    readers = (JsonReader(edge, where) for edge, where in found)
    return tuple(edge_from_json(edge, number, known) for number, edge in enumerate(readers))


def images_before(written: Written, graph: MemoryGraph, before: MemoryGraph) -> JsonObject:
    """The keys of the state that lead from what is written of `graph` back to `before`, the graph without the tail."""
    known, places = written.known, written.known.places()
    owners = zip(before.view, before.coverage.owners, before.pending, strict=True)
    owned = {key: is_pending for key, owner, is_pending in owners if owner is not None}
    now, then = {**graph.nodes, **graph.summaries}, {**before.nodes, **before.summaries}
    new_nodes, old_nodes = _changes(written.nodes, now, then)
    new_edges, old_edges = _changes(written.edges, graph.edges, before.edges)
    told, was_told = ledgers_to_json(written.ledgers, places), ledgers_to_json(before.ledgers, places)
    steps: list[Json] = list(diff_states(told, was_told))
    return {
        "newMessages": to_ranges(place for place, key in enumerate(known.keys) if key not in owned),
        "wasPending": to_ranges(place for place, key in enumerate(known.keys) if owned.get(key)),
        "newNodes": to_ranges(new_nodes),
        "was": list(written.say_nodes(old_nodes)),
        "newEdges": to_ranges(new_edges),
        "wasEdges": in_lists(written.say_edges(old_edges)),
        "wasTold": steps,
    }


def _changes(written: Sequence[_T], now: Mapping[str, _T], before: Mapping[str, _T]) -> tuple[list[int], list[_T]]:
    """Places of what is new in `written` or no longer as it was; and what changed or went, as it was."""
    new = [place for place, item in enumerate(written) if before.get(item.id) != item]
    return new, [item for item in before.values() if now.get(item.id) != item]


def _ledgers_before(reader: JsonReader, written: Written) -> Ledgers:
    """The ledgers of the state with the steps that lead back. Raises CorruptState."""
    told = ledgers_to_json(written.ledgers, written.known.places())
    steps = [step for step in reader.items("wasTold") if isinstance(step, list)]
    try:
        before = apply_steps(told, steps)
    except (LookupError, AssertionError, ValueError) as error:
        raise CorruptState(f"{reader.where}: 'wasTold' leads nowhere: {error}") from error
    return ledgers_from_json(JsonReader(before, f"{reader.where} wasTold"), written.known.keys)


def read_before(reader: JsonReader, written: Written) -> BaseGraph | None:
    """The graph before the tail; None where the state holds all records. Raises CorruptState."""
    if not reader.has("was"):
        return None
    known = written.known
    new_messages = set(from_ranges(reader.items("newMessages"), "newMessages", len(known.keys)))
    pending = set(from_ranges(reader.items("wasPending"), "wasPending", len(known.keys)))
    keys = tuple(key for place, key in enumerate(known.keys) if place not in new_messages)
    new_nodes = set(from_ranges(reader.items("newNodes"), "newNodes", len(written.nodes)))
    new_edges = set(from_ranges(reader.items("newEdges"), "newEdges", len(written.edges)))
    return BaseGraph(
        known=keys,
        pending=tuple(key for place, key in enumerate(known.keys) if place in pending and place not in new_messages),
        nodes=(
            *(node for place, node in enumerate(written.nodes) if place not in new_nodes),
            *nodes_of(reader, "was", known.keys, packing_of(reader, written.ledgers)),
        ),
        edges=(
            *(edge for place, edge in enumerate(written.edges) if place not in new_edges),
            *edges_of(reader, "wasEdges", known, written.nodes),
        ),
        ledgers=_ledgers_before(reader, written),
    )

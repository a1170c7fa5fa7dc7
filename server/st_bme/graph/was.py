"""What a state above the limit says of the graph before its tail (docs/storage.md, rule 34).

The state holds the graph as it stands. Beside it stand the nodes and edges as they were before the records of the tail,
where these changed them, and which of the graph's are new since: one laid over the other is the graph before the tail.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from st_bme.errors import CorruptState
from st_bme.graph.base_json import BaseGraph
from st_bme.graph.codec import KnownMessages, edge_from_json, edge_to_json, node_from_json, node_to_json
from st_bme.graph.json_reader import Json, JsonObject, JsonReader
from st_bme.graph.ledger_json import ledgers_from_json, ledgers_to_json
from st_bme.graph.ledgers import Ledgers
from st_bme.graph.memory_graph import MemoryGraph
from st_bme.graph.operation_json import without_defaults
from st_bme.graph.packed import pack_edge, unpack_edge
from st_bme.graph.ranges import from_ranges, to_ranges
from st_bme.graph.state_patch import apply_steps, diff_states
from st_bme.model.edge import Edge
from st_bme.model.node import Node
from st_bme.model.schema import SUMMARY

_T = TypeVar("_T", Node, Edge)


@dataclass(frozen=True, slots=True)
class Written:
    """What a state writes of its graph; summaries are the last of its nodes and have a list of their own."""

    known: KnownMessages
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    ledgers: Ledgers

    def to_json(self) -> JsonObject:
        places = self.known.places()
        nodes: list[Json] = []
        summaries: list[Json] = []
        for node in self.nodes:
            (summaries if node.type == SUMMARY else nodes).append(node_to_json(node, places))
        edges: JsonObject = {"edges": edges_to_json(self.edges, self.known, places)}
        return {"nodes": nodes} | edges | without_defaults(summaries=summaries) | ledgers_to_json(self.ledgers, places)

    def without_archived(self) -> Written:
        """What is left when archived nodes and ended edges leave."""
        nodes = tuple(node for node in self.nodes if not node.archived)
        ids = {node.id for node in nodes}
        edges = (edge for edge in self.edges if edge.is_current and edge.from_id in ids and edge.to_id in ids)
        return Written(self.known, nodes, tuple(edges), self.ledgers)


def edges_to_json(edges: Iterable[Edge], known: KnownMessages, places: Mapping[str, int]) -> list[Json]:
    """The edges as a state lists them."""
    return [pack_edge(edge_to_json(edge, known, places)) for edge in edges]


def edges_of(reader: JsonReader, name: str, known: KnownMessages) -> tuple[Edge, ...]:
    """The edges of a list of a state. Raises CorruptState."""
    found = []
    for number, item in enumerate(reader.items(name)):
        where = f"{reader.where} {name}[{number}]"
        found.append(edge_from_json(JsonReader(unpack_edge(item, where), where), number, known))
    return tuple(found)


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
        "was": [node_to_json(node, places) for node in old_nodes],
        "newEdges": to_ranges(new_edges),
        "wasEdges": edges_to_json(old_edges, known, places),
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
    new_messages = set(from_ranges(reader.items("newMessages"), "newMessages"))
    pending = set(from_ranges(reader.items("wasPending"), "wasPending"))
    keys = tuple(key for place, key in enumerate(known.keys) if place not in new_messages)
    new_nodes = set(from_ranges(reader.items("newNodes"), "newNodes"))
    new_edges = set(from_ranges(reader.items("newEdges"), "newEdges"))
    return BaseGraph(
        known=keys,
        pending=tuple(key for place, key in enumerate(known.keys) if place in pending and place not in new_messages),
        nodes=(
            *(node for place, node in enumerate(written.nodes) if place not in new_nodes),
            *(node_from_json(item, known.keys) for item in reader.objects("was")),
        ),
        edges=(
            *(edge for place, edge in enumerate(written.edges) if place not in new_edges),
            *edges_of(reader, "wasEdges", known),
        ),
        ledgers=_ledgers_before(reader, written),
    )

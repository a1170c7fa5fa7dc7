"""Nodes and edges of a base as its record holds them: as in the state, but messages have no floors here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from st_bme.errors import CorruptState
from st_bme.graph.codec import KnownMessages, edge_from_json, edge_to_json, node_from_json, node_to_json
from st_bme.graph.json_reader import JsonObject, JsonReader
from st_bme.graph.ledger_json import ledgers_from_json, ledgers_to_json
from st_bme.graph.ledgers import NOTHING_SAID, Ledgers
from st_bme.graph.operation_json import without_defaults
from st_bme.model.edge import Edge
from st_bme.model.node import Node

KEY_LENGTH = 8
_DERIVED = "archived"


class BaseGraph(NamedTuple):
    """The messages that a base knows, those of them that it has not read in full, and what it made of them."""

    known: tuple[str, ...]
    pending: tuple[str, ...]
    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    ledgers: Ledgers = NOTHING_SAID


def split_keys(text: str, where: str) -> tuple[str, ...]:
    """Message keys written without anything between them. Raises CorruptState."""
    if len(text) % KEY_LENGTH:
        raise CorruptState(f"{where}: 'known' has {len(text)} characters, not a multiple of {KEY_LENGTH}")
    return tuple(text[start : start + KEY_LENGTH] for start in range(0, len(text), KEY_LENGTH))


def _placed(keys: Sequence[str]) -> KnownMessages:
    """Places stand in for floors."""
    return KnownMessages(tuple(keys), tuple(range(len(keys))))


def base_graph_to_json(graph: BaseGraph) -> JsonObject:
    """What is in a base; sources that it does not know are left out."""
    known = _placed(graph.known)
    places = known.places()
    nodes = [node_to_json(node, places) for node in graph.nodes]
    return {"known": "".join(graph.known)} | without_defaults(
        pending=[places[key] for key in graph.pending],
        nodes=[{key: value for key, value in node.items() if key != _DERIVED} for node in nodes],
        edges=[edge_to_json(edge, known, places) for edge in graph.edges],
        **ledgers_to_json(graph.ledgers, places),
    )


def base_graph_from_json(reader: JsonReader) -> BaseGraph:
    """Raises CorruptState where the JSON is none of ours."""
    keys = split_keys(reader.text("known", None), reader.where)
    known = _placed(keys)
    places = reader.integers("pending")
    if not all(0 <= place < len(keys) for place in places):
        raise CorruptState(f"{reader.where}: 'pending' names a message that is not among the {len(keys)} known ones")
    return BaseGraph(
        keys,
        tuple(keys[place] for place in places),
        tuple(node_from_json(item, keys) for item in reader.objects("nodes")),
        tuple(edge_from_json(item, number, known) for number, item in enumerate(reader.objects("edges"))),
        ledgers_from_json(reader, keys),
    )

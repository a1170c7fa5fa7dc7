"""`inspect`: what a state holds, and what is wrong with it."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import orjson

from st_bme.commands.state_file import read_state_file
from st_bme.graph.json_reader import JsonObject
from st_bme.graph.ranges import to_ranges
from st_bme.graph.records import record_to_json
from st_bme.graph.state import DecodedState
from st_bme.model.schema import is_presentable

_SHOWN_HUBS = 10


def run(arguments: argparse.Namespace) -> int:
    """Report on one state. Problems are a finding, not a failure."""
    path = Path(arguments.state)
    found = report(read_state_file(path), path.stat().st_size)
    if arguments.json:
        print(orjson.dumps(found).decode())
    else:
        _print(found)
    return 0


def report(state: DecodedState, size_bytes: int) -> JsonObject:
    """The findings as JSON."""
    nodes, edges = state.nodes.values(), state.edges.values()
    kinds = Counter(str(record_to_json(record)["kind"]) for record in state.records)
    return {
        "chat": state.chat,
        "lineage": state.lineage,
        "rev": state.rev,
        "bytes": size_bytes,
        "nodes": {
            "total": len(nodes),
            "active": sum(not node.archived for node in nodes),
            "archived": sum(node.archived for node in nodes),
            "by_type": _counts(Counter(node.type for node in nodes)),
        },
        "edges": {
            "total": len(edges),
            "current": sum(edge.is_current for edge in edges),
            "by_relation": _counts(Counter(edge.relation for edge in edges)),
        },
        "records": {"total": len(state.records), "is_complete": state.is_complete, "by_kind": _counts(kinds)},
        "covered": {"messages": len(state.known.keys), "floors": to_ranges(state.known.floors)},
        "most_connected": list(_most_connected(state)),
        "problems": list(_problems(state)),
    }


def _counts(counter: Counter[str]) -> JsonObject:
    return dict(counter.most_common())


def _most_connected(state: DecodedState) -> Iterator[JsonObject]:
    """Nodes by the number of relations that hold, equal ones by id."""
    degrees: Counter[str] = Counter()
    for edge in state.edges.values():
        if edge.is_current:
            degrees.update({edge.from_id, edge.to_id} & state.nodes.keys())
    for node_id in sorted(degrees, key=lambda node_id: (-degrees[node_id], node_id))[:_SHOWN_HUBS]:
        node = state.nodes[node_id]
        yield {"id": node_id, "type": node.type, "name": node.name, "edges": degrees[node_id]}


def _problems(state: DecodedState) -> Iterator[JsonObject]:
    for edge in state.edges.values():
        for end in (edge.from_id, edge.to_id):
            if end not in state.nodes:
                yield {"code": "dangling_edge", "id": edge.id, "detail": f"no node {end!r}"}
    for node in state.nodes.values():
        if not is_presentable(node.type):
            yield {"code": "unknown_type", "id": node.id, "detail": f"{node.type!r} is never recalled"}
        if not node.sources and not node.user_edited:
            yield {"code": "no_source", "id": node.id, "detail": "it comes from no message and is never recalled"}
        children = () if state.left_out else node.child_ids  # what is condensed is archived, and left first
        for other in filter(None, (node.parent_id, node.redirect, *children)):
            if other not in state.nodes:
                yield {"code": "dangling_node", "id": node.id, "detail": f"no node {other!r}"}


def _print(found: JsonObject) -> None:
    for name, value in found.items():
        if isinstance(value, list):
            print(f"{name}: {len(value)}")
            for entry in value:
                print("  " + "  ".join(str(part) for part in (entry.values() if isinstance(entry, dict) else [entry])))
        elif isinstance(value, dict):
            print(f"{name}: " + ", ".join(f"{key} {part}" for key, part in value.items()))
        else:
            print(f"{name}: {value}")

"""Our graph as a state of the original ST-BME, version 9, that it can import (docs/storage.md, rule 39)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import orjson

from st_bme.graph.codec import number_to_json
from st_bme.graph.json_reader import Json, JsonObject
from st_bme.graph.legacy_export_ledgers import export_ledgers, export_now, export_span, export_time
from st_bme.graph.legacy_import import NEWEST_VERSION
from st_bme.graph.memory_graph import MemoryGraph
from st_bme.graph.timeline import SPAN_TYPES
from st_bme.model.edge import Edge
from st_bme.model.node import Node
from st_bme.model.scope import Scope


@dataclass(frozen=True, slots=True)
class ExportPlace:
    """What the original's state says beside the graph.

    `floors` are those of the view, position by position. The graph knows no times, so `now_ms` stands for all.
    `evolved` tells of a node which others changed how it is understood, oldest first, each with the time.
    """

    chat: str
    floors: Sequence[int]
    last_processed: int
    now_ms: int
    access: Mapping[str, int] = field(default_factory=dict)
    last_recall: Sequence[str] = ()
    evolved: Mapping[str, Sequence[tuple[str, int]]] = field(default_factory=dict)


def export_original(graph: MemoryGraph, place: ExportPlace) -> str:
    """The graph as pretty JSON. Vectors, journals and message hashes are left empty: the original makes them anew."""
    state = _state(graph, place)
    return orjson.dumps(state, option=orjson.OPT_INDENT_2).decode()


def _state(graph: MemoryGraph, place: ExportPlace) -> JsonObject:
    first_floors: dict[str, int] = {}
    for key, floor in zip(graph.view, place.floors, strict=True):
        first_floors.setdefault(key, floor)
    chain = _chain(graph)
    last = place.last_processed
    return {
        "version": NEWEST_VERSION,
        "lastProcessedSeq": last,
        "nodes": [
            _node(node, first_floors, chain[node.id], place)
            | export_time(node.story_time, graph.ledgers, spans=node.type in SPAN_TYPES)
            for node in graph.nodes.values()
        ],
        "edges": [_edge(edge, place.now_ms) for edge in graph.edges.values()],
        "lastRecallResult": list(place.last_recall),
        "historyState": {
            "chatId": place.chat,
            "lastProcessedAssistantFloor": last,
            "extractionCount": 0,
            "processedMessageHashVersion": 2,
            "processedMessageHashes": {},
            "processedMessageHashesNeedRefresh": True,
            **export_now(graph.ledgers),
        },
        "vectorIndexState": {"dirty": True},
        "batchJournal": [],
        "maintenanceJournal": [],
        "summaryState": _summaries(graph, first_floors, place),
        **export_ledgers(graph.ledgers, place.now_ms),
    }


def _chain(graph: MemoryGraph) -> dict[str, tuple[str | None, str | None]]:
    """Previous and next of each node among the active ones of its type and scope, in fold order."""
    chain: dict[str, tuple[str | None, str | None]] = dict.fromkeys(graph.nodes, (None, None))
    newest: dict[tuple[str, str], str] = {}
    for node in graph.active_nodes():
        if node.level:
            continue
        kind = (node.type, node.scope.identity)
        before = newest.get(kind)
        if before is not None:
            chain[before] = (chain[before][0], node.id)
        chain[node.id] = (before, None)
        newest[kind] = node.id
    return chain


def _span(sources: Sequence[str], floors: Mapping[str, int]) -> tuple[int, int]:
    """First and last floor of these messages; the beginning for none."""
    found = [floors[key] for key in sources if key in floors] or [0]
    return min(found), max(found)


def _node(
    node: Node, floors: Mapping[str, int], neighbours: tuple[str | None, str | None], place: ExportPlace
) -> JsonObject:
    first, last = _span(node.sources, floors)
    fields: JsonObject = dict(node.fields)
    return {
        "id": node.id,
        "type": node.type,
        "level": node.level,
        "parentId": node.parent_id or None,
        "childIds": list(node.child_ids),
        "seq": last,
        "seqRange": [first, last],
        "archived": node.archived,
        "fields": fields,
        "embedding": None,
        "importance": number_to_json(node.importance),
        "accessCount": place.access.get(node.id, 0),
        "lastAccessTime": place.now_ms,
        "createdTime": place.now_ms,
        "updatedAt": place.now_ms,
        "prevId": neighbours[0],
        "nextId": neighbours[1],
        "clusters": list(node.clusters),
        "scope": _scope(node.scope),
        **_evolution(place.evolved.get(node.id, ())),
    }


def _evolution(changes: Sequence[tuple[str, int]]) -> JsonObject:
    history: list[Json] = [{"triggeredBy": by, "timestamp": time, "reason": ""} for by, time in changes]
    return {"_evolutionHistory": history} if history else {}


def _scope(scope: Scope) -> JsonObject:
    return {
        "layer": scope.layer,
        "ownerType": scope.owner_type,
        "ownerId": scope.owner_id,
        "ownerName": scope.owner_name,
        "regionPrimary": scope.region_primary,
        "regionPath": list(scope.region_path),
        "regionSecondary": list(scope.region_secondary),
    }


def _edge(edge: Edge, now_ms: int) -> JsonObject:
    return {
        "id": edge.id,
        "fromId": edge.from_id,
        "toId": edge.to_id,
        "relation": edge.relation,
        "strength": number_to_json(edge.strength),
        "edgeType": edge.edge_type,
        "createdTime": now_ms,
        "updatedAt": now_ms,
        "validAt": now_ms,
        "invalidAt": None if edge.is_current else now_ms,
        "expiredAt": None,
        "scope": _scope(edge.scope),
    }


def _summaries(graph: MemoryGraph, floors: Mapping[str, int], place: ExportPlace) -> JsonObject:
    entries: list[Json] = []
    for summary in graph.summaries.values():
        span: list[Json] = list(_span(summary.sources, floors))
        parts = [part.id for part in graph.summaries.values() if part.parent_id == summary.id]
        entries.append(
            {
                "id": summary.id,
                "level": summary.level,
                "kind": "rollup" if summary.level else "small",
                "status": "folded" if summary.archived else "active",
                "text": summary.name,
                "messageRange": span,
                "dialogueRange": span,
                "sourceSummaryIds": list(parts),
                "storyTimeSpan": export_span(summary.story_time, {}),
                "createdAt": place.now_ms,
                "updatedAt": place.now_ms,
            }
        )
    active: list[Json] = [summary.id for summary in graph.frontier()]
    return {
        "version": 1,
        "enabled": True,
        "entries": entries,
        "activeEntryIds": active,
        "lastSummarizedExtractionCount": 0,
        "lastSummarizedAssistantFloor": max((_span(s.sources, floors)[1] for s in graph.frontier()), default=-1),
    }

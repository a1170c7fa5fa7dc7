"""The graph as the page draws it: which memories are shown, and what is told of one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from st_bme.errors import NotFound
from st_bme.graph.memory_graph import MemoryGraph
from st_bme.model.edge import Edge
from st_bme.model.node import Node
from st_bme.model.schema import columns_of, is_presentable
from st_bme.protocol.drawn import Drawing, DrawnEdge, DrawnNode, Memory, Neighbour, Source
from st_bme.session.chat_session import ChatSession

SHOWN_LENGTH = 240
"""Characters of a source message: enough to know it again."""

_NAME_LENGTH = 120
_WEIGHT_OF_EDGES = 10.0
"""The most connected memory weighs as much as one of the highest importance."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What to draw: at most so many memories, of these types (none: of all), that say `query` ("": whatever)."""

    most: int
    query: str = ""
    types: frozenset[str] = frozenset()


def draw(graph: MemoryGraph, wanted: Wanted) -> Drawing:
    """The active memories that are wanted, the weightiest if there are too many, in fold order.

    Pinned ones weigh most, then importance and the number of relations count alike. What a query finds is shown with
    its neighbours, as far as there is room; it also finds what was put away, which weighs least.
    """
    active = {node.id: node for node in graph.active_nodes() if is_presentable(node.type)}
    edges = [edge for edge in graph.current_edges() if edge.from_id in active and edge.to_id in active]
    degrees = Counter(end for edge in edges for end in (edge.from_id, edge.to_id))
    most_edges = max(degrees.values(), default=1)

    def weight(node: Node) -> tuple[bool, bool, float]:
        return not node.archived, node.pinned, node.importance + _WEIGHT_OF_EDGES * degrees[node.id] / most_edges

    nodes = [node for node in graph.nodes.values() if is_presentable(node.type)] if wanted.query else active.values()
    chosen = [node for node in nodes if not wanted.types or node.type in wanted.types]
    found = [node for node in chosen if _says(node, wanted.query)]
    shown = {node.id for node in sorted(found, key=weight, reverse=True)[: wanted.most]}
    matched = frozenset(shown)
    if wanted.query:
        joined = _beside(edges, shown)
        beside = sorted((node for node in chosen if node.id in joined), key=weight, reverse=True)
        shown.update(node.id for node in beside[: wanted.most - len(shown)])
    return Drawing(
        nodes=[_drawn(node, degrees[node.id], node.id in matched) for node in chosen if node.id in shown],
        edges=[
            DrawnEdge(from_id=edge.from_id, to_id=edge.to_id, relation=edge.relation, strength=edge.strength)
            for edge in edges
            if edge.from_id in shown and edge.to_id in shown
        ],
        total=len(found),
        types=dict(Counter(node.type for node in active.values()).most_common()),
    )


def look(session: ChatSession, node_id: str) -> Memory:
    """All that is to be told of a memory. Raises: NotFound."""
    graph = session.graph
    node = graph.nodes.get(node_id)
    if node is None:
        raise NotFound(f"no memory {node_id!r} in this chat; it may have gone with its message")
    scope = node.scope
    return Memory(
        id=node.id,
        type=node.type,
        name=node.name,
        fields={key: node.fields[key] for key in columns_of(node.type, node.fields) if node.fields.get(key)},
        importance=node.importance,
        archived=node.archived,
        pinned=node.pinned,
        by_user=node.user_edited,
        time=node.story_time.label if node.story_time else "",
        place=" / ".join(scope.region_path) or scope.region_primary,
        owner=scope.owner_name,
        sources=_sources(session, node),
        neighbours=list(_neighbours(graph, node_id)),
    )


def _says(node: Node, query: str) -> bool:
    words = query.casefold()
    return not words or any(words in text.casefold() for text in (*node.fields.values(), *node.clusters))


def _beside(edges: Sequence[Edge], shown: Collection[str]) -> set[str]:
    """What a relation joins with something that is shown, and is not shown itself."""
    pairs = [(edge.from_id, edge.to_id) for edge in edges]
    return {other for one, other in (*pairs, *(pair[::-1] for pair in pairs)) if one in shown and other not in shown}


def _drawn(node: Node, edges: int, found: bool) -> DrawnNode:
    return DrawnNode(
        id=node.id,
        type=node.type,
        name=node.name[:_NAME_LENGTH],
        importance=node.importance,
        edges=edges,
        pinned=node.pinned,
        found=found,
        archived=node.archived,
    )


def _sources(session: ChatSession, node: Node) -> list[Source]:
    view, texts = session.view, session.log.texts
    wanted = set(node.sources)
    return [
        Source(floor=floor, name=name, text=texts.get(key, "")[:SHOWN_LENGTH])
        for key, floor, name in zip(view.keys, view.floors, view.names, strict=True)
        if key in wanted
    ]


def _neighbours(graph: MemoryGraph, node_id: str) -> list[Neighbour]:
    found = []
    for edge in graph.current_edges():
        if node_id in (edge.from_id, edge.to_id):
            outward = edge.from_id == node_id
            other = graph.nodes.get(edge.to_id if outward else edge.from_id)
            if other is not None and not other.archived:
                name, relation = other.name[:_NAME_LENGTH], edge.relation
                found.append(Neighbour(id=other.id, type=other.type, name=name, relation=relation, outward=outward))
    return found

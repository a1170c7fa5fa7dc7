"""What one chat takes over from another: its memories as operations of the user's."""

from __future__ import annotations

from collections.abc import Sequence

from st_bme.graph.memory_graph import MemoryGraph
from st_bme.model.node import Node
from st_bme.model.operation import Operation, Target
from st_bme.model.schema import is_presentable

MOST_CARRIED = 300
"""Memories that are taken over: a chat that begins with more would carry them in its file for ever."""


def carry(source: MemoryGraph, into: MemoryGraph, most: int = MOST_CARRIED) -> Sequence[Operation]:
    """The active memories of `source` and their relations as operations that make them anew.

    Left out is what `into` has word by word, so that taking over twice adds only what is new, and beyond `most` what
    matters least. Nothing is said of messages, who knows what, or the story's clock: those belong to the other chat.
    """
    known = {_words(node) for node in into.nodes.values()}
    chosen = [node for node in source.active_nodes() if is_presentable(node.type) and _words(node) not in known]
    weightiest = sorted(chosen, key=lambda node: (node.pinned, node.importance), reverse=True)[:most]
    kept = {node.id for node in weightiest}
    refs = {node.id: f"m{place}" for place, node in enumerate(node for node in chosen if node.id in kept)}
    made = [_create(node, refs[node.id]) for node in chosen if node.id in kept]
    links = [
        Operation(
            "link",
            target=Target(ref=refs[edge.from_id]),
            to=Target(ref=refs[edge.to_id]),
            relation=edge.relation,
            strength=edge.strength,
            scope=edge.scope,
        )
        for edge in source.current_edges()
        if edge.from_id in refs and edge.to_id in refs
    ]
    return [*made, *links]


def _create(node: Node, ref: str) -> Operation:
    return Operation(
        "create",
        type=node.type,
        fields=dict(node.fields),
        importance=node.importance,
        scope=node.scope,
        clusters=node.clusters,
        ref=ref,
    )


def _words(node: Node) -> tuple[str, str, tuple[tuple[str, str], ...]]:
    return node.type, node.scope.identity, tuple(sorted(node.fields.items()))

"""What of a base does not tell of messages that are gone (docs/storage.md, rule 36)."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from st_bme.graph.fold import fold
from st_bme.graph.records import Base, RecordSet
from st_bme.model.node import Node

# Stands for a message that is gone: no message has this key.
GONE = "--------"


def base_part(base: Base, identity: str, present: Collection[str]) -> Base:
    """The base as it shows where only these messages are there; it stands for the whole where that is missing."""
    known = tuple(key for key in base.known if key in present and key != GONE)
    shown = fold(known, RecordSet([replace(base, pending=())]))
    whole = {node.id: node for node in base.nodes}
    nodes = [_with_gaps(node, whole[node.id]) for node in (*shown.nodes.values(), *shown.summaries.values())]
    has_gaps = any(GONE in node.sources for node in nodes)
    return replace(
        base,
        known=(*known, GONE) if has_gaps else known,
        nodes=tuple(nodes),
        edges=tuple(replace(edge, id=f"edge{number}") for number, edge in enumerate(shown.edges.values())),
        pending=tuple(key for key in base.pending if key in present),
        part_of=base.part_of or identity,
        ledgers=shown.ledgers,
    )


def _with_gaps(shown: Node, whole: Node) -> Node:
    """What needs all sources of the node stays hidden if the part is all that there is."""
    return shown if len(shown.sources) == len(whole.sources) else replace(shown, sources=(*shown.sources, GONE))

"""What the user does to the graph by hand. Nodes are chosen by number, so that any number means something."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal, get_args

from st_bme.graph.memory_graph import MemoryGraph
from st_bme.model.node import Node
from st_bme.model.operation import Operation, Target

Deed = Literal["edit", "create", "merge", "link", "unlink", "pin", "unpin", "lock", "unlock", "archive", "wake"]
DEEDS: tuple[Deed, ...] = get_args(Deed)
ON_SUMMARIES: tuple[Deed, ...] = ("pin", "archive", "wake")


def by_hand(deed: Deed, graph: MemoryGraph, chosen: tuple[int, int], word: str) -> Operation | None:
    """The operation of a deed on one or two nodes; None where there is none to do it on."""
    if deed == "create":
        return Operation("create", type="rule", fields={"title": word})
    nodes = [*graph.nodes.values(), *(graph.summaries.values() if deed in ON_SUMMARIES else ())]
    if not nodes:
        return None
    node, other = (nodes[number % len(nodes)] for number in chosen)
    target, to = _target(node), _target(other)
    plain = Operation("update", target=target)
    match deed:
        case "edit":
            field = "status" if node.type == "event" else "state"
            return replace(plain, fields={field: word}, importance=9.0)
        case "unpin" | "unlock":
            return replace(plain, action="pin" if deed == "unpin" else "lock", flag=False)
        case "merge" | "link" | "unlink":
            return replace(plain, action=deed, to=to, relation="" if deed == "merge" else "related")
        case _:
            return replace(plain, action=deed)


def _target(node: Node) -> Target:
    """By id, and by identity where it has one: so the panel names it."""
    return Target(id=node.id, type=node.type, scope=node.scope, name=node.fields.get("name", ""))

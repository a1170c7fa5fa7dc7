"""Edges that operations make: links as they were told, causes of a change, and those between what a message made."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from st_bme.graph.fold_state import FoldState
from st_bme.graph.targets import Origin, find_target, missing
from st_bme.model.edge import DEFAULT_STRENGTH, INHIBITORY, Edge, as_relation
from st_bme.model.operation import Operation, Refusal

CAUSE_STRENGTH = 0.95
DEFAULT_EDGES_A_NODE = 2


def new_edge(start: str, end: str, relation: str, strength: float, source: str) -> Edge:
    """An edge without an id: it gets one when it is joined."""
    return Edge("", start, end, as_relation(relation), strength, source, _edge_type(relation))


def _edge_type(relation: str) -> int:
    return INHIBITORY if relation == "contradicts" else 0


def join_cause(state: FoldState, origin: Origin, identity: str, operation: Operation) -> None:
    """Join what brought a change about with what changed; its older edge of this kind ends."""
    cause = find_target(state, origin.record_id, operation.to) if operation.to else ""
    if not cause or cause == identity:
        return
    for older in state.incoming.get((identity, "temporal_update"), ()):
        if state.edges[older].from_id == cause:
            state.end(older, origin.ender)
    strength = CAUSE_STRENGTH if operation.strength is None else operation.strength
    state.join(new_edge(cause, identity, "temporal_update", strength, origin.source))


def apply_link(state: FoldState, origin: Origin, operation: Operation) -> Refusal | None:
    """Link or unlink two nodes; why not, if it cannot be."""
    start = find_target(state, origin.record_id, operation.target) if operation.target else ""
    end = find_target(state, origin.record_id, operation.to) if operation.to else ""
    if not start or not end:
        return missing(operation.to if start else operation.target)
    if operation.action == "unlink":
        return _unlink(state, origin, operation, (start, end))
    strength = DEFAULT_STRENGTH if operation.strength is None else operation.strength
    relation, kind = as_relation(operation.relation), _edge_type(operation.relation)
    if not state.join(Edge("", start, end, relation, strength, origin.source, kind, operation.scope)):
        return Refusal("self_link", "both ends of the link are one node")
    return None


def _unlink(state: FoldState, origin: Origin, operation: Operation, ends: tuple[str, str]) -> Refusal | None:
    """End what joins the two by this relation, in either direction."""
    relation, scope = as_relation(operation.relation), operation.scope.identity
    present = {state.current_edges.get((*pair, relation, scope), "") for pair in (ends, ends[::-1])} - {""}
    for identity in sorted(present):
        state.end(identity, origin.ender)
    return None if present else Refusal("edge_missing", f"no edge {relation!r} joins the two at this place")


def join_parents(state: FoldState, condensed: Sequence[str]) -> None:
    """Join what now stands for these nodes with what they are joined with, except among themselves."""
    if not condensed:
        return
    stands_for = {identity: state.nodes[identity].parent_id or identity for identity in condensed}
    for edge in state.edges_at(condensed):
        start, end = stands_for.get(edge.from_id, edge.from_id), stands_for.get(edge.to_id, edge.to_id)
        if (start, end) != (edge.from_id, edge.to_id):
            state.join(Edge("", start, end, edge.relation, edge.strength, edge.source, edge.edge_type, edge.scope))


def parted(state: FoldState, record_id: str, operations: Sequence[tuple[int, Operation]]) -> set[frozenset[str]]:
    """The pairs whose links these operations end."""
    ends = [(operation.target, operation.to) for _, operation in operations if operation.action == "unlink"]
    return {frozenset(find_target(state, record_id, end) if end else "" for end in pair) for pair in ends}


def join_touched(state: FoldState, origin: Origin, touched: Sequence[str], apart: Collection[frozenset[str]]) -> None:
    """Join what one message made, nearest first, at most two default edges a node, where nothing joins them yet.

    What the message itself said to be `apart` it does not join again.
    """
    joined = dict.fromkeys(touched, 0)
    for distance in range(1, len(touched)):
        for first, second in zip(touched, touched[distance:], strict=False):
            full = max(joined[first], joined[second]) >= DEFAULT_EDGES_A_NODE
            if full or (apart and frozenset((first, second)) in apart):
                continue
            if state.are_joined(state.follow(first), state.follow(second)):
                continue
            if state.join(new_edge(first, second, "related", origin.related, origin.source)):
                joined[first] += 1
                joined[second] += 1

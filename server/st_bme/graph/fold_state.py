"""The graph while it is folded: immutable nodes and edges in tables that grow along the walk."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from st_bme.graph.ids import digest, edge_id, fields_text, fold_name
from st_bme.graph.ledgers import KnowledgeKey, RegionKey
from st_bme.model.edge import Edge
from st_bme.model.ledger import Knowledge, RegionFact, Variable
from st_bme.model.node import Node
from st_bme.model.operation import Refusal
from st_bme.model.schema import STORY_TYPES, SUMMARY
from st_bme.model.scope import Scope
from st_bme.model.story_time import Segment

NameKey = tuple[str, str, str]
"""(type, scope identity, folded name): what a node of a latest-only type is known by."""

EdgeKey = tuple[str, str, str, str]
"""(from, to, relation, scope identity)."""

_MAX_REDIRECTS = 32


@dataclass(frozen=True, slots=True)
class Drop:
    """An operation without effect: which record, which operation of it, and why."""

    record_id: str
    index: int
    refusal: Refusal


def name_key(node_type: str, scope: Scope, name: str) -> NameKey:
    return (node_type, scope.identity, fold_name(name))


def is_latest_only(node_type: str) -> bool:
    return node_type in STORY_TYPES and STORY_TYPES[node_type].latest_only


def node_digest(node: Node) -> str:
    """What upkeep remembers of a node that it read: type, fields and whether it is archived."""
    return digest("node", node.type, fields_text(node.fields), str(node.archived))


def _pair(first: str, second: str) -> tuple[str, str]:
    return (first, second) if first < second else (second, first)


class FoldState:
    """Tables of one fold. A copy shares the immutable nodes and edges."""

    def __init__(self) -> None:
        self.nodes: dict[str, Node] = {}
        self.edges: dict[str, Edge] = {}
        self.names: dict[NameKey, str] = {}
        self.creations: dict[str, str] = {}
        self.refs: dict[tuple[str, str], str] = {}
        self.current_edges: dict[EdgeKey, str] = {}
        self.touching: dict[str, tuple[tuple[int, str], ...]] = {}  # edges by each end, behind their number
        self.edge_counts: dict[EdgeKey, int] = {}
        self.joined: dict[tuple[str, str], int] = {}
        self.incoming: dict[tuple[str, str], tuple[str, ...]] = {}
        self.change_counts: dict[tuple[str, str], int] = {}
        self.made_counts: dict[str, int] = {}
        self.base_seen: set[str] = set()
        self.base_sources: dict[tuple[str, str], int] = {}
        self.base_waiting: dict[str, tuple[Node | Edge, ...]] = {}
        self.active = 0
        self.segments: dict[str, Segment] = {}
        self.segment_names: dict[str, str] = {}
        self.last_order = 0
        self.now = ""
        self.knowledge: dict[KnowledgeKey, Knowledge] = {}
        self.regions: dict[RegionKey, RegionFact] = {}
        self.variables: dict[str, Variable] = {}
        self.drops: list[Drop] = []
        self.live: list[str] = []
        self.withheld: list[str] = []
        # User records with what they miss; upkeep records by a node that is not as they read it; those to try again.
        self.waiting: dict[str, tuple[Drop, ...]] = {}
        self.asleep: dict[str, tuple[str, ...]] = {}
        self.roused: list[str] = []

    def copy(self) -> FoldState:
        """A shallow copy to go on from later."""
        twin = FoldState()
        for name, value in vars(self).items():
            setattr(twin, name, value if isinstance(value, int | str) else value.copy())
        return twin

    def put(self, node: Node) -> None:
        """Add or replace a node and keep the tables of names and counts true."""
        before = self.nodes.get(node.id)
        if node.type != SUMMARY:
            self.active += int(not node.archived) - int(before is not None and not before.archived)
        self.nodes[node.id] = node
        if node.id in self.asleep:
            self.roused.extend(self.asleep.pop(node.id))
        if is_latest_only(node.type):
            for name in (node.fields.get("name", ""), *node.former_names):
                if name:
                    self.names.setdefault(name_key(node.type, node.scope, name), node.id)

    def follow(self, node_id: str) -> str:
        """The node that stands for this one now: itself, or what it was merged into."""
        for _ in range(_MAX_REDIRECTS):
            node = self.nodes.get(node_id)
            if node is None or not node.redirect:
                return node_id
            node_id = node.redirect
        return node_id

    def join(self, edge: Edge) -> bool:
        """Add an edge; a current one of the same ends, relation and scope gets the higher strength instead.

        False where an end is missing or both ends are one node.
        """
        start, end = self.follow(edge.from_id), self.follow(edge.to_id)
        if start == end or start not in self.nodes or end not in self.nodes:
            return False
        key = (start, end, edge.relation, edge.scope.identity)
        present = self.current_edges.get(key)
        if present is not None:
            old = self.edges[present]
            if edge.strength > old.strength:
                self.edges[present] = replace(old, strength=edge.strength)
            return True
        number = self.edge_counts.get(key, 0)
        self.edge_counts[key] = number + 1
        identity = edge_id(start, end, edge.relation, edge.scope, number)
        kept = (edge.relation, edge.strength, edge.source, edge.edge_type, edge.scope)
        self.edges[identity] = Edge(identity, start, end, *kept)
        self.current_edges[key] = identity
        pair = _pair(start, end)
        self.joined[pair] = self.joined.get(pair, 0) + 1
        into = (end, edge.relation)
        self.incoming[into] = (*self.incoming.get(into, ()), identity)
        for node_id in (start, end):
            self.touching[node_id] = (*self.touching.get(node_id, ()), (len(self.edges), identity))
        return True

    def edges_at(self, node_ids: Iterable[str]) -> list[Edge]:
        """The current edges that touch one of these nodes, in the order in which they were made."""
        found = {entry for node_id in node_ids for entry in self.touching.get(node_id, ())}
        return [edge for _, identity in sorted(found) if (edge := self.edges[identity]).is_current]

    def end(self, identity: str, source: str) -> None:
        """End a current edge; it stays as history."""
        edge = self.edges[identity]
        self.edges[identity] = replace(edge, ended=source)
        self.current_edges.pop((edge.from_id, edge.to_id, edge.relation, edge.scope.identity))
        self.joined[_pair(edge.from_id, edge.to_id)] -= 1
        into = (edge.to_id, edge.relation)
        self.incoming[into] = tuple(other for other in self.incoming[into] if other != identity)

    def are_joined(self, first: str, second: str) -> bool:
        """True if a current edge joins the two, in either direction."""
        return self.joined.get(_pair(first, second), 0) > 0

"""Where the fold answers otherwise than the original ST-BME on purpose, and what it then answers.

`our_graph` says in a few lines what an answer in one of these forms is to become, apart from the code that is checked.
"""

import unicodedata
from typing import Any

LAST = 6
_COLUMNS = {
    "event": ("title", "summary", "participants", "status"),
    "character": ("name", "traits", "state", "goal", "inventory", "core_note"),
    "location": ("name", "state", "features", "danger"),
    "rule": ("title", "constraint", "scope", "status"),
    "thread": ("title", "summary", "status"),
    "reflection": ("insight", "trigger", "suggestion"),
    "pov_memory": ("summary", "belief", "emotion", "attitude", "certainty", "about"),
}
_CONTAINERS = ("operations", "nodes", "items", "entries", "memories", "results", "data", "memory_operations", "actions")
_NAMED = ("character", "location")
_RELATIONS = (
    "related",
    "involved_in",
    "occurred_at",
    "advances",
    "updates",
    "contradicts",
    "evolves",
    "temporal_update",
)
_SHOWN_CHANGES = 3


def is_in_another_form(given: Any) -> bool:
    """A bare list, a single operation, or a list under another key."""
    return bool(_operations(given)) and not (isinstance(given, dict) and isinstance(given.get("operations"), list))


def has_columns_beside_fields(given: Any) -> bool:
    return any("fields" not in said and _loose(said) for said in _operations(given))


def links_an_update(given: Any) -> bool:
    return any(_action(said) == "update" and said.get("links") for said in _operations(given))


def changes_several_fields(given: Any) -> bool:
    return any(_action(said) == "update" and len(_fields(said)) > 1 for said in _operations(given))


def tells_a_point_of_view(given: Any) -> bool:
    """Of someone: without an owner it is nobody's, and refused."""
    return any(said.get("type") == "pov_memory" and _owner(said) for said in _operations(given))


def _owner(said: dict[str, Any]) -> str:
    scope = said.get("scope")
    return scope.get("ownerName", "") if isinstance(scope, dict) else ""


def creates_a_known_name(given: Any) -> bool:
    known = {_folded(name) for name in ("艾琳", "钟楼")}
    return any(
        _action(said) == "create" and said.get("type") in _NAMED and _folded(_fields(said).get("name", "")) in known
        for said in _operations(given)
    )


def our_graph(given: Any, recorded: dict[str, Any]) -> dict[str, Any]:
    """The graph that the answer makes out of the one that was there."""
    building = _Building([node for node in recorded["nodes"] if not node["id"].startswith("new")])
    for said in _operations(given):
        building.take(said)
    return building.graph()


def _operations(given: Any) -> list[dict[str, Any]]:
    if isinstance(given, dict):
        listed = next((given[key] for key in _CONTAINERS if isinstance(given.get(key), list)), None)
        given = [given] if listed is None and given.get("type") else listed or []
    return [said for said in given or [] if isinstance(said, dict)]


def _action(said: dict[str, Any]) -> str:
    word = said.get("action") or said.get("op") or said.get("operation")
    return str(word).lower() if word else "update" if said.get("nodeId") else "create"


def _loose(said: dict[str, Any]) -> dict[str, Any]:
    columns = _COLUMNS.get(said.get("type", ""), ())
    return {name: said[name] for name in columns if isinstance(said.get(name), str)}


def _fields(said: dict[str, Any]) -> dict[str, Any]:
    return said["fields"] if isinstance(said.get("fields"), dict) else _loose(said)


def _folded(name: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())


class _Building:
    """The graph while the operations of an answer are taken one by one; links come last."""

    def __init__(self, nodes: list[dict[str, Any]]) -> None:
        self.nodes = [_as_it_was(node) for node in nodes]
        self.edges: list[dict[str, Any]] = []
        self.refs = {node["id"]: node for node in self.nodes}
        self.links: list[tuple[dict[str, Any], dict[str, Any]]] = []

    def take(self, said: dict[str, Any]) -> None:
        node = self.refs.get(said.get("nodeId", ""))
        match _action(said):
            case "create":
                node = self._create(said)
            case "update" if node:
                self._update(node, said)
            case "delete" if node:
                node["archived"] = True
        links = said.get("links") or said.get("edges") or []
        self.links += [(node, link) for link in links if node]

    def _create(self, said: dict[str, Any]) -> dict[str, Any] | None:
        fields, node_type = _fields(said), said.get("type", "")
        if node_type not in _COLUMNS or (node_type == "pov_memory" and not _owner(said)):
            return None
        name = _folded(fields.get("name", ""))
        same = [
            node for node in self.nodes if node["type"] == node_type and _folded(node["fields"].get("name", "")) == name
        ]
        if node_type in _NAMED and name and same:
            self._update(same[0], {**said, "fields": {key: value for key, value in fields.items() if key != "name"}})
            node = same[0]
        else:
            node = self._add(node_type, fields, min(max(said.get("importance", 5), 0), 10), said.get("clusters", []))
        for ref in (said.get("ref"), said.get("id")):
            if ref:
                self.refs.setdefault(ref, node)
        return node

    def _add(self, node_type: str, fields: dict[str, Any], importance: float, clusters: list[str]) -> dict[str, Any]:
        number = sum(node["id"].startswith("new") for node in self.nodes) + 1
        node = {"id": f"new{number}", "type": node_type, "fields": fields, "seq": LAST, "seqRange": [LAST, LAST]}
        node |= {"importance": importance, "archived": False, "clusters": clusters}
        self.nodes.append(node)
        return node

    def _update(self, node: dict[str, Any], said: dict[str, Any]) -> None:
        before, after = node["fields"], _fields(said)
        changes = sorted(name for name, value in after.items() if before.get(name, "") != value)
        node |= {"fields": before | after, "seq": LAST, "seqRange": [node["seqRange"][0], LAST]}
        if not changes:
            return
        for edge in self.edges:
            edge["active"] &= edge["relation"] != "updates" or edge["to"] != node["id"]
        told = [[name, before.get(name, ""), after[name]] for name in changes[:_SHOWN_CHANGES]]
        importance = min(max(said.get("importance", node["importance"]), 4), 8)
        event = self._add("event", {"changes": told, "participants": before["name"]}, importance, [])
        self._join(event, node, "updates", 0.9)

    def _join(self, start: dict[str, Any], end: dict[str, Any], relation: str, strength: float) -> None:
        kind = 255 if relation == "contradicts" else 0
        ends = {"from": start["id"], "to": end["id"], "relation": relation}
        self.edges.append(ends | {"strength": strength, "edgeType": kind, "active": True})

    def graph(self) -> dict[str, Any]:
        for node, link in self.links:
            end = self.refs.get(link.get("targetRef") or link.get("targetNodeId") or "")
            relation = link.get("relation", "related")
            if end is not None and end is not node:
                strength = min(max(link.get("strength", 0.8), 0), 1)
                self._join(node, end, relation if relation in _RELATIONS else "related", strength)
        edges = sorted(self.edges, key=lambda edge: (edge["from"], edge["to"], edge["relation"]))
        return {"success": True, "lastProcessedSeq": LAST, "nodes": self.nodes, "edges": edges}


def _as_it_was(node: dict[str, Any]) -> dict[str, Any]:
    """A node of the fixture without what the recorded answer did to it."""
    told = {
        "char-1": {"name": "艾琳", "state": "平静"},
        "loc-1": {"name": "钟楼", "state": "开放"},
        "evt-0": {"summary": "旧事件", "status": "ongoing"},
    }
    return {**node, "seq": 1, "seqRange": [1, 1], "archived": False, "fields": told[node["id"]]}

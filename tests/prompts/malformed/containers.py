"""Answers whose operations stand where, or are named as, nobody asked for: all of them are right."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from prompts.malformed.case import Case, compact, pretty
from prompts.malformed.stories import MILL, PLAIN, TOWER

NAMES = (
    "operations",
    "nodes",
    "items",
    "entries",
    "memories",
    "results",
    "data",
    "memory_operations",
    "actions",
    "output",
    "extracted",
    "extractions",
    "memory_nodes",
    "ops",
    "Operations",
    "memoryOperations",
    "changes",
    "updates",
    "节点",
)

SHAPES: Mapping[str, object] = {
    "bare list": list(TOWER),
    "list in a list": [list(TOWER)],
    "answer in an answer": {"response": {"operations": list(TOWER)}},
    "three deep": {"status": "ok", "data": {"result": {"operations": list(TOWER)}}},
    "answer in a list": [{"operations": list(TOWER)}],
    "beside other lists": {"tags": ["a", "b"], "scores": [1, 2], "operations": list(TOWER)},
    "beside an empty container": {"nodes": [], "operations": list(TOWER)},
    "in the second container": {"operations": [], "memories": list(TOWER)},
    "by number": {"operations": {"0": TOWER[0], "1": TOWER[1]}},
    "by name": {"operations": {"door": TOWER[0], "case": TOWER[1]}},
    "as text": {"operations": compact(list(TOWER))},
    "each as text": {"operations": [compact(each) for each in TOWER]},
    "with words between": {"operations": ["first:", TOWER[0], "then:", TOWER[1], None]},
    "with empty objects between": {"operations": [{}, TOWER[0], {}, TOWER[1]]},
    "by action": {
        "create": [{key: value for key, value in each.items() if key != "action"} for each in TOWER],
    },
    "by type": {
        "events": [{k: v for k, v in TOWER[0].items() if k not in ("action", "type")}],
        "thread": [{k: v for k, v in TOWER[1].items() if k not in ("action", "type")}],
    },
    "in a content block": [{"type": "text", "text": compact({"operations": list(TOWER)})}],
    "in candidates": {"candidates": [{"content": {"parts": [{"text": compact({"operations": list(TOWER)})}]}}]},
    "tagged by action": {
        "operations": [{"create": {k: v for k, v in each.items() if k != "action"}} for each in TOWER]
    },
    "wrapped one by one": {"operations": [{"operation": dict(each)} for each in TOWER]},
}

ONE = PLAIN[0]
FLAT = {"action": "create", "type": "event", "summary": "Iris sold the boat", "importance": 5, "cite": "#4"}

ALIASES: Mapping[str, Mapping[str, object]] = {
    "one instead of a list": {"operations": ONE},
    "one alone": ONE,
    "op": {"operations": [{"op": "create", **{k: v for k, v in ONE.items() if k != "action"}}]},
    "operation": {"operations": [{"operation": "create", **{k: v for k, v in ONE.items() if k != "action"}}]},
    "action in capitals": {"operations": [{**ONE, "action": "CREATE"}]},
    "add": {"operations": [{**ONE, "action": "add"}]},
    "insert": {"operations": [{**ONE, "action": "insert"}]},
    "create_node": {"operations": [{**ONE, "action": "create_node"}]},
    "no action": {"operations": [{k: v for k, v in ONE.items() if k != "action"}]},
    "type in capitals": {"operations": [{**ONE, "type": "EVENT"}]},
    "type with blanks": {"operations": [{**ONE, "type": " Event "}]},
    "node_type": {"operations": [{"node_type": "event", **{k: v for k, v in ONE.items() if k != "type"}}]},
    "nodeType": {"operations": [{"nodeType": "event", **{k: v for k, v in ONE.items() if k != "type"}}]},
    "flat fields": {"operations": [FLAT]},
    "content": {"operations": [{**{k: v for k, v in FLAT.items() if k != "summary"}, "content": "Iris sold the boat"}]},
    "description in fields": {"operations": [{**ONE, "fields": {"description": "Iris sold the boat"}}]},
    "properties": {"operations": [{"properties": ONE["fields"], **{k: v for k, v in ONE.items() if k != "fields"}}]},
    "attributes": {"operations": [{"attributes": ONE["fields"], **{k: v for k, v in ONE.items() if k != "fields"}}]},
    "fields as a list": {
        "operations": [{**ONE, "fields": [{"name": "summary", "value": "Iris sold the boat"}]}],
    },
    "fields as one text": {"operations": [{**ONE, "fields": "Iris sold the boat"}]},
    "fields packed into a text": {"operations": [{**ONE, "fields": compact(ONE["fields"])}]},
    "importance as text": {"operations": [{**ONE, "importance": "5"}]},
    "importance as a share": {"operations": [{**ONE, "importance": "5/10"}]},
    "cite as a number": {"operations": [{**ONE, "cite": 4}]},
    "cite as a list": {"operations": [{**ONE, "cite": ["#4"]}]},
    "floor": {"operations": [{"floor": 4, **{k: v for k, v in ONE.items() if k != "cite"}}]},
    "source_message": {"operations": [{"source_message": "#4", **{k: v for k, v in ONE.items() if k != "cite"}}]},
    "nulls": {"operations": [{**ONE, "nodeId": None, "links": None, "scope": None, "clusters": None, "ref": None}]},
    "empty extras": {"operations": [{**ONE, "nodeId": "", "links": [], "scope": {}, "clusters": [], "storyTime": {}}]},
    "unknown keys": {"operations": [{**ONE, "confidence": "high", "reasoning": "they said so"}]},
}

UPDATE = PLAIN[1]
UPDATES: Mapping[str, Mapping[str, object]] = {
    "node_id": {"operations": [{"action": "update", "node_id": "N1", "fields": {"state": "tired"}, "cite": "#5"}]},
    "targetNodeId": {
        "operations": [{"action": "update", "targetNodeId": "N1", "fields": {"state": "tired"}, "cite": "#5"}]
    },
    "target": {"operations": [{"action": "update", "target": "N1", "fields": {"state": "tired"}, "cite": "#5"}]},
    "id": {"operations": [{"action": "update", "id": "N1", "fields": {"state": "tired"}, "cite": "#5"}]},
    "id in brackets": {"operations": [{**UPDATE, "nodeId": "[N1]"}]},
    "id in small letters": {"operations": [{**UPDATE, "nodeId": "n1"}]},
    "id with its type": {"operations": [{**UPDATE, "nodeId": "N1 [character]"}]},
    "modify": {"operations": [{**UPDATE, "action": "modify"}]},
    "no action but an id": {
        "operations": [{"type": "character", "nodeId": "N1", "fields": {"state": "tired"}, "cite": "#5"}]
    },
    "flat fields": {"operations": [{"action": "update", "nodeId": "N1", "state": "tired", "cite": "#5"}]},
    "updates": {"operations": [{"action": "update", "nodeId": "N1", "updates": {"state": "tired"}, "cite": "#5"}]},
    "changes": {"operations": [{"action": "update", "nodeId": "N1", "changes": {"state": "tired"}, "cite": "#5"}]},
}

LINK = MILL[0]
LINKS: Mapping[str, object] = {
    "relations": {"relations": LINK["links"]},
    "edges": {"edges": LINK["links"]},
    "connections": {"connections": LINK["links"]},
    "targetNodeId": {"links": [{"targetNodeId": "N1", "relation": "involved_in", "strength": 0.9}]},
    "to": {"links": [{"to": "N1", "type": "involved_in", "strength": "0.9"}]},
    "one instead of a list": {"links": {"target": "N1", "relation": "involved_in", "strength": 0.9}},
    "relation in capitals": {"links": [{"target": "N1", "relation": "INVOLVED_IN", "strength": 0.9}]},
    "relation with a blank": {"links": [{"target": "N1", "relation": "involved in", "strength": 0.9}]},
    "packed into a text": {"links": compact([{"target": "N1", "relation": "involved_in", "strength": 0.9}])},
    "weight": {"links": [{"target": "N1", "relation": "involved_in", "weight": 0.9}]},
}


def cases() -> Iterator[Case]:
    for name in NAMES:
        yield Case(f"container: {name}", compact({"thought": "x", name: list(MILL)}), MILL)
    for name, shape in SHAPES.items():
        yield Case(f"shape: {name}", pretty(shape), TOWER)
    for name, value in ALIASES.items():
        yield Case(f"alias: {name}", compact(value), [ONE])
    for name, value in UPDATES.items():
        yield Case(f"update: {name}", compact(value), [UPDATE])
    without = {key: value for key, value in LINK.items() if key != "links"}
    for name, links in LINKS.items():
        assert isinstance(links, dict)
        yield Case(f"link: {name}", compact({"operations": [{**without, **links}]}), [LINK])

"""Answers that ask for what must not be done. `right` is what of them may stand; the rest is refused with a reason."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence

from prompts.malformed.case import Case, Operation, compact
from prompts.malformed.stories import PLAIN

GOOD = {**PLAIN[0], "ref": "boat"}
LONG = "x" * 50_000
HUGE = 10**400  # more than a float holds
DEEP = json.loads("[" * 400 + "]" * 400)

BAD: Mapping[str, object] = {
    "an unknown action": {"action": "drop_all", "cite": "#4"},
    "an action of the user": {"action": "pin", "nodeId": "N1"},
    "an action of upkeep": {"action": "merge", "nodeId": "N1", "target": "N2"},
    "an action that is an object": {"action": {"$ne": 1}, "type": "event", "nodeId": "N1"},
    "an unknown type": {"action": "create", "type": "system_prompt", "fields": {"summary": "obey"}},
    "a type that is a list": {"action": "create", "type": ["event", "rule"], "fields": {"summary": "x"}},
    "a type of upkeep": {"action": "create", "type": "summary", "fields": {"summary": "x"}},
    "a prototype as a type": {"action": "create", "type": "__proto__", "fields": {"polluted": "yes"}},
    "no field": {"action": "create", "type": "event"},
    "empty fields": {"action": "create", "type": "event", "fields": {"summary": "   "}},
    "fields that are no texts": {"action": "create", "type": "event", "fields": {"summary": None}},
    "an id that was not shown": {"action": "update", "nodeId": "N99", "fields": {"state": "x"}},
    "an id from inside": {"action": "delete", "nodeId": "id-duel"},
    "an id that is a path": {"action": "delete", "nodeId": "../../N1"},
    "an id that is a pattern": {"action": "delete", "nodeId": "*"},
    "an id that is a list": {"action": "delete", "nodeId": ["N1", "N2"]},
    "a delete without an id": {"action": "delete"},
    "a delete by type": {"action": "delete", "type": "event"},
    "an update of nothing": {"action": "update", "nodeId": "N1"},
    "a view without an owner": {"action": "create", "type": "pov_memory", "fields": {"summary": "x"}},
    "a number": 7,
    "a text": "delete everything",
    "a list": ["delete", "N1"],
    "a nested list": [[[["N1"]]]],
    "skipped": {"action": "_skip"},
}

HARMLESS: Mapping[str, tuple[object, Operation]] = {
    "keys of prototypes": ({**GOOD, "__proto__": {"admin": True}, "constructor": {"name": "x"}}, GOOD),
    "a huge importance": ({**GOOD, "importance": 1e300}, {**GOOD, "importance": 10}),
    "a negative importance": ({**GOOD, "importance": -1e300}, {**GOOD, "importance": 0}),
    "a text as importance": ({**GOOD, "importance": "very"}, {k: v for k, v in GOOD.items() if k != "importance"}),
    "a link to a stranger": ({**GOOD, "links": [{"target": "N77", "relation": "related"}]}, GOOD),
    "a link to nothing": ({**GOOD, "links": [{}, None, 7, "", []]}, GOOD),
    "a citation of elsewhere": ({**GOOD, "cite": "#9999999999"}, {k: v for k, v in GOOD.items() if k != "cite"}),
    "a scope that is a text": ({**GOOD, "scope": "pov:everyone"}, GOOD),
    "an owner of an event": ({**GOOD, "scope": {"layer": "pov", "ownerType": "user", "ownerName": "Sam"}}, GOOD),
    "a story time that is a list": ({**GOOD, "storyTime": [1, 2]}, GOOD),
    "a number no float holds": ({**GOOD, "importance": HUGE}, {k: v for k, v in GOOD.items() if k != "importance"}),
    "such a number in a field": (
        {**GOOD, "fields": {"summary": HUGE}},
        {**GOOD, "fields": {"summary": str(HUGE)}},
    ),
    "such a number as a citation": ({**GOOD, "cite": HUGE}, {k: v for k, v in GOOD.items() if k != "cite"}),
    "a field hundreds of levels deep": ({**GOOD, "fields": {**GOOD["fields"], "participants": DEEP}}, GOOD),
    "links hundreds of levels deep": ({**GOOD, "links": DEEP}, GOOD),
    "tags hundreds of levels deep": ({**GOOD, "clusters": DEEP}, GOOD),
    "fields packed hundreds of levels deep": ({**GOOD, "fields": compact({**GOOD["fields"], "a": DEEP})}, GOOD),
    "a sequence number": ({**GOOD, "seq": 10**30, "archived": True, "id": "N1"}, GOOD),
    "a text too long": (
        {**GOOD, "fields": {"summary": LONG}},
        {**GOOD, "fields": {"summary": LONG[:2_000]}},
    ),
    "half a character": ({**GOOD, "fields": {"summary": "a\ud800b"}}, {**GOOD, "fields": {"summary": "a\ufffdb"}}),
}

MANY: Mapping[str, tuple[Sequence[Operation], Sequence[Operation]]] = {
    "a thousand operations": (
        [{**GOOD, "fields": {"summary": f"Iris sold boat {number}"}} for number in range(1_000)],
        [{**GOOD, "fields": {"summary": f"Iris sold boat {number}"}} for number in range(30)],
    ),
}


def cases() -> Iterator[Case]:
    for name, bad in BAD.items():
        yield Case(f"hostile: {name}", compact({"operations": [bad, GOOD]}), [GOOD])
    for name, (said, right) in HARMLESS.items():
        yield Case(f"hostile: {name}", _as_json(said), [right])
    for name, (said, right) in MANY.items():
        yield Case(f"hostile: {name}", compact({"operations": said}), right)


def _as_json(operation: object) -> str:
    return compact({"operations": [operation]}).replace("\ud800", "\\ud800")

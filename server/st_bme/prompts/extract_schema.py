"""The JSON schema of an extraction answer, for endpoints that hold a model to one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import get_args

from st_bme.model.edge import RELATIONS
from st_bme.model.schema import NodeType
from st_bme.model.story_time import Confidence, Tense, TimeRelation
from st_bme.ports import Asking

Schema = Mapping[str, object]

_TEXT: Schema = {"type": "string"}
_NUMBER: Schema = {"type": "number"}
_FLAG: Schema = {"type": "boolean"}
_TEXTS: Schema = {"type": "array", "items": _TEXT}
_TEXT_MAP: Schema = {"type": "object", "additionalProperties": _TEXT}
_STORY_TIME: Schema = {
    "label": _TEXT,
    "tense": {"type": "string", "enum": list(get_args(Tense))},
    "relation": {"type": "string", "enum": list(get_args(TimeRelation))},
    "anchorLabel": _TEXT,
    "confidence": {"type": "string", "enum": list(get_args(Confidence))},
}


def answer_schema(types: Mapping[str, NodeType], asking: Asking) -> Schema:
    """The form of an answer; what is switched off has no place in it."""
    beside: dict[str, object] = {"thought": _TEXT, "has_key_information": _FLAG}
    if asking.has_story_time:
        beside["batchStoryTime"] = _object({"cite": _TEXT, **_STORY_TIME, "advancesActiveTimeline": _FLAG}, ["label"])
    if asking.has_cognition:
        owner_type = {"type": "string", "enum": ["character", "user"]}
        owner = {"cite": _TEXT, "ownerType": owner_type, "ownerName": _TEXT}
        update = _object({**owner, "knownRefs": _TEXTS, "mistakenRefs": _TEXTS}, ["ownerName"])
        beside["cognitionUpdates"] = {"type": "array", "items": update}
    if asking.has_adjacency:
        region = _object({"region": _TEXT, "adjacent": _TEXTS}, ["region", "adjacent"])
        regions = {"cite": _TEXT, "activeRegionHint": _TEXT, "adjacency": {"type": "array", "items": region}}
        beside["regionUpdates"] = _object(regions)
    beside["variables"] = _TEXT_MAP
    operations = {"type": "array", "items": _operation(types, asking)}
    return _object({**beside, "operations": operations}, ["operations"])


def _operation(types: Mapping[str, NodeType], asking: Asking) -> Schema:
    relation = {"type": "string", "enum": list(RELATIONS)}
    link = _object({"target": _TEXT, "relation": relation, "strength": _NUMBER}, ["target", "relation"])
    properties: dict[str, object] = {
        "action": {"type": "string", "enum": ["create", "update", "delete"]},
        "type": {"type": "string", "enum": list(types)},
        "nodeId": _TEXT,
        "ref": _TEXT,
        "cite": _TEXT,
        "fields": _TEXT_MAP,
        "importance": _NUMBER,
        "links": {"type": "array", "items": link},
    }
    if asking.has_scopes or asking.has_pov:
        owner = {"layer": {"type": "string", "enum": ["objective", "pov"]}, "ownerType": _TEXT, "ownerName": _TEXT}
        place = {"regionPrimary": _TEXT, "regionPath": _TEXTS}
        properties["scope"] = _object((owner if asking.has_pov else {}) | (place if asking.has_scopes else {}))
    if asking.has_story_time:
        properties["storyTime"] = _object(_STORY_TIME, ["label"])
    return _object(properties, ["action", "cite"])


def _object(properties: Mapping[str, object], required: list[str] | None = None) -> Schema:
    return {"type": "object", "properties": dict(properties)} | ({"required": required} if required else {})

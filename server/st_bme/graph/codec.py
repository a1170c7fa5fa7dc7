"""Nodes and edges as they stand in the state (version 10), and back. Field names are the original ST-BME's.

Only what differs from the default is written. Messages are named by their place in `known`.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast, get_args

from st_bme.errors import CorruptState
from st_bme.graph.json_reader import Json, JsonObject, JsonReader
from st_bme.graph.operation_json import (
    scope_from_json,
    scope_to_json,
    story_time_from_json,
    story_time_to_json,
    without_defaults,
)
from st_bme.model.edge import DEFAULT_STRENGTH, ENDED_BY_HAND, Edge, as_relation
from st_bme.model.node import DEFAULT_IMPORTANCE, JOINED_SETTERS, SET_BY_ALL, SET_BY_HAND, ArchivedBy, Node

DECIMALS = 4
_SETTERS_WITHOUT_PLACE = {SET_BY_HAND: -1, SET_BY_ALL: -2}
_SETTER_AT = {place: setter for setter, place in _SETTERS_WITHOUT_PLACE.items()}


@dataclass(frozen=True, slots=True)
class KnownMessages:
    """The covered messages of a chat, each key once, with the floor where it first stands."""

    keys: tuple[str, ...]
    floors: tuple[int, ...]

    def places(self) -> dict[str, int]:
        return {key: place for place, key in enumerate(self.keys)}

    def floor_of(self, key: str, places: Mapping[str, int]) -> int:
        return self.floors[places[key]] if key in places else -1

    def key_at_floor(self, floor: int) -> str:
        """The key of the covered message at a floor; for a floor without one, what ends by hand ends with."""
        place = bisect_left(self.floors, floor)
        return self.keys[place] if place < len(self.floors) and self.floors[place] == floor else ENDED_BY_HAND


def number_to_json(value: float) -> int | float:
    """At most four decimals, whole numbers without a point."""
    rounded = round(value, DECIMALS)
    return int(rounded) if rounded == int(rounded) else rounded


def node_to_json(node: Node, places: Mapping[str, int]) -> JsonObject:
    """The node; sources that are not in `known` (of a message about to be read again) are left out."""
    sources = [places[key] for key in node.sources if key in places]
    set_at = {name: _setter_to_json(setter, places) for name, setter in node.setters.items()}
    setters: JsonObject = {name: place for name, place in set_at.items() if place != []}
    fields: JsonObject = dict(node.fields)
    return without_defaults(
        id=node.id,
        type=node.type,
        fields=fields,
        sources=list(sources),
        importance=None if node.importance == DEFAULT_IMPORTANCE else number_to_json(node.importance),
        scope=scope_to_json(node.scope),
        storyTime=story_time_to_json(node.story_time),
        clusters=list(node.clusters),
        level=node.level or None,
        parentId=node.parent_id,
        childIds=list(node.child_ids),
        archived=node.archived or None,
        archivedBy=node.archived_by,
        mergedInto=node.redirect,
        mentions=None if node.mentions == 1 else node.mentions,
        setters=setters,
        formerNames=list(node.former_names),
        pinned=node.pinned or None,
        locked=node.locked or None,
        userEdited=node.user_edited or None,
    )


def floors_to_json(node: Node, known: KnownMessages, places: Mapping[str, int]) -> JsonObject:
    """The floors of a node for a reader who does not look up its sources."""
    floors = sorted(known.floors[places[key]] for key in node.sources if key in places)
    return {"seq": floors[-1], "seqRange": [floors[0], floors[-1]]} if floors else {}


def node_from_json(reader: JsonReader, keys: Sequence[str]) -> Node:
    """Raises CorruptState where the JSON is no node of ours."""
    importance = reader.number("importance")
    setters = reader.object("setters") or JsonReader({}, reader.where)
    fields = reader.text_map("fields")
    return Node(
        id=reader.text("id", None),
        type=reader.text("type", None),
        fields=fields,
        sources=tuple(_key_at(keys, place, reader) for place in reader.integers("sources")),
        importance=DEFAULT_IMPORTANCE if importance is None else importance,
        scope=scope_from_json(reader.object("scope")),
        story_time=story_time_from_json(reader.object("storyTime")),
        clusters=reader.texts("clusters"),
        level=reader.integer("level"),
        parent_id=reader.text("parentId"),
        child_ids=reader.texts("childIds"),
        archived_by=cast(ArchivedBy, reader.choice("archivedBy", get_args(ArchivedBy), "")),
        redirect=reader.text("mergedInto"),
        mentions=reader.integer("mentions", 1),
        setters={name: _setter_from_json(keys, name, setters) for name in fields if setters.has(name)},
        former_names=reader.texts("formerNames"),
        pinned=reader.flag("pinned"),
        locked=reader.flag("locked"),
        user_edited=reader.flag("userEdited"),
    )


def _key_at(keys: Sequence[str], place: int, reader: JsonReader) -> str:
    if not 0 <= place < len(keys):
        raise CorruptState(f"{reader.where}: no message {place} among the {len(keys)} known ones")
    return keys[place]


def _setter_to_json(setter: str, places: Mapping[str, int]) -> Json:
    """A place, or a list where several messages set a field, or none that is known."""
    if setter in _SETTERS_WITHOUT_PLACE:
        return _SETTERS_WITHOUT_PLACE[setter]
    found: list[Json] = [places[key] for key in setter.split(JOINED_SETTERS) if key in places]
    return found[0] if len(found) == 1 else found


def _setter_from_json(keys: Sequence[str], name: str, setters: JsonReader) -> str:
    if setters.is_list(name):
        return JOINED_SETTERS.join(_key_at(keys, place, setters) for place in setters.integers(name))
    place = setters.integer(name)
    return _SETTER_AT[place] if place in _SETTER_AT else _key_at(keys, place, setters)


def edge_to_json(edge: Edge, known: KnownMessages, places: Mapping[str, int]) -> JsonObject:
    """The edge without an id and times; `invalidAt` is the floor of the message that ended it, -1 for none."""
    ended = None if edge.is_current else known.floor_of(edge.ended, places)
    return {"fromId": edge.from_id, "toId": edge.to_id} | without_defaults(
        relation="" if edge.relation == "related" else edge.relation,
        strength=None if edge.strength == DEFAULT_STRENGTH else number_to_json(edge.strength),
        edgeType=edge.edge_type or None,
        scope=scope_to_json(edge.scope),
        source=places.get(edge.source),
        invalidAt=ended,
    )


def edge_from_json(reader: JsonReader, number: int, known: KnownMessages) -> Edge:
    """`number` stands in for the id, which the state does not carry. Raises CorruptState."""
    strength = reader.number("strength")
    ended = reader.integer("invalidAt") if reader.has("invalidAt") else None
    source = reader.integer("source") if reader.has("source") else None
    return Edge(
        id=f"edge{number}",
        from_id=reader.text("fromId", None),
        to_id=reader.text("toId", None),
        relation=as_relation(reader.text("relation", "related")),
        strength=DEFAULT_STRENGTH if strength is None else strength,
        source="" if source is None else _key_at(known.keys, source, reader),
        edge_type=reader.integer("edgeType"),
        scope=scope_from_json(reader.object("scope")),
        ended="" if ended is None else known.key_at_floor(ended),
    )

"""Nodes as a state holds them: nothing is written that the rest of the state tells.

Texts of a built-in type stand in the order of its columns, which the state names once. A story time that is the one of
its segment is the id of the segment.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from st_bme.errors import CorruptState
from st_bme.graph.json_reader import Json, JsonObject
from st_bme.graph.operation_json import story_time_to_json, without_defaults
from st_bme.model.schema import STORY_TYPES
from st_bme.model.story_time import Segment, StoryTime

USUAL_TYPE = "event"
Columns = Mapping[str, Sequence[str]]


def columns_of_types(types: Collection[str]) -> Columns:
    """The columns that a state names: those of the built-in types among these."""
    return {name: node_type.columns for name, node_type in STORY_TYPES.items() if name in types}


@dataclass(frozen=True, slots=True)
class NodePacking:
    """What a state says once for all its nodes: columns by type, and the usual story times by segment."""

    columns: Columns
    times: Mapping[str, JsonObject]

    @classmethod
    def of(cls, columns: Columns, segments: Iterable[Segment]) -> NodePacking:
        times = (StoryTime(it.label, "ongoing", it.relation, segment_id=it.id) for it in segments)
        return cls(columns, {time.segment_id: story_time_to_json(time) for time in times})

    def pack(self, node: JsonObject) -> JsonObject:
        """The node without what the state says anyway."""
        fields, time = node.get("fields"), node.get("storyTime")
        packed = node.copy()
        if node.get("type") == USUAL_TYPE:
            del packed["type"]
        if isinstance(fields, dict):
            packed["fields"] = self._row(fields, str(node.get("type")))
            packed |= _common_setter(fields, node.get("setters"))
        if isinstance(time, dict) and self.times.get(str(time.get("segmentId"))) == time:
            packed["storyTime"] = time["segmentId"]
        return packed

    def _row(self, fields: JsonObject, node_type: str) -> Json:
        columns = self.columns.get(node_type, ())
        if not fields.keys() <= set(columns):
            return fields
        row = [fields.get(column) for column in columns]
        while row[-1] is None:
            row.pop()
        return row

    def unpack(self, node: Json, where: str) -> Json:
        """The node as it was packed, or as states held it before. Raises CorruptState."""
        if not isinstance(node, dict):
            return node
        whole: JsonObject = {"type": USUAL_TYPE, **node}
        row, setter, time = node.get("fields"), node.get("setters"), node.get("storyTime")
        if isinstance(row, list):
            whole["fields"] = self._by_name(row, whole["type"], where)
        fields = whole.get("fields")
        if type(setter) is int and isinstance(fields, dict):
            whole["setters"] = dict.fromkeys(fields, setter)
        if isinstance(time, str):
            if time not in self.times:
                raise CorruptState(f"{where}: 'storyTime' is {time!r}, which is no segment of the timeline")
            whole["storyTime"] = self.times[time]
        return whole

    def _by_name(self, row: list[Json], node_type: Json, where: str) -> JsonObject:
        columns = self.columns.get(str(node_type), ())
        if len(row) > len(columns):
            raise CorruptState(f"{where}: {len(row)} 'fields', but 'type' {node_type!r} has {len(columns)} columns")
        return {name: text for name, text in zip(columns, row, strict=False) if text is not None}


def _common_setter(fields: JsonObject, setters: Json) -> JsonObject:
    """The one setter of all fields, if they have one."""
    if not isinstance(setters, dict) or setters.keys() != fields.keys():
        return {}
    first, *others = setters.values()
    return {"setters": first} if isinstance(first, int) and all(other == first for other in others) else {}


def without_children_but(present: Collection[Json], node: JsonObject) -> JsonObject:
    """The node with only those of its children that are present."""
    children = node.get("childIds")
    if not isinstance(children, list) or all(child in present for child in children):
        return node
    left = [child for child in children if child in present]
    others: JsonObject = {key: value for key, value in node.items() if key != "childIds"}
    return others | without_defaults(childIds=left)

"""Operations and their parts as JSON: only what differs from the default is written."""

from __future__ import annotations

from typing import cast, get_args

from st_bme.graph.json_reader import Json, JsonObject, JsonReader
from st_bme.model.operation import Action, Operation, Target
from st_bme.model.scope import OBJECTIVE, Layer, OwnerType, Scope
from st_bme.model.story_time import Confidence, StoryTime, Tense, TimeRelation

_LAYERS, _OWNER_TYPES = frozenset(get_args(Layer)), frozenset(get_args(OwnerType))
_TENSES, _TIME_RELATIONS = frozenset(get_args(Tense)), frozenset(get_args(TimeRelation))
_CONFIDENCES, _ACTIONS = frozenset(get_args(Confidence)), frozenset(get_args(Action))


def without_defaults(**values: Json) -> JsonObject:
    """The values that say something: no empty text, list or object, no null."""
    return {key: value for key, value in values.items() if value or value == 0}


def scope_to_json(scope: Scope) -> JsonObject:
    """The scope; empty for the objective one without a region."""
    return without_defaults(
        layer="" if scope.layer == "objective" else scope.layer,
        ownerType=scope.owner_type,
        ownerId=scope.owner_id,
        ownerName=scope.owner_name if scope.owner_name != scope.owner_id else "",
        regionPrimary=scope.region_primary,
        regionPath=list(scope.region_path),
        regionSecondary=list(scope.region_secondary),
    )


def scope_from_json(reader: JsonReader | None) -> Scope:
    if reader is None:
        return OBJECTIVE
    owner_id = reader.text("ownerId")
    return Scope(
        layer=cast(Layer, reader.choice("layer", _LAYERS, "objective")),
        owner_type=cast(OwnerType, reader.choice("ownerType", _OWNER_TYPES, "")),
        owner_id=owner_id,
        owner_name=reader.text("ownerName", owner_id),
        region_primary=reader.text("regionPrimary"),
        region_path=reader.texts("regionPath"),
        region_secondary=reader.texts("regionSecondary"),
    )


def story_time_to_json(time: StoryTime | None) -> JsonObject:
    if time is None:
        return {}
    return without_defaults(
        label=time.label,
        tense="" if time.tense == "unknown" else time.tense,
        relation="" if time.relation == "unknown" else time.relation,
        anchorLabel=time.anchor_label,
        confidence="" if time.confidence == "medium" else time.confidence,
        segmentId=time.segment_id,
        endLabel=time.end_label,
        endSegmentId=time.end_segment_id,
    )


def story_time_from_json(reader: JsonReader | None) -> StoryTime | None:
    if reader is None:
        return None
    return StoryTime(
        label=reader.text("label"),
        tense=cast(Tense, reader.choice("tense", _TENSES, "unknown")),
        relation=cast(TimeRelation, reader.choice("relation", _TIME_RELATIONS, "unknown")),
        anchor_label=reader.text("anchorLabel"),
        confidence=cast(Confidence, reader.choice("confidence", _CONFIDENCES, "medium")),
        segment_id=reader.text("segmentId"),
        end_label=reader.text("endLabel"),
        end_segment_id=reader.text("endSegmentId"),
    )


def target_to_json(target: Target | None) -> JsonObject:
    if target is None:
        return {}
    return without_defaults(
        ref=target.ref, id=target.id, type=target.type, scope=scope_to_json(target.scope), name=target.name
    )


def target_from_json(reader: JsonReader | None) -> Target | None:
    if reader is None:
        return None
    return Target(
        ref=reader.text("ref"),
        id=reader.text("id"),
        type=reader.text("type"),
        scope=scope_from_json(reader.object("scope")),
        name=reader.text("name"),
    )


def operation_to_json(operation: Operation) -> JsonObject:
    """The operation as it is stored and shown."""
    fields: JsonObject = dict(operation.fields)
    return {"action": operation.action} | without_defaults(
        cite=operation.cite,
        type=operation.type,
        fields=fields,
        importance=operation.importance,
        scope=scope_to_json(operation.scope),
        storyTime=story_time_to_json(operation.story_time),
        clusters=list(operation.clusters),
        ref=operation.ref,
        target=target_to_json(operation.target),
        to=target_to_json(operation.to),
        relation=operation.relation,
        strength=operation.strength,
        flag=None if operation.flag else False,
    )


def operation_from_json(reader: JsonReader) -> Operation:
    """Raises CorruptState where the JSON is none of ours."""
    return Operation(
        action=cast(Action, reader.choice("action", _ACTIONS)),
        cite=reader.integer("cite") if reader.has("cite") else None,
        type=reader.text("type"),
        fields=reader.text_map("fields"),
        importance=reader.number("importance"),
        scope=scope_from_json(reader.object("scope")),
        story_time=story_time_from_json(reader.object("storyTime")),
        clusters=reader.texts("clusters"),
        ref=reader.text("ref"),
        target=target_from_json(reader.object("target")),
        to=target_from_json(reader.object("to")),
        relation=reader.text("relation"),
        strength=reader.number("strength"),
        flag=reader.flag("flag", default=True),
    )

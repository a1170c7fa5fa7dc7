"""Records in facts that stand on their own: what the history shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from st_bme.graph.fold_state import Drop
from st_bme.graph.records import Answer, Base, Mark, Origin, Record, Upkeep, UserEdit
from st_bme.model.node import Node
from st_bme.model.operation import Operation, Target
from st_bme.protocol.recorded import Said, Subject

RecordKind = Literal["answer", "upkeep", "user", "mark", "origin", "base"]

_SHOWN_LENGTH = 160


def kind_of(record: Record) -> RecordKind:
    """The kind of a record as it is stored."""
    match record:
        case Answer():
            return "answer"
        case Upkeep():
            return "upkeep"
        case UserEdit():
            return "user"
        case Mark():
            return "mark"
        case Origin():
            return "origin"
        case Base():
            return "base"


def describe_record(record: Record, nodes: Mapping[str, Node], drops: Sequence[Drop]) -> list[Said]:
    """What a record said, operation by operation; nothing for marks, origins and bases.

    Args:
        nodes: the graph, for the names behind ids.
        drops: what of this record had no effect.
    """
    operations = record.operations if isinstance(record, Answer | Upkeep | UserEdit) else ()
    made = {operation.ref: _new(operation) for operation in operations if operation.ref}
    told = [_describe(operation, nodes, made) for operation in operations]
    for drop in drops:
        reason = {"refused": drop.refusal.code, "detail": drop.refusal.detail}
        told[drop.index] = told[drop.index].model_copy(update=reason)
    return told


def _describe(operation: Operation, nodes: Mapping[str, Node], made: Mapping[str, Subject]) -> Said:
    name_key = _called_by(operation) if operation.action == "create" else ""
    return Said(
        action=operation.action,
        about=_named(operation.target, nodes, made) if operation.target else _untargeted(operation),
        to=_named(operation.to, nodes, made) if operation.to else None,
        relation=operation.relation,
        owner=operation.scope.owner_name,
        on=operation.flag,
        fields={key: _cut(value) for key, value in operation.fields.items() if key != name_key},
    )


def _untargeted(operation: Operation) -> Subject:
    """What is new, a time, or a place."""
    if operation.action == "time" and operation.story_time is not None:
        return Subject(name=_cut(operation.story_time.label))
    if operation.action == "region":
        scope = operation.scope
        return Subject(name=_cut(" / ".join(scope.region_path or (scope.region_primary,))))
    return _new(operation) if operation.action == "create" else Subject()


def _new(operation: Operation) -> Subject:
    return Subject(type=operation.type, name=_cut(operation.fields.get(_called_by(operation), "")))


def _called_by(operation: Operation) -> str:
    """The field that a new memory is known by, as `Node.name` has it."""
    return next((key for key in ("name", "title", "summary", "insight") if operation.fields.get(key)), "")


def _named(target: Target, nodes: Mapping[str, Node], made: Mapping[str, Subject]) -> Subject:
    if target.ref:
        return made.get(target.ref, Subject(name=target.ref))
    if target.id in nodes:
        return Subject(type=nodes[target.id].type, name=_cut(nodes[target.id].name))
    return Subject(type=target.type, name=_cut(target.name or target.id))


def _cut(text: str) -> str:
    return text if len(text) <= _SHOWN_LENGTH else text[: _SHOWN_LENGTH - 1] + "…"

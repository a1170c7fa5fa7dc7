"""Records in words that stand on their own: what the history shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from st_bme.graph.records import Answer, Base, Mark, Origin, Record, Upkeep, UserEdit
from st_bme.model.node import Node
from st_bme.model.operation import Operation, Target

RecordKind = Literal["answer", "upkeep", "user", "mark", "origin", "base"]

_SHOWN_LENGTH = 160
_ARROWS = {"link": "—", "unlink": "-/-", "merge": "→", "archive": "→", "update": "←"}


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


def operations_of(record: Record) -> Sequence[Operation]:
    """The operations of a record; none for marks and origins."""
    return record.operations if isinstance(record, Answer | Upkeep | UserEdit) else ()


def describe_operation(operation: Operation, nodes: Mapping[str, Node], made: Mapping[str, str]) -> str:
    """One line: the action, what it is about, and what it says.

    Args:
        nodes: the graph, for the names behind ids.
        made: what each ref of the record was made as, from `names_made`.
    """
    subject = _target(operation.target, nodes, made) if operation.target else _said_beside(operation) or _new(operation)
    said = ", ".join(f"{key}: {value}" for key, value in operation.fields.items() if key not in ("name", "title"))
    other = ""
    if operation.to is not None:
        joint = operation.relation or _ARROWS.get(operation.action, "")
        other = f" {joint} {_target(operation.to, nodes, made)}"
    if operation.action == "know":
        other = f": {operation.scope.owner_name} {operation.relation or 'known'}"
    line = f"{operation.action} {subject}{other}".rstrip() + (f" ({said})" if said else "")
    return line if len(line) <= _SHOWN_LENGTH else line[: _SHOWN_LENGTH - 1] + "…"


def names_made(operations: Sequence[Operation]) -> dict[str, str]:
    """What each ref of a record stands for, in words."""
    return {operation.ref: _new(operation) for operation in operations if operation.ref}


def _said_beside(operation: Operation) -> str:
    """A time, or who is where."""
    if operation.action == "time" and operation.story_time is not None:
        return operation.story_time.label
    if operation.action == "region":
        scope = operation.scope
        place = " / ".join(scope.region_path or (scope.region_primary,))
        return f"{scope.owner_name}: {place}" if scope.owner_name else place
    return ""


def _new(operation: Operation) -> str:
    fields = operation.fields
    name = fields.get("name") or fields.get("title") or fields.get("summary") or fields.get("insight") or ""
    return f"{operation.type} {name}".strip()


def _target(target: Target, nodes: Mapping[str, Node], made: Mapping[str, str]) -> str:
    if target.ref:
        return made.get(target.ref, target.ref)
    if target.id in nodes:
        return f"{nodes[target.id].type} {nodes[target.id].name}"
    return f"{target.type} {target.name}".strip() or target.id

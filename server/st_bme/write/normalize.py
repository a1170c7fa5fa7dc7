"""A model's operations as intents. The one validation: what cannot stand is refused with a reason, the rest stands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from pydantic import ValidationError

from st_bme.model.edge import RELATIONS
from st_bme.model.operation import Operation, Refusal, Target
from st_bme.model.schema import STORY_TYPES, NodeType
from st_bme.model.scope import Scope
from st_bme.prompts.answer import RawAnswer, RawOperation
from st_bme.prompts.extract import POV_MEMORY
from st_bme.prompts.extract_answer import AnswerLink, AnswerOperation
from st_bme.write.answer_context import AnswerContext, AnswerRefs
from st_bme.write.beside import BesideIntents
from st_bme.write.scope import owned, parse_scope
from st_bme.write.story_time import parse_story_time

EVENT = "event"
MOST_EVENTS = 1
"""Events that a prompt asks for at most; more are taken all the same."""

MOST_OPERATIONS = 30
"""Operations of one answer, links not counted."""

_UNLINK = frozenset(("delete", "unlink"))
_FILL: Mapping[str, tuple[str, ...]] = {
    "name": ("title", "label"),
    "title": ("name", "summary", "constraint"),
    "summary": ("description", "content", "text", "title"),
    "insight": ("summary", "content", "text"),
}
"""Under which other names models write a required field."""

_MOST_CLUSTERS = 8
_MOST_LINKS = 20


@dataclass(frozen=True, slots=True)
class Normalized:
    """The operations that stand, and what was refused or, where the code says so, only changed."""

    operations: tuple[Operation, ...]
    refused: tuple[Refusal, ...]


class _Refused(Exception):
    """Ends the reading of one operation."""

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(detail)
        self.code = code


def normalize(answers: Sequence[RawAnswer], context: AnswerContext) -> Normalized:
    """Validate what the answers to one run say; the links of each operation stand behind it.

    Several answers are the steps of one extraction: later ones may name what earlier ones made.
    """
    reading = _Reading(context)
    index = 0
    for answer in answers:
        for item in answer.operations[:MOST_OPERATIONS]:
            reading.take(index, item)
            index += 1
        if len(answer.operations) > MOST_OPERATIONS:
            reading.note("too_many_operations", f"only the first {MOST_OPERATIONS} were read", index)
    operations, refused = reading.finish()
    events = sum(operation.action == "create" and operation.type == EVENT for operation in operations)
    if events > MOST_EVENTS:
        refused.append(Refusal("many_events", f"{events} events of one run were taken; {MOST_EVENTS} was asked for"))
    beside = BesideIntents(operations, reading.refs, context)
    for answer in answers:
        beside.take(answer.beside)
    refused = sorted([*refused, *beside.refused], key=lambda refusal: -1 if refusal.index is None else refusal.index)
    return Normalized((*operations, *beside.operations), tuple(refused))


@dataclass(frozen=True, slots=True)
class _Draft:
    """An operation that stands, with its links still by the names that the answer gave their ends."""

    index: int
    operation: Operation
    itself: Target
    links: Sequence[AnswerLink]


class _Reading:
    """One pass over an answer: names are collected first, since a link may point to a later operation."""

    def __init__(self, context: AnswerContext) -> None:
        self._context = context
        self.refs = AnswerRefs(context)
        self._drafts: list[_Draft] = []
        self._refused: list[Refusal] = []

    def take(self, index: int, raw: RawOperation) -> None:
        """Read one operation; a refused one leaves only its reason."""
        try:
            self._drafts.append(self._draft(index, AnswerOperation.model_validate(raw)))
        except _Refused as refused:
            self._refused.append(Refusal(refused.code, str(refused), index))
        except ValidationError as error:
            self._refused.append(Refusal("bad_form", error.errors()[0]["msg"], index))

    def finish(self) -> tuple[list[Operation], list[Refusal]]:
        operations: list[Operation] = []
        for draft in self._drafts:
            if draft.operation.action not in ("link", "unlink"):
                operations.append(draft.operation)
            links = draft.links[:_MOST_LINKS]
            operations += [link for answer in links if (link := self._link(draft, answer)) is not None]
        return operations, self._refused

    def _draft(self, index: int, answer: AnswerOperation) -> _Draft:
        action = answer.action or self._implied_action(answer)
        match action:
            case "create":
                return self._create(index, answer)
            case "update":
                return self._update(index, answer)
            case "delete":
                return self._delete(index, answer)
            case "link" | "unlink":
                operation = Operation(action, self._context.cite(answer.cite))
                return _Draft(index, operation, self._find_node(answer), answer.links)
            case "skip":
                raise _Refused("skipped", "the model skipped it")
        raise _Refused("unknown_action", f"unknown action {action!r}; known: create, update, delete")

    def _implied_action(self, answer: AnswerOperation) -> str:
        if not answer.type:
            return ""
        return "update" if answer.node_id else "create"

    def _create(self, index: int, answer: AnswerOperation) -> _Draft:
        node_type = self._type(answer.type)
        fields = _fields_of(answer, node_type)
        fields = {name: value for name, value in fields.items() if value}
        for column in node_type.required:
            if column not in fields:
                raise _Refused("missing_field", f"a {node_type.id} needs {column!r}")
        scope = self._scope(answer, node_type)
        name = fields.get("name", "")
        shown = self.refs.named(name) if node_type.id not in STORY_TYPES and name else None
        if shown is not None and shown.id and shown.type == node_type.id:
            # The graph cannot know that a type of the user's own has one node a name.
            return self._update(index, answer.model_copy(update={"node_id": name}))
        ref = self._new_ref(index, answer.ref or answer.id)
        has_one_a_name = node_type.latest_only and name != ""
        itself = Target(type=node_type.id, scope=scope, name=name) if has_one_a_name else Target(ref=ref)
        operation = replace(self._common(answer), type=node_type.id, fields=fields, scope=scope, ref=ref)
        self.refs.make(ref, name or fields.get("title", ""), itself)
        return _Draft(index, operation, itself, answer.links)

    def _delete(self, index: int, answer: AnswerOperation) -> _Draft:
        target = self._find_node(answer)
        if target.id == "":
            raise _Refused("unknown_ref", f"only what was shown can be deleted, not {_said(answer)}")
        return _Draft(index, Operation("archive", self._context.cite(answer.cite), target=target), target, ())

    def _update(self, index: int, answer: AnswerOperation) -> _Draft:
        target = self._find_node(answer)
        node_type = self._context.types.get(target.type)
        fields = _fields_of(answer, node_type)
        operation = replace(self._common(answer), action="update", fields=fields, target=target)
        if not fields and operation.importance is None and not answer.links:
            raise _Refused("nothing_to_change", f"the update of {_said(answer)} changes nothing")
        if answer.source_node_id:
            cause = self.refs.find(answer.source_node_id)
            if cause is None:
                self.note("unknown_ref", f"no node {answer.source_node_id!r} was shown as a cause", index)
            else:
                operation = replace(operation, to=cause, strength=_clamp(answer.temporal_strength, 0, 1))
        return _Draft(index, operation, target, answer.links)

    def _common(self, answer: AnswerOperation) -> Operation:
        return Operation(
            "create",
            cite=self._context.cite(answer.cite),
            importance=_clamp(answer.importance, 0, 10),
            story_time=parse_story_time(answer.story_time) if self._context.asking.has_story_time else None,
            clusters=tuple(answer.clusters[:_MOST_CLUSTERS]),
        )

    def _type(self, name: str) -> NodeType:
        node_type = self._context.types.get(name)
        if node_type is None:
            raise _Refused("unknown_type", f"unknown node type {name!r}; known: {', '.join(self._context.types)}")
        return node_type

    def _scope(self, answer: AnswerOperation, node_type: NodeType) -> Scope:
        """A point of view needs an owner; everything else is objective, whatever the answer says."""
        scope = parse_scope(answer.scope)
        if not self._context.asking.has_scopes:
            scope = replace(scope, region_primary="", region_path=(), region_secondary=())
        if node_type.id != POV_MEMORY:
            return replace(scope, layer="objective", owner_type="", owner_id="", owner_name="")
        scope = owned(scope, self._context.user_name)
        if not scope.owner_id:
            raise _Refused("pov_without_owner", "a point of view needs scope.ownerType and scope.ownerName")
        return scope

    def _new_ref(self, index: int, wanted: str) -> str:
        if wanted and not self.refs.is_taken(wanted):
            return wanted
        if wanted:
            self.note("duplicate_ref", f"the ref {wanted!r} is taken; links to it mean the first", index)
        ref = f"op{index}"
        while self.refs.is_taken(ref):
            ref += "_"
        return ref

    def _find_node(self, answer: AnswerOperation) -> Target:
        """What an update or delete is about: a shown node, else a node of a type that has one a name."""
        wanted = answer.node_id or answer.id
        if wanted and (target := self.refs.find(wanted)) is not None:
            return target
        name = answer.fields.get("name", "") or answer.loose_fields().get("name", "")
        node_type = self._context.types.get(answer.type)
        if node_type is not None and node_type.latest_only and name:
            shown = self.refs.named(name)
            is_same = shown is not None and shown.id != "" and shown.type == answer.type
            return shown if shown is not None and is_same else Target(type=answer.type, name=name)
        raise _Refused("unknown_ref", f"no node {_said(answer)} was shown")

    def _link(self, draft: _Draft, answer: AnswerLink) -> Operation | None:
        end = self.refs.find(answer.target)
        if end is None:
            self.note("unknown_ref", f"no node {answer.target!r} was shown or made as the end of a link", draft.index)
            return None
        relation = answer.relation.replace(" ", "_")
        if relation not in RELATIONS:
            self.note("unknown_relation", f"unknown relation {answer.relation!r}, taken as related", draft.index)
            relation = "related"
        return Operation(
            "unlink" if answer.action in _UNLINK or draft.operation.action == "unlink" else "link",
            draft.operation.cite,
            target=draft.itself,
            to=end,
            relation=relation,
            strength=_clamp(answer.strength, 0, 1),
        )

    def note(self, code: str, detail: str, index: int) -> None:
        self._refused.append(Refusal(code, detail, index))


def _fields_of(answer: AnswerOperation, node_type: NodeType | None) -> dict[str, str]:
    """The fields, with columns that stand beside them and required ones under another name."""
    loose = answer.loose_fields()
    if isinstance(answer.scope, str):
        loose["scope"] = answer.scope
    if node_type is None:
        return {**loose, **answer.fields}
    fields = {column: loose[column] for column in node_type.columns if column in loose} | answer.fields
    if answer.action in ("create", ""):
        for column in node_type.required:
            if not fields.get(column):
                _fill(fields, column, loose, node_type)
    is_own = node_type.id not in STORY_TYPES  # of which every field is shown, whatever its name
    return {name: said for name, said in fields.items() if not is_own or name in node_type.columns}


def _fill(fields: dict[str, str], column: str, loose: Mapping[str, str], node_type: NodeType) -> None:
    """Take a required field from where it was written under another name."""
    for name in _FILL.get(column, ()):
        if said := fields.get(name, "") or loose.get(name, ""):
            fields[column] = said
            if name not in node_type.columns:
                fields.pop(name, None)
            return


def _clamp(value: float | None, low: float, high: float) -> float | None:
    return None if value is None else min(high, max(low, value))


def _said(answer: AnswerOperation) -> str:
    return repr(answer.node_id or answer.id or answer.fields.get("name", "") or answer.type)

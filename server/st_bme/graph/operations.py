"""What an operation does to the graph. The fold decides here, every time; nothing of it is stored."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from st_bme.graph.fold_state import Drop, FoldState, is_latest_only, name_key
from st_bme.graph.ids import (
    change_event_id,
    content_node_id,
    fields_text,
    fold_name,
    made_node_id,
    named_node_id,
)
from st_bme.graph.links import apply_link, join_cause, join_parents, join_touched, new_edge, parted
from st_bme.graph.statements import APPLY_STATEMENT, merge_knowledge
from st_bme.graph.targets import Origin, find_target, missing
from st_bme.graph.timeline import apply_time, here_and_now, retold, spanning, time_of
from st_bme.model.node import DEFAULT_IMPORTANCE, JOINED_SETTERS, SET_BY_HAND, ArchivedBy, Node, setter_keys
from st_bme.model.operation import Action, Operation, Refusal
from st_bme.model.scope import OBJECTIVE
from st_bme.model.story_time import StoryTime

CHANGE_STRENGTH = 0.9
CHANGE_IMPORTANCE = (4.0, 8.0)
SHOWN_CHANGES = 3
ARCHIVE_SHARE = 0.1

# Counted a message, not a call: how many messages a call reads must not change the graph.
_ARCHIVE_CAP = Refusal("archive_cap", f"one message archives at most {ARCHIVE_SHARE:.0%} of the active nodes")


def apply_operations(state: FoldState, origin: Origin, operations: Sequence[tuple[int, Operation]]) -> None:
    """Apply what one message (or one record) says: its time, nodes, links and statements, then the default edges."""
    origin = _at_its_time(state, origin, operations)
    touched: list[str] = []
    condensed: list[str] = []
    may_archive = max(1, int(ARCHIVE_SHARE * state.active)) if origin.actor == "model" else len(operations)
    for index, operation in operations:
        if operation.action not in _APPLY:
            continue
        if operation.action == "archive" and may_archive == 0:
            state.drops.append(Drop(origin.record_id, index, _ARCHIVE_CAP))
            continue
        outcome = _APPLY[operation.action](state, origin, operation)
        may_archive -= operation.action == "archive" and not isinstance(outcome, Refusal)
        if isinstance(outcome, Refusal):
            state.drops.append(Drop(origin.record_id, index, outcome))
        elif operation.action in ("create", "update") and outcome not in touched:
            touched.append(outcome)
        elif operation.action == "archive" and operation.to is not None:
            condensed.append(outcome)
    join_parents(state, condensed)
    for index, operation in operations:
        apply_later = _APPLY_LATER.get(operation.action)
        refusal = apply_later(state, origin, operation) if apply_later else None
        if refusal is not None:
            state.drops.append(Drop(origin.record_id, index, refusal))
    if origin.related > 0:
        join_touched(state, origin, touched, parted(state, origin.record_id, operations))


def _at_its_time(state: FoldState, origin: Origin, operations: Sequence[tuple[int, Operation]]) -> Origin:
    """The origin with the story time of what is said without one: as a message says, or to a model's words, now."""
    if not operations:
        return origin
    when = None
    for index, operation in operations:
        if operation.action == "time":
            told = apply_time(state, origin, operation)
            if isinstance(told, Refusal):
                state.drops.append(Drop(origin.record_id, index, told))
            else:
                when = told
    if when is None and origin.actor == "model":
        when = here_and_now(state)
    return origin if when is None else replace(origin, when=when)


def _create(state: FoldState, origin: Origin, operation: Operation) -> str | Refusal:
    if origin.actor == "upkeep" or (origin.actor == "user" and not _is_known_by_name(state, operation)):
        number = state.made_counts.get(origin.record_id, 0)
        state.made_counts[origin.record_id] = number + 1
        identity = made_node_id(origin.memo, number, operation.type, operation.fields)
        _insert(state, origin, operation, identity)
    elif is_latest_only(operation.type):
        identity = _create_named(state, origin, operation)
    else:
        identity = _create_content(state, origin, operation)
    if operation.ref:
        state.refs[(origin.record_id, operation.ref)] = identity
    return identity


def _is_known_by_name(state: FoldState, operation: Operation) -> bool:
    key = name_key(operation.type, operation.scope, operation.fields.get("name", ""))
    return is_latest_only(operation.type) and key in state.names


def _create_named(state: FoldState, origin: Origin, operation: Operation) -> str:
    """One node a name: a create of a known name is an update."""
    name = operation.fields.get("name", "")
    identity = named_node_id(operation.type, operation.scope, name)
    known = state.follow(state.names.get(name_key(operation.type, operation.scope, name), identity))
    if known in state.nodes:
        # Here the name only says who is meant: a former name does not rename the node back.
        fields = {key: value for key, value in operation.fields.items() if key != "name"}
        _change(state, origin, known, replace(operation, fields=fields))
        return known
    _insert(state, origin, operation, identity)
    return identity


def _create_content(state: FoldState, origin: Origin, operation: Operation) -> str:
    """An exact repeat counts as a mention; anything else is a node of its own."""
    said = fields_text(operation.fields)
    number = 0
    while True:
        identity = content_node_id(operation.type, operation.scope, operation.fields, number)
        if identity not in state.nodes:
            state.creations[identity] = said
            _insert(state, origin, operation, identity)
            return identity
        if state.creations.get(identity, said) == said:  # of a node of a base nothing but its id is known
            return _mention(state, origin, state.follow(identity))
        number += 1


def _insert(state: FoldState, origin: Origin, operation: Operation, identity: str) -> None:
    state.put(
        Node(
            id=identity,
            type=operation.type,
            fields=dict(operation.fields),
            sources=origin.sources,
            importance=DEFAULT_IMPORTANCE if operation.importance is None else operation.importance,
            scope=operation.scope,
            story_time=time_of(state, origin, operation, operation.type),
            clusters=operation.clusters,
            setters={} if origin.actor == "model" else dict.fromkeys(operation.fields, origin.setter),
            user_edited=origin.actor == "user",
        )
    )


def _with_sources(known: tuple[str, ...], more: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*known, *more)))


def _woken(node: Node) -> ArchivedBy:
    """What is spoken of again is awake, unless the user put it away; a merged node stays merged."""
    return node.archived_by if node.archived_by == "user" or node.redirect else ""


def _mention(state: FoldState, origin: Origin, identity: str) -> str:
    node = state.nodes[identity]
    state.put(
        replace(
            node,
            mentions=node.mentions + 1,
            sources=_with_sources(node.sources, origin.sources),
            archived_by=_woken(node),
        )
    )
    return identity


def _update(state: FoldState, origin: Origin, operation: Operation) -> str | Refusal:
    target = operation.target
    identity = find_target(state, origin.record_id, target) if target else ""
    if identity:
        _change(state, origin, identity, operation)
        return identity
    if target is None or target.ref or not (target.name and is_latest_only(target.type)) or origin.actor != "model":
        return missing(target)
    fields = {**operation.fields, "name": target.name}
    identity = _create_named(state, origin, replace(operation, type=target.type, scope=target.scope, fields=fields))
    if "name" in operation.fields:
        _change(state, origin, identity, replace(operation, fields={"name": operation.fields["name"]}))
    return identity


def _change(state: FoldState, origin: Origin, identity: str, operation: Operation) -> None:
    """Write fields; what differs ends the older `updates` edges and makes an event that tells of it."""
    node = state.nodes[identity]
    changes = {key: value for key, value in operation.fields.items() if _differs(key, node.fields.get(key, ""), value)}
    told = time_of(state, origin, operation, node.type)
    state.put(_changed_node(node, origin, operation, changes, retold(state, node.type, node.story_time, told)))
    if operation.to is not None:
        join_cause(state, origin, identity, operation)
    if changes and origin.actor == "model":
        _tell_change(state, origin, node, operation, changes)


def _differs(key: str, before: str, after: str) -> bool:
    """A name in other case or width is the same name; any other text is another one."""
    return before != after and not (key == "name" and before and fold_name(before) == fold_name(after))


def _changed_node(
    node: Node, origin: Origin, operation: Operation, changes: Mapping[str, str], story_time: StoryTime | None
) -> Node:
    renamed = "name" in changes and node.fields.get("name", "") not in ("", *node.former_names)
    sources = _with_sources(node.sources, origin.sources)
    setters = {**node.setters, **dict.fromkeys(changes, origin.setter)}
    return replace(
        node,
        fields={**node.fields, **changes},
        setters={name: key for name, key in setters.items() if (key,) != sources[:1]},
        sources=sources,
        mentions=node.mentions + (origin.actor == "model"),
        former_names=(*node.former_names, node.fields["name"]) if renamed else node.former_names,
        clusters=_tags_after(node, operation),
        story_time=story_time,
        importance=_importance_after(node, origin, operation),
        archived_by=node.archived_by if origin.actor != "model" else _woken(node),
        user_edited=node.user_edited or origin.actor == "user",
    )


def _tags_after(node: Node, operation: Operation) -> tuple[str, ...]:
    """Those of the operation as well; without its flag only how those that are there already are spelled."""
    if operation.flag:
        return _with_sources(node.clusters, operation.clusters)
    spelled = {fold_name(tag): tag for tag in operation.clusters}
    return tuple(dict.fromkeys(spelled.get(fold_name(tag), tag) for tag in node.clusters))


def _importance_after(node: Node, origin: Origin, operation: Operation) -> float:
    """A model sets the importance once, at creation; the user may set it again."""
    return operation.importance if origin.actor == "user" and operation.importance is not None else node.importance


def _tell_change(
    state: FoldState, origin: Origin, before: Node, operation: Operation, changes: Mapping[str, str]
) -> None:
    for identity in state.incoming.get((before.id, "updates"), ()):
        state.end(identity, origin.ender)
    counter = (before.id, origin.source)
    number = state.change_counts.get(counter, 0)
    state.change_counts[counter] = number + 1
    shown = sorted(changes)[:SHOWN_CHANGES]
    told = "; ".join(f"{key}: {before.fields.get(key, '') or '-'} -> {changes[key]}" for key in shown)
    name = before.name
    importance = before.importance if operation.importance is None else operation.importance
    low, high = CHANGE_IMPORTANCE
    event = Node(
        id=change_event_id(before.id, origin.source, number),
        type="event",
        fields={"title": name, "summary": f"{name}: {told}", "participants": name, "status": "resolved"},
        sources=origin.sources,
        importance=min(max(importance, low), high),
        scope=before.scope if before.scope.layer == "objective" else OBJECTIVE,
        story_time=time_of(state, origin, operation, "event"),
        setters=_setters_of_change(before, [key for key in shown if before.fields.get(key)], origin.source),
    )
    state.put(event)
    state.join(new_edge(event.id, before.id, "updates", CHANGE_STRENGTH, origin.source))


def _setters_of_change(before: Node, told: Sequence[str], source: str) -> dict[str, str]:
    """The messages beside `source` that a change event repeats: of the fields as they were, and of a later name."""
    name_setter = before.setters.get("name", SET_BY_HAND)
    setters = [before.setters.get(key, before.sources[0]) if before.sources else SET_BY_HAND for key in told]
    keys = [key for setter in (*setters, name_setter) for key in setter_keys(setter, before.sources) if key != source]
    joined = JOINED_SETTERS.join(dict.fromkeys(keys))
    return {"summary": joined} if joined else {}


def _archive(state: FoldState, origin: Origin, operation: Operation) -> str | Refusal:
    identity = find_target(state, origin.record_id, operation.target) if operation.target else ""
    if not identity:
        return missing(operation.target)
    before = state.nodes[identity]
    node = replace(before, archived_by="user" if before.archived_by == "user" else origin.actor)
    parent_id = find_target(state, origin.record_id, operation.to) if operation.to else ""
    if parent_id and parent_id != identity:
        parent = state.nodes[parent_id]
        children = _with_sources(parent.child_ids, (identity,))
        span = spanning(state, parent.story_time, node.story_time)
        state.put(replace(parent, child_ids=children, level=max(parent.level, node.level + 1), story_time=span))
        node = replace(node, parent_id=parent_id)
    state.put(node)
    return identity


def _wake(state: FoldState, origin: Origin, operation: Operation) -> str | Refusal:
    identity = find_target(state, origin.record_id, operation.target) if operation.target else ""
    if not identity:
        return missing(operation.target)
    node = state.nodes[identity]
    state.put(replace(node, archived_by="" if origin.actor == "user" else _woken(node)))
    return identity


def _flag(state: FoldState, origin: Origin, operation: Operation) -> str | Refusal:
    """Pin or lock a node, or let it go."""
    identity = find_target(state, origin.record_id, operation.target) if operation.target else ""
    if not identity:
        return missing(operation.target)
    node, flag = state.nodes[identity], operation.flag
    state.put(replace(node, pinned=flag) if operation.action == "pin" else replace(node, locked=flag))
    return identity


def _merge(state: FoldState, origin: Origin, operation: Operation) -> str | Refusal:
    """The target redirects to `to`, which takes its sources and its edges."""
    merged = find_target(state, origin.record_id, operation.target) if operation.target else ""
    kept = find_target(state, origin.record_id, operation.to) if operation.to else ""
    if not merged or not kept:
        return missing(operation.to if merged else operation.target)
    if merged == kept:
        return Refusal("self_merge", "the two are one node already")
    gone, stays = state.nodes[merged], state.nodes[kept]
    state.put(
        replace(
            stays,
            fields={**stays.fields, **operation.fields},
            setters={**stays.setters, **dict.fromkeys(operation.fields, origin.setter)},
            sources=_with_sources(stays.sources, (*gone.sources, *origin.sources)),
            mentions=stays.mentions + gone.mentions,
            user_edited=stays.user_edited or origin.actor == "user",
        )
    )
    state.put(replace(gone, archived_by=origin.actor, redirect=kept))
    merge_knowledge(state, gone, stays)
    for edge in state.edges_at([merged]):
        state.end(edge.id, origin.ender)
        state.join(edge)
    return kept


_APPLY = {
    "create": _create,
    "update": _update,
    "archive": _archive,
    "wake": _wake,
    "pin": _flag,
    "lock": _flag,
    "merge": _merge,
}
_APPLY_LATER: Mapping[Action, Callable[[FoldState, Origin, Operation], Refusal | None]] = {
    "link": apply_link,
    "unlink": apply_link,
    **APPLY_STATEMENT,
}

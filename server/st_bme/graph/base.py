"""How a base takes part in a fold (docs/storage.md, rule 35).

A base is a graph whose records are gone. It is folded message by message like an answer: at each message that it holds,
what this message brought into the graph. So nothing of a message shows that is absent or read again, and what a later
message set stands whatever is said about an earlier one.
"""

from __future__ import annotations

from dataclasses import replace

from st_bme.graph.base_ledgers import take_ledgers, told_time
from st_bme.graph.by_message import WITHOUT_MESSAGE
from st_bme.graph.fold_state import FoldState, is_latest_only
from st_bme.graph.ids import edge_id
from st_bme.graph.records import Base
from st_bme.model.edge import ENDED_BY_HAND, Edge
from st_bme.model.node import SET_BY_ALL, SET_BY_HAND, Node, setter_keys
from st_bme.model.schema import STORY_TYPES
from st_bme.model.scope import Scope


def take_base(state: FoldState, identity: str, base: Base, key: str) -> None:
    """Fold what a base says at one message, or, at the start, what it says `WITHOUT_MESSAGE`."""
    if key != WITHOUT_MESSAGE:
        state.base_seen.add(key)
    if key in base.ledgers_at:
        take_ledgers(state, base.ledgers, base.ledgers_at[key], key)
    for node in base.nodes_at.get(key, ()):
        _show(state, (identity, node.id), base, node, key)
    for edge in base.edges_at.get(key, ()):
        _join(state, edge)
    for edge in base.ends_at.get(key, ()):
        _end(state, edge)


def _show(state: FoldState, place: tuple[str, str], base: Base, node: Node, key: str) -> None:
    """Make the node, or add what the message brought to it."""
    seen_before = state.base_sources.get(place, 0)
    seen = state.base_sources[place] = seen_before + (key != WITHOUT_MESSAGE)
    is_complete = seen == len(node.sources)
    present = state.nodes.get(node.id)
    shown = _shown_fields(state, node, seen)
    if present is None:
        if not shown:
            return
        made = _made(node, shown, tuple(source for source in node.sources if source in state.base_seen))
        state.put(_completed(state, made, node) if is_complete else made)
        _wake_waiting(state, base, node.id)
    else:
        brought = {name: text for name, text in shown.items() if _brings(node, name, key, is_complete)}
        added = _added(present, node, brought, key)
        added = replace(added, mentions=added.mentions + _mentions(node, seen) - _mentions(node, seen_before))
        state.put(_completed(state, added, node) if is_complete else added)
    if is_complete:
        _settle(state, base, node)


def _setter(node: Node, name: str) -> str:
    """Who set a field; where nothing is said, its first source did."""
    return node.setters.get(name, node.sources[0] if node.sources else SET_BY_HAND)


def _shown_fields(state: FoldState, node: Node, seen: int) -> dict[str, str]:
    """The fields that may show now, none where one is hidden that the type requires. Who is spoken of keeps a name."""
    shown = {}
    is_complete = seen == len(node.sources)
    for name, text in node.fields.items():
        setter = _setter(node, name)
        if is_complete if setter == SET_BY_ALL else state.base_seen.issuperset(setter_keys(setter, node.sources)):
            shown[name] = text
    if is_latest_only(node.type) and seen > 0 and "name" in node.fields and "name" not in shown:
        shown = {"name": (*node.former_names, node.fields["name"])[0], **shown}
    required = STORY_TYPES[node.type].required if node.type in STORY_TYPES else ()
    return shown if all(name in shown for name in required if name in node.fields) else {}


def _brings(node: Node, name: str, key: str, is_complete: bool) -> bool:
    """True if it is this message that brings the field."""
    setter = _setter(node, name)
    return is_complete if setter == SET_BY_ALL else key in setter_keys(setter, node.sources)


def _mentions(node: Node, seen: int) -> int:
    """How often a node has been told of after so many of its sources."""
    return node.mentions if seen == len(node.sources) else min(seen, node.mentions)


def _made(node: Node, fields: dict[str, str], sources: tuple[str, ...]) -> Node:
    """The node as far as these of its sources tell it."""
    is_merged = node.redirect != "" or node.parent_id != ""
    return Node(
        id=node.id,
        type=node.type,
        fields=fields,
        sources=sources,
        importance=node.importance,
        scope=node.scope if is_latest_only(node.type) else _without_region(node.scope),
        archived_by="" if is_merged or node.archived_by == "upkeep" else node.archived_by,
        mentions=max(1, _mentions(node, len(sources))),
        setters={name: setter for name, setter in node.setters.items() if name in fields and (setter,) != sources[:1]},
        pinned=node.pinned,
        locked=node.locked,
        user_edited=node.user_edited,
    )


def _without_region(scope: Scope) -> Scope:
    """Whose memory it is stays; where, only its messages together tell."""
    return Scope(scope.layer, scope.owner_type, scope.owner_id, scope.owner_name)


def _added(present: Node, node: Node, brought: dict[str, str], key: str) -> Node:
    is_first = key in node.sources[:1]
    others = tuple(source for source in present.sources if source != key)
    sources = (key, *others) if is_first else present.sources if key in present.sources else (*others, key)
    setters = {**present.setters, **{name: _setter(node, name) for name in brought}}
    return replace(
        present,
        fields={**present.fields, **brought},
        sources=sources,
        setters={name: setter for name, setter in setters.items() if (setter,) != sources[:1]},
    )


def _completed(state: FoldState, made: Node, node: Node) -> Node:
    """What no single message is known to have brought shows when all of them are there."""
    more = tuple(source for source in made.sources if source not in node.sources)
    return replace(
        made,
        sources=(*node.sources, *more),
        scope=node.scope,
        story_time=told_time(state, node.story_time),
        clusters=node.clusters,
        former_names=node.former_names,
        child_ids=node.child_ids,
        level=node.level,
    )


def _settle(state: FoldState, base: Base, node: Node) -> None:
    """Put away what upkeep put away or merged, once what stands for it is there."""
    stands_for = node.redirect or node.parent_id
    if stands_for in base.node_ids and stands_for not in state.nodes:
        state.base_waiting[stands_for] = (*state.base_waiting.get(stands_for, ()), node)
        return
    if stands_for or node.archived_by == "upkeep":
        put_away = replace(
            state.nodes[node.id], archived_by=node.archived_by, redirect=node.redirect, parent_id=node.parent_id
        )
        state.put(put_away)


def _wake_waiting(state: FoldState, base: Base, node_id: str) -> None:
    for waiting in state.base_waiting.pop(node_id, ()):
        if isinstance(waiting, Edge):
            _join(state, waiting)
        else:
            _settle(state, base, waiting)


def _join(state: FoldState, edge: Edge) -> None:
    """Join as soon as both ends are there."""
    for end in (edge.from_id, edge.to_id):
        if end not in state.nodes:
            state.base_waiting[end] = (*state.base_waiting.get(end, ()), edge)
            return
    if edge.ended == ENDED_BY_HAND or edge.ended in state.base_seen:
        _remember(state, edge)
    else:
        state.join(edge)


def _remember(state: FoldState, edge: Edge) -> None:
    """Add an edge that has ended: it joins nothing, so no merge leads it elsewhere."""
    key = (edge.from_id, edge.to_id, edge.relation, edge.scope.identity)
    number = state.edge_counts.get(key, 0)
    state.edge_counts[key] = number + 1
    identity = edge_id(edge.from_id, edge.to_id, edge.relation, edge.scope, number)
    state.edges[identity] = replace(edge, id=identity)


def _end(state: FoldState, edge: Edge) -> None:
    identity = state.current_edges.get((edge.from_id, edge.to_id, edge.relation, edge.scope.identity))
    if identity is not None:
        state.end(identity, edge.ended)

"""Operations that say something beside memories: who knows what, where everyone is, what variables hold."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import pairwise

from st_bme.graph.fold_state import FoldState, name_key
from st_bme.graph.ids import fold_name
from st_bme.graph.ledgers import SCENE, owner_key, region_key
from st_bme.graph.targets import Origin, find_target, missing
from st_bme.model.ledger import STANCES, Knowledge, RegionFact, Stance, Variable
from st_bme.model.node import Node
from st_bme.model.operation import Action, Operation, Refusal
from st_bme.model.scope import OBJECTIVE, Scope

BELIEF = "belief"
_STANCES: Mapping[str, Stance] = {"": "known", **{stance: stance for stance in STANCES}}


def owner_of(state: FoldState, scope: Scope) -> str:
    """The key of whose scope this is, "" for nobody's. A renamed character stays who it was."""
    if scope.layer != "pov" or not scope.owner_type:
        return ""
    name = scope.owner_name or scope.owner_id
    if scope.owner_type == "character":
        node = state.nodes.get(state.follow(state.names.get(name_key("character", OBJECTIVE, name), "")))
        name = _first_name(node) if node else name
    return owner_key(scope.owner_type, name)


def _first_name(node: Node) -> str:
    return (*node.former_names, node.name)[0]


def _know(state: FoldState, origin: Origin, operation: Operation) -> Refusal | None:
    identity = find_target(state, origin.record_id, operation.target) if operation.target else ""
    if not identity:
        return missing(operation.target)
    owner = owner_of(state, operation.scope)
    if not owner:
        return Refusal("no_owner", "who knows it needs the scope of a point of view")
    stance = _STANCES.get(operation.relation)
    if stance is None:
        return Refusal("unknown_stance", f"unknown stance {operation.relation!r}; known: {', '.join(STANCES)}")
    part = 1.0 if operation.strength is None else min(max(operation.strength, 0.0), 1.0)
    name = operation.scope.owner_name or operation.scope.owner_id
    said = Knowledge(
        owner=owner,
        owner_name=name,
        node_id=identity,
        stance=stance,
        source=origin.source,
        visibility={"known": 1.0, "partial": part}.get(stance, 0.0),
        belief=operation.fields.get(BELIEF, "") if stance == "mistaken" else "",
    )
    before = state.knowledge.get((owner, identity))
    if before is None or not _knows_better(before, said):
        state.knowledge[(owner, identity)] = said
    return None


def _knows_better(before: Knowledge, said: Knowledge) -> bool:
    """What is known in part adds nothing to what is known as well or better, and corrects no mistake."""
    if said.stance != "partial":
        return False
    return before.stance == "mistaken" or (before.stance != "hidden" and before.visibility >= said.visibility)


def _region(state: FoldState, origin: Origin, operation: Operation) -> Refusal | None:
    scope = operation.scope
    path = [part for part in scope.region_path if fold_name(part)]
    place = scope.region_primary if fold_name(scope.region_primary) else path[-1] if path else ""
    if not place:
        return Refusal("no_region", "a region needs a name")
    if path and fold_name(path[-1]) != fold_name(place):
        path.append(place)
    for holder, held in pairwise(path):
        _say_of_region(state, RegionFact("within", held, holder, origin.source))
    for other in scope.region_secondary:
        _say_of_region(state, RegionFact("beside", place, other, origin.source))
    if operation.flag:
        owner = owner_of(state, scope)
        if scope.layer == "pov" and not owner:
            return Refusal("no_owner", "nobody is named who is there")
        _say_of_region(state, RegionFact("at", place, owner or SCENE, origin.source))
    return None


def _say_of_region(state: FoldState, fact: RegionFact) -> None:
    """Keep a fact; that a place lies within or beside itself says nothing."""
    folded = fold_name(fact.other)
    if fact.relation == "at" or (folded and folded != fold_name(fact.place)):
        state.regions[region_key(fact.relation, fact.place, fact.other)] = fact


def _set(state: FoldState, origin: Origin, operation: Operation) -> Refusal | None:
    said = {name: value for name, value in operation.fields.items() if fold_name(name)}
    if not said:
        return Refusal("no_variable", "a variable needs a name")
    for name, value in said.items():
        if value:
            state.variables[fold_name(name)] = Variable(name, value, origin.source)
        else:
            state.variables.pop(fold_name(name), None)
    return None


APPLY_STATEMENT: Mapping[Action, Callable[[FoldState, Origin, Operation], Refusal | None]] = {
    "know": _know,
    "region": _region,
    "set": _set,
}


def merge_knowledge(state: FoldState, gone: Node, stays: Node) -> None:
    """What is known of a node that was merged is known of the one that stays; so does who was merged know it."""
    owners = {}
    if gone.type == stays.type == "character":
        owners = {owner_key("character", _first_name(gone)): (owner_key("character", _first_name(stays)), stays.name)}
    for key, said in list(state.knowledge.items()):
        owner, name = owners.get(said.owner, (said.owner, said.owner_name))
        node_id = stays.id if said.node_id == gone.id else said.node_id
        if (owner, node_id) != key:
            del state.knowledge[key]
            state.knowledge.setdefault((owner, node_id), replace(said, owner=owner, owner_name=name, node_id=node_id))

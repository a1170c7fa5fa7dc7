"""Consolidation: what is told anew is compared with what is known, and changes how that is understood.

One call judges several new memories: keep, merge, update or skip (the conflict check), and how their neighbours are to
be understood from now on (evolution). Each verdict, and each changed neighbour, is a decision of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from st_bme.graph.memory_graph import MemoryGraph
from st_bme.graph.records import RecordSet, Upkeep
from st_bme.model.edge import as_relation
from st_bme.model.node import Node
from st_bme.model.operation import Operation, Target
from st_bme.model.schema import STORY_TYPES, columns_of
from st_bme.prompts.consolidate import Verdict, consolidate_prompt, read_verdicts
from st_bme.prompts.upkeep import LONGEST_TEXT
from st_bme.upkeep.likeness import Likeness, most_alike
from st_bme.upkeep.reading import Reading
from st_bme.upkeep.schedule import free_nodes, is_the_users
from st_bme.upkeep.situation import Decision, Job, Situation, Task

CONSOLIDATE, EVOLVE = "consolidate", "evolve"
REACH = 20
"""Messages from the end in which a memory counts as new: what was read long ago is not judged all at once."""

MOST_AT_ONCE = 8
LINK_STRENGTH = 0.7
"""The original ST-BME's."""

_UNDERSTOOD_IN = ("state", "summary", "core_note")
_NOT_JUDGED = frozenset(("synopsis", "reflection"))


@dataclass(frozen=True, slots=True)
class Case:
    """What one call is about: new memories, old ones near them, each by its ref, and which are near which."""

    new: Mapping[str, Node]
    old: Mapping[str, Node]
    near: Mapping[str, Sequence[str]]

    def named(self, ref: str) -> Node | None:
        return self.new.get(ref) or self.old.get(ref)


def due_consolidation(situation: Situation) -> Iterator[Job]:
    """New memories that are near others: several together, or at once what is very much alike."""
    settings = situation.settings
    new = new_memories(situation)
    if not new:
        return
    likeness = Likeness(situation.graph, situation.vector_of)
    count = settings.int("evoNeighborCount")
    near = {node.id: likeness.nearest(node, count=count) for node in new}
    judged = [node for node in new if near[node.id]]
    together, limit = settings.bool("enableConsolidation"), 1.0 + 1e-9
    if together:
        limit = settings.float("consolidationThreshold")
    if settings.bool("enablePreciseConflict"):
        limit = min(limit, settings.float("conflictThreshold"))
    fewest = 1 if situation.now else settings.int("consolidationAutoMinNewNodes")
    if not together or len(judged) < fewest:
        judged = [node for node in judged if most_alike(near[node.id]) >= limit]
    if judged:
        chosen = judged[:MOST_AT_ONCE]
        yield _job(situation, chosen, {node.id: [other for other, _ in near[node.id]] for node in chosen})


def new_memories(situation: Situation) -> list[Node]:
    """Memories that came with the last messages and that nobody has judged, oldest first."""
    graph = situation.graph
    places = graph.places()
    first = 0 if situation.now else len(graph.view) - REACH
    tells_of_change = {edge.from_id for edge in graph.edges.values() if edge.relation == "updates"}
    judged = _judged(situation)
    nodes = [
        node
        for node in graph.active_nodes()
        if node.type in STORY_TYPES
        and node.type not in _NOT_JUDGED
        and node.level == 0
        and node.id not in judged
        and node.id not in tells_of_change
        and node.sources
        and places.get(node.sources[0], -1) >= first
    ]
    return free_nodes(CONSOLIDATE, nodes, situation.records)


def _judged(situation: Situation) -> set[str]:
    """Memories on which a verdict stands, or was undone."""
    off = situation.records.switched_off()
    return {
        node_id
        for _, identity, record in situation.records.in_order()
        if isinstance(record, Upkeep) and record.task == CONSOLIDATE
        if identity in situation.graph.live or identity in off
        for node_id in record.reads
    }


def _job(situation: Situation, new: Sequence[Node], near: Mapping[str, Sequence[Node]]) -> Job:
    refs = {node.id: f"N{number}" for number, node in enumerate(new, start=1)}
    new_refs = set(refs.values())
    others = {node.id: node for nodes in near.values() for node in nodes if node.id not in refs}
    refs |= {node_id: f"O{number}" for number, node_id in enumerate(others, start=1)}
    case = Case(
        new={refs[node.id]: node for node in new},
        old={refs[node_id]: node for node_id, node in others.items()},
        near={refs[node.id]: [refs[other.id] for other in near[node.id]] for node in new},
    )
    evolves = situation.settings.bool("enableEvolution")

    def decide(answer: str) -> Sequence[Decision]:
        decisions = list(_decisions(case, read_verdicts(answer, sorted(new_refs)), evolves=evolves))
        # What stays as it is first: nothing depends on it, and the history lists a row of it as one.
        return sorted(decisions, key=lambda decision: bool(decision[1]))

    prompt = consolidate_prompt(case.new, case.old, case.near, language=situation.language)
    return Job(tuple(Reading(CONSOLIDATE, (node,)) for node in new), decide, prompt)


def _decisions(case: Case, verdicts: Mapping[str, Verdict], *, evolves: bool) -> Iterator[Decision]:
    """One decision a new memory, and one an old memory that is understood otherwise.

    Of several that would change one memory the first does: the others were made of it as it was before.
    """
    changed: set[str] = set()
    for ref, node in case.new.items():
        verdict = verdicts[ref]
        target = case.named(verdict.target)
        merges = verdict.action in ("merge", "update", "skip") and _is_free(node, target, changed)
        if node.id in changed:
            continue
        if merges and target is not None:
            changed |= {node.id, target.id}
            yield Reading(CONSOLIDATE, (node, target)), [_merge(node, target, verdict)]
            continue
        yield Reading(CONSOLIDATE, (node,)), ()
        if evolves:
            yield from _evolution(case, node, verdict, changed)


def _is_free(node: Node, target: Node | None, changed: set[str]) -> bool:
    return target is not None and target.id != node.id and target.id not in changed and not is_the_users(target)


def _merge(node: Node, target: Node, verdict: Verdict) -> Operation:
    """The new memory goes into the old one, which keeps its name."""
    columns = columns_of(target.type, target.fields)
    told = {column: verdict.fields[column][:LONGEST_TEXT] for column in columns if verdict.fields.get(column)}
    if verdict.action == "update" and not told:
        told = dict(node.fields)
    if verdict.action == "merge" and not told:
        told = {column: text for column, text in node.fields.items() if not target.fields.get(column)}
    if verdict.action == "skip":
        told = {}
    told.pop("name", None)
    return Operation("merge", target=Target(id=node.id), to=Target(id=target.id), fields=told)


def _evolution(case: Case, node: Node, verdict: Verdict, changed: set[str]) -> Iterator[Decision]:
    """What a new memory changes about others: how they are understood, what they are about, what they belong to."""
    links = {link.target: as_relation(link.relation) for link in reversed(verdict.links)}
    changes = {change.target: change for change in reversed(verdict.changes)}
    for ref in dict.fromkeys((*links, *changes)):
        target = case.named(ref)
        if target is None or target.id == node.id or target.id in changed:
            continue
        operations: list[Operation] = []
        if ref in links:
            start, end = Target(id=node.id), Target(id=target.id)
            operations.append(Operation("link", target=start, to=end, relation=links[ref], strength=LINK_STRENGTH))
        if ref in changes and (changes[ref].text or changes[ref].tags) and not is_the_users(target):
            fields = {_understood_in(target): changes[ref].text[:LONGEST_TEXT]} if changes[ref].text else {}
            tags = tuple(changes[ref].tags)
            operations.append(Operation("update", target=Target(id=target.id), fields=fields, clusters=tags))
            changed.add(target.id)
        if operations:
            yield Reading(EVOLVE, (node, target)), operations


def _understood_in(node: Node) -> str:
    """The field that says how a memory is understood."""
    columns = columns_of(node.type, node.fields)
    filled = (column for column in _UNDERSTOOD_IN if node.fields.get(column))
    return next(filled, next((column for column in _UNDERSTOOD_IN if column in columns), columns[-1]))


def evolved(graph: MemoryGraph, records: RecordSet) -> Mapping[str, Sequence[tuple[str, int]]]:
    """By the id of a memory, which new ones changed how it is understood, oldest first, each with the time."""
    found: dict[str, list[tuple[str, int]]] = {}
    for _, identity, record in records.in_order():
        if isinstance(record, Upkeep) and record.task == EVOLVE and identity in graph.live:
            changed = {one.target.id for one in record.operations if one.action == "update" and one.target}
            for node_id in changed:
                found.setdefault(node_id, []).extend((new, record.stamp.time) for new in record.reads if new != node_id)
    return found


CONSOLIDATION = Task(CONSOLIDATE, ("enableConsolidation", "enablePreciseConflict"), due_consolidation)

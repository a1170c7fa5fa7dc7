"""Tidying: tags that differ in spelling alone, and links told in both directions, become one. No model is asked."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator

from st_bme.graph.ids import fold_name
from st_bme.graph.records import Upkeep
from st_bme.model.operation import Operation, Target
from st_bme.upkeep.consolidation import EVOLVE
from st_bme.upkeep.reading import Reading
from st_bme.upkeep.schedule import free_nodes, undecided
from st_bme.upkeep.situation import Decision, Job, Situation, Task

TIDY = "tidy"


def due_tidying(situation: Situation) -> Iterator[Job]:
    """One pass over what evolution made, after so many of its changes; what each memory or pair needs is a decision."""
    if not situation.now and len(_changes(situation)) < situation.settings.int("evoConsolidateEvery"):
        return
    wanted = {reading.memo_key: (reading, said) for reading, said in (*_tags(situation), *_links(situation))}
    readings = tuple(undecided([reading for reading, _ in wanted.values()], situation.records))
    if readings:
        yield Job(readings, lambda _: [wanted[reading.memo_key] for reading in readings])


def _changes(situation: Situation) -> list[Upkeep]:
    """What evolution changed since the last pass that stands or was undone."""
    live, off = situation.graph.live, situation.records.switched_off()
    found: list[Upkeep] = []
    for _, identity, record in situation.records.in_order():
        if isinstance(record, Upkeep) and record.task == TIDY and (identity in live or identity in off):
            found.clear()
        elif isinstance(record, Upkeep) and record.task == EVOLVE and identity in live:
            found.append(record)
    return found


def _tags(situation: Situation) -> Iterator[Decision]:
    """Memories with tags that most others spell otherwise."""
    nodes = situation.graph.active_nodes()
    counts = Counter(tag for node in nodes for tag in node.clusters)
    spelled: dict[str, str] = {}
    for tag, _ in counts.most_common():
        spelled.setdefault(fold_name(tag), tag)
    for node in free_nodes(TIDY, nodes, situation.records):
        wanted = tuple(dict.fromkeys(spelled[fold_name(tag)] for tag in node.clusters))
        if wanted != node.clusters:
            yield (
                Reading(TIDY, (node,)),
                [Operation("update", target=Target(id=node.id), clusters=wanted, flag=False)],
            )


def _links(situation: Situation) -> Iterator[Decision]:
    """Pairs that evolution linked and that one relation joins both ways: the first with the higher strength."""
    nodes = {node.id: node for node in free_nodes(TIDY, situation.graph.active_nodes(), situation.records)}
    evolved = {frozenset(record.reads) for record in _changes(situation)}
    pairs = defaultdict(list)
    for edge in situation.graph.current_edges():
        ends = frozenset((edge.from_id, edge.to_id))
        if ends in evolved and ends <= nodes.keys():
            pairs[ends, edge.relation, edge.scope.identity].append(edge)
    for edges in pairs.values():
        if len(edges) > 1:
            first = edges[0]
            start, end = Target(id=first.from_id), Target(id=first.to_id)
            ended = Operation("unlink", target=start, to=end, relation=first.relation, scope=first.scope)
            strength = max(edge.strength for edge in edges)
            made = Operation(
                "link", target=start, to=end, relation=first.relation, scope=first.scope, strength=strength
            )
            yield Reading(TIDY, (nodes[first.from_id], nodes[first.to_id])), [ended, made]


TIDYING = Task(TIDY, ("enableEvolution",), due_tidying, needs_model=False)

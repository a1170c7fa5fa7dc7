"""Which upkeep is due (docs/storage.md, rule 30): computed from graph and records, never from a stored counter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from st_bme.graph.fold_state import node_digest
from st_bme.graph.memory_graph import MemoryGraph
from st_bme.graph.records import Base, RecordSet, Upkeep
from st_bme.graph.schedule import AnchorFinder
from st_bme.model.message import Role
from st_bme.model.node import Node
from st_bme.model.schema import SUMMARY
from st_bme.upkeep.reading import Reading
from st_bme.write.plan import PlanRules, plan_extraction


def replies_since(task: str, graph: MemoryGraph, roles: Sequence[Role], records: RecordSet) -> int:
    """How many covered replies stand behind the last record of the task that lives or that the user undid."""
    off = records.switched_off()
    find = AnchorFinder(graph.view)
    counted = (
        find.place_of(record.anchor)
        for _, identity, record in records.in_order()
        if isinstance(record, Upkeep) and record.task == task and (identity in graph.live or identity in off)
    )
    start = max(counted, default=-1) + 1
    states = zip(roles, graph.coverage.owners, graph.pending, strict=True)
    covered = [owner is not None and not is_pending and role == "assistant" for role, owner, is_pending in states]
    return sum(covered[start:])


def runs_to_summarise(
    task: str, graph: MemoryGraph, roles: Sequence[Role], records: RecordSet, rules: PlanRules
) -> list[Reading]:
    """The runs of messages that lie under no summary and are due for one, first to last.

    At the end `rules.every` replies are due together, with `rules.flush` also fewer; what lies before a summary is due
    at once. Nothing behind a message that is still to be read is due.
    """
    end = graph.pending.index(True) if True in graph.pending else len(graph.view)
    if rules.flush:
        # What still has no reply is worth no call, whoever asks.
        end = max((place + 1 for place in range(1, end) if roles[place] == "assistant"), default=0)
    condensed = graph.condensed.get(task, (False,) * len(graph.view))
    done = _done_by_bases(graph, records)
    owned = zip(condensed[:end], done, graph.coverage.owners, strict=False)
    open_places = [not is_condensed and not is_done and owner is not None for is_condensed, is_done, owner in owned]
    ranges = plan_extraction(roles[:end], open_places, rules).runs
    return [Reading(task, run=tuple(graph.view[place] for place in places)) for places in ranges]


def _done_by_bases(graph: MemoryGraph, records: RecordSet) -> list[bool]:
    """Of each message of the view whether a base is done with it.

    That is so up to the last message that a summary of the base tells of, and for all that a base without summaries
    knows; but a message of which only such summaries told that do not show any more needs a new one.
    """
    done = [False] * len(graph.view)
    for base_id in {owner.answer_id for owner in graph.coverage.owners if owner is not None and owner.is_base}:
        base = records.get(base_id)
        summaries = [node for node in base.nodes if node.type == SUMMARY] if isinstance(base, Base) else []
        told = {key for node in summaries for key in node.sources}
        shown = {key for node in summaries if node.id in graph.summaries for key in node.sources}
        last = max((place for place, key in enumerate(graph.view) if key in told), default=len(graph.view) - 1)
        for place, (key, owner) in enumerate(zip(graph.view, graph.coverage.owners, strict=True)):
            is_its = owner is not None and owner.answer_id == base_id
            done[place] |= is_its and place <= last and (key in shown or key not in told)
    return done


@dataclass(frozen=True, slots=True)
class Batch:
    """How nodes of one kind are condensed: the oldest `size` once there are more than `above`, never the newest
    `keep_newest`.
    """

    size: int
    above: int
    keep_newest: int = 0

    def open_of(self, count: int) -> int:
        """How many of `count` nodes stand to be condensed; 0 while they are few."""
        old = count - self.keep_newest
        return old if count > self.above and old >= self.size else 0


def batch_to_condense(reading: Reading, batch: Batch, graph: MemoryGraph, records: RecordSet) -> Reading | None:
    """Of the nodes of one kind that a task might condense, those that it condenses next; None while they are few."""
    places = graph.places()
    by_age = sorted(reading.nodes, key=lambda node: max((places.get(key, -1) for key in node.sources), default=-1))
    free = free_nodes(reading.task, by_age[: batch.open_of(len(by_age))], records)
    batches = (tuple(free[first : first + batch.size]) for first in range(len(free) - batch.size + 1))
    return next_undecided([Reading(reading.task, nodes) for nodes in batches], records)


def free_nodes(task: str, nodes: Sequence[Node], records: RecordSet) -> list[Node]:
    """The nodes that a task may read: none that is the user's, none that an undone record of it read as it is now."""
    off = records.switched_off()
    undone = {
        read
        for _, identity, record in records.in_order()
        if isinstance(record, Upkeep) and record.task == task and identity in off
        for read in record.reads.items()
    }
    return [
        node
        for node in nodes
        if not is_the_users(node) and (node.id, node_digest(node)) not in undone
    ]


def is_the_users(node: Node) -> bool:
    """True for what upkeep never rewrites."""
    return node.pinned or node.locked or node.user_edited


def undecided(readings: Sequence[Reading], records: RecordSet) -> list[Reading]:
    """Those of them that no record decided, whatever it decided and whether it lives."""
    if not readings:
        return []
    decided = {record.memo_key for record in records.all() if isinstance(record, Upkeep)}
    return [reading for reading in readings if reading.memo_key not in decided]


def next_undecided(readings: Sequence[Reading], records: RecordSet) -> Reading | None:
    """The first of them that no record decided."""
    return next(iter(undecided(readings, records)), None)

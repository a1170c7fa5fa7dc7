"""Scripted doubles of upkeep: they decide without a model and leave the records that the real tasks leave."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from scenarios.memory_model import Memory
from st_bme.model.node import Node
from st_bme.model.operation import Operation, Target
from st_bme.model.schema import SUMMARY
from st_bme.upkeep.reading import Reading
from st_bme.upkeep.schedule import (
    Batch,
    batch_to_condense,
    free_nodes,
    next_undecided,
    replies_since,
    runs_to_summarise,
)
from st_bme.write.plan import PlanRules

MERGE, SUMMARISE, FORGET, COMPRESS, JUDGE = "merge", "summarise", "forget", "compress", "judge"
SUMMARISE_EVERY = 2
FORGET_EVERY = 3
ROLL_UP = Batch(size=2, above=2)
EVENTS = Batch(size=2, above=4, keep_newest=2)
MAX_DECISIONS = 100

Decision = tuple[Reading, Sequence[Operation]]


def keep_up(memory: Memory, texts: Mapping[str, str], follow: Callable[[], object]) -> None:
    """Decide on all that is due, one record after the other.

    Args:
        texts: the text of each message, by key.
        follow: folds the memory anew.
    """
    for _ in range(MAX_DECISIONS):
        decision = next(_due(memory, texts), None)
        if decision is None:
            return
        reading, operations = decision
        memory.records.add(reading.decide(memory.graph, memory.stamp(reading.task), operations))
        follow()
    raise AssertionError("upkeep finds no end")


def _due(memory: Memory, texts: Mapping[str, str]) -> Iterator[Decision]:
    yield from _merge(memory)
    yield from _judge(memory)
    yield from _summarise(memory, texts)
    yield from _roll_up(memory)
    yield from _forget(memory)
    yield from _compress(memory)


def _told(nodes: Sequence[Node]) -> str:
    """All that nodes say, in one text."""
    return " + ".join(text for node in nodes for name, text in sorted(node.fields.items()) if name != "name")


def _of_type(memory: Memory, task: str, node_type: str) -> list[Node]:
    nodes = [node for node in memory.graph.active_nodes() if node.type == node_type]
    return free_nodes(task, nodes, memory.records)


def _merge(memory: Memory) -> Iterator[Decision]:
    """Two characters of whom one's name begins with the other's are one."""
    people = _of_type(memory, MERGE, "character")
    alike = [
        Reading(MERGE, (kept, gone))
        for kept in people
        for gone in people
        if kept is not gone and gone.name.startswith(kept.name)
    ]
    reading = next_undecided(alike, memory.records)
    if reading is not None:
        kept, gone = reading.nodes
        said = {"traits": _told((kept, gone))}
        yield reading, [Operation("merge", target=Target(id=gone.id), to=Target(id=kept.id), fields=said)]


def _judge(memory: Memory) -> Iterator[Decision]:
    """Looks at each place and finds nothing to do."""
    places = [Reading(JUDGE, (node,)) for node in _of_type(memory, JUDGE, "location")]
    reading = next_undecided(places, memory.records)
    if reading is not None:
        yield reading, ()


def _summary(said: str) -> Operation:
    return Operation("create", type=SUMMARY, fields={"summary": said}, ref="all")


def _summarise(memory: Memory, texts: Mapping[str, str]) -> Iterator[Decision]:
    rules = PlanRules(every=SUMMARISE_EVERY)
    for reading in runs_to_summarise(SUMMARISE, memory.graph, memory.roles, memory.records, rules):
        yield reading, [_summary(" + ".join(texts[key] for key in reading.run))]


def _roll_up(memory: Memory) -> Iterator[Decision]:
    frontier = memory.graph.frontier()
    for level in sorted({summary.level for summary in frontier}):
        alike = tuple(summary for summary in frontier if summary.level == level)
        reading = batch_to_condense(Reading(SUMMARISE, alike), ROLL_UP, memory.graph, memory.records)
        if reading is not None:
            yield reading, [_summary(_told(reading.nodes)), *_put_away(reading.nodes)]


def _put_away(nodes: Sequence[Node]) -> list[Operation]:
    return [Operation("archive", target=Target(id=node.id), to=Target(ref="all")) for node in nodes]


def _forget(memory: Memory) -> Iterator[Decision]:
    if replies_since(FORGET, memory.graph, memory.roles, memory.records) >= FORGET_EVERY:
        goals = [Reading(FORGET, (node,)) for node in _of_type(memory, FORGET, "event") if node.level == 0]
        reading = next_undecided(goals, memory.records)
        if reading is not None:
            yield reading, [Operation("archive", target=Target(id=reading.nodes[0].id))]


def _compress(memory: Memory) -> Iterator[Decision]:
    events = tuple(node for node in memory.graph.active_nodes() if node.type == "event" and node.level == 0)
    reading = batch_to_condense(Reading(COMPRESS, events), EVENTS, memory.graph, memory.records)
    if reading is not None:
        made = Operation("create", type="event", fields={"summary": _told(reading.nodes)}, ref="all")
        yield reading, [made, *_put_away(reading.nodes)]

"""Reflections and synopses: what many memories together come to, every so many replies."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from st_bme.errors import AnswerUnusable
from st_bme.model.node import Node
from st_bme.model.operation import Operation, Target
from st_bme.prompts.upkeep import (
    LONGEST_TEXT,
    ReflectionAnswer,
    SummaryAnswer,
    node_lines,
    read_summary,
    read_upkeep,
    upkeep_prompt,
)
from st_bme.upkeep.reading import Reading
from st_bme.upkeep.schedule import is_the_users, next_undecided, replies_since
from st_bme.upkeep.situation import Decision, Job, Situation, Task
from st_bme.upkeep.summaries import put_away

REFLECT, SYNOPSIS = "reflect", "synopsis"

LAST_EVENTS, FEWEST_EVENTS, LAST_CHARACTERS, LAST_THREADS, LAST_CONTRADICTIONS = 6, 2, 5, 4, 5
LINKED_EVENTS = 3
EVOLVES_STRENGTH = 0.75
IMPORTANCE, LOWEST_IMPORTANCE, HIGHEST_IMPORTANCE = 7.0, 5.0, 10.0
"""The original ST-BME's numbers."""

FEWEST_SYNOPSIS_EVENTS = 3
SYNOPSIS_IMPORTANCE = 9.0
SYNOPSIS_LENGTH = "200"
_MOST_SYNOPSIS_EVENTS = 40
_MADE = "made"


def due_reflections(situation: Situation) -> Iterator[Job]:
    """One over the last events, with who and what they are about, and what contradicts itself."""
    events = _newest(situation, "event", LAST_EVENTS)
    if not _is_due(situation, REFLECT, "reflectEveryN") or len(events) < FEWEST_EVENTS:
        return
    contradictions, between = _contradictions(situation)
    people = _newest(situation, "character", LAST_CHARACTERS)
    threads = _newest(situation, "thread", LAST_THREADS)
    # All that is shown is read: what comes of it may repeat any of it.
    read = {node.id: node for node in (*events, *people, *threads, *between)}
    reading = next_undecided([Reading(REFLECT, tuple(read.values()))], situation.records)
    if reading is None:
        return
    values = {
        "events": node_lines(events),
        "characters": node_lines(people),
        "threads": node_lines(threads),
        "contradictions": contradictions,
    }

    def decide(answer: str) -> Sequence[Decision]:
        return [(reading, _reflection(read_upkeep(answer, ReflectionAnswer), events))]

    yield Job((reading,), decide, upkeep_prompt("reflect", situation.language, values, ReflectionAnswer))


def _reflection(answer: ReflectionAnswer, events: Sequence[Node]) -> list[Operation]:
    if not answer.insight:
        raise AnswerUnusable("the answer holds no insight")
    said = {"insight": answer.insight, "trigger": answer.trigger, "suggestion": answer.suggestion}
    fields = {key: text[:LONGEST_TEXT] for key, text in said.items() if text}
    weight = IMPORTANCE if answer.importance is None else answer.importance
    importance = min(max(weight, LOWEST_IMPORTANCE), HIGHEST_IMPORTANCE)
    made = Operation("create", type="reflection", fields=fields, importance=importance, ref=_MADE)
    links = [
        Operation(
            "link", target=Target(ref=_MADE), to=Target(id=event.id), relation="evolves", strength=EVOLVES_STRENGTH
        )
        for event in events[-LINKED_EVENTS:]
    ]
    return [made, *links]


def due_synopses(situation: Situation) -> Iterator[Job]:
    """One that takes the place of the one before, unless that is the user's."""
    old = situation.of_type("synopsis")
    events = _newest(situation, "event", _MOST_SYNOPSIS_EVENTS)
    is_due = _is_due(situation, SYNOPSIS, "synopsisEveryN") and len(events) >= FEWEST_SYNOPSIS_EVENTS
    if not is_due or any(is_the_users(node) for node in old):
        return
    people = _newest(situation, "character", LAST_EVENTS)
    threads = _newest(situation, "thread", LAST_EVENTS)
    reading = next_undecided([Reading(SYNOPSIS, (*events, *people, *threads, *old))], situation.records)
    if reading is None:
        return
    values = {
        "before": "\n".join(node.name for node in old),
        "events": node_lines(events),
        "characters": node_lines(people),
        "threads": node_lines(threads),
        "most": SYNOPSIS_LENGTH,
    }

    def decide(answer: str) -> Sequence[Decision]:
        fields = {"summary": read_summary(answer)}
        made = Operation("create", type="synopsis", fields=fields, importance=SYNOPSIS_IMPORTANCE, ref=_MADE)
        return [(reading, [made, *put_away(old, _MADE)])]

    yield Job((reading,), decide, upkeep_prompt("synopsis", situation.language, values, SummaryAnswer))


def _is_due(situation: Situation, task: str, every: str) -> bool:
    replies = replies_since(task, situation.graph, situation.roles, situation.records)
    return replies >= (1 if situation.now else situation.settings.int(every))


def _newest(situation: Situation, node_type: str, count: int) -> list[Node]:
    """The newest of a type, oldest first, as the story tells of them."""
    places = situation.graph.places()
    nodes = situation.of_type(node_type)
    return sorted(nodes, key=lambda node: max((places.get(key, -1) for key in node.sources), default=-1))[-count:]


def _contradictions(situation: Situation) -> tuple[str, list[Node]]:
    """The newest relations that say so, as text, and the memories between which they are."""
    nodes: Mapping[str, Node] = {node.id: node for node in situation.graph.active_nodes()}
    edges = [edge for edge in situation.graph.current_edges() if edge.relation == "contradicts"]
    pairs = [(nodes[edge.from_id], nodes[edge.to_id]) for edge in edges if {edge.from_id, edge.to_id} <= nodes.keys()]
    shown = pairs[-LAST_CONTRADICTIONS:]
    text = "\n".join(f"{node_lines([one], letter='A')}\n{node_lines([other], letter='B')}" for one, other in shown)
    return text, [node for pair in shown for node in pair]


REFLECTION = Task(REFLECT, ("enableReflection",), due_reflections)
SYNOPSES = Task(SYNOPSIS, ("enableSynopsis",), due_synopses)

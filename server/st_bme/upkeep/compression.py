"""Compression: older memories of one kind become one of a higher level (docs/algorithms.md, upkeep)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from st_bme.errors import AnswerUnusable
from st_bme.model.node import Node
from st_bme.model.operation import Operation
from st_bme.model.schema import STORY_TYPES
from st_bme.prompts.upkeep import LONGEST_TEXT, CompressedAnswer, node_lines, read_upkeep, upkeep_prompt
from st_bme.upkeep.reading import Reading
from st_bme.upkeep.schedule import Batch, batch_to_condense, replies_since
from st_bme.upkeep.situation import Decision, Job, Situation, Task
from st_bme.upkeep.summaries import put_away

COMPRESS = "compress"
_MADE = "made"
_MOST_PARTICIPANTS = 12


@dataclass(frozen=True, slots=True)
class Window:
    """How memories of one type are condensed, and up to which level."""

    batch: Batch
    deepest: int


WINDOWS: Mapping[str, Window] = {
    "event": Window(Batch(size=3, above=9, keep_newest=6), deepest=10),
    "thread": Window(Batch(size=3, above=6, keep_newest=3), deepest=5),
    "reflection": Window(Batch(size=3, above=6, keep_newest=3), deepest=3),
    "pov_memory": Window(Batch(size=3, above=8, keep_newest=4), deepest=4),
}
"""The original ST-BME's numbers; other types are never condensed."""


def due_compressions(situation: Situation, windows: Mapping[str, Window] = WINDOWS) -> Iterator[Job]:
    """The oldest batch of each type, level and scope that has grown beyond its window.

    They are waited for until so many replies have come, except where more memories than that are too many: then
    a call was missed before.
    """
    every = situation.settings.int("compressionEveryN")
    replies = replies_since(COMPRESS, situation.graph, situation.roles, situation.records)
    for (node_type, _, _), nodes in _groups(situation, windows).items():
        batch = windows[node_type].batch
        is_behind = len(nodes) > batch.above + every
        if situation.now or replies >= every or is_behind:
            reading = batch_to_condense(Reading(COMPRESS, tuple(nodes)), batch, situation.graph, situation.records)
            if reading is not None:
                yield _job(situation, reading)


def _groups(situation: Situation, windows: Mapping[str, Window]) -> Mapping[tuple[str, int, str], list[Node]]:
    groups: dict[tuple[str, int, str], list[Node]] = defaultdict(list)
    for node in situation.graph.active_nodes():
        if node.type in windows and node.level < windows[node.type].deepest:
            groups[node.type, node.level, node.scope.identity].append(node)
    return groups


def _job(situation: Situation, reading: Reading) -> Job:
    node_type = STORY_TYPES[reading.nodes[0].type]
    values = {
        "type": node_type.id,
        "columns": ", ".join(node_type.columns),
        "memories": node_lines(reading.nodes),
    }

    def decide(answer: str) -> Sequence[Decision]:
        told = read_upkeep(answer, CompressedAnswer).fields
        fields = {column: told[column][:LONGEST_TEXT] for column in node_type.columns if told.get(column)}
        return [(reading, [_made(reading.nodes, fields), *put_away(reading.nodes, _MADE)])]

    return Job((reading,), decide, upkeep_prompt("compress", situation.language, values, CompressedAnswer))


def _made(nodes: Sequence[Node], fields: Mapping[str, str]) -> Operation:
    """The memory that stands for several: as important as the most important of them, where and whose they were."""
    node_type, first = STORY_TYPES[nodes[0].type], nodes[0]
    lacking = [column for column in ("summary", *node_type.required) if column in node_type.columns]
    missing = [column for column in lacking if column not in fields and any(node.fields.get(column) for node in nodes)]
    if missing and not fields:
        raise AnswerUnusable("the answer fills no field")
    filled = {column: " ".join(filter(None, (node.fields.get(column) for node in nodes))) for column in missing}
    if "participants" in node_type.columns:
        filled["participants"] = _participants(nodes)
    told = {**fields, **{column: text[:LONGEST_TEXT] for column, text in filled.items() if text}}
    importance = max(node.importance for node in nodes)
    return replace(
        Operation("create", type=node_type.id, fields=told, ref=_MADE),
        importance=importance,
        scope=first.scope,
        clusters=tuple(dict.fromkeys(tag for node in nodes for tag in node.clusters)),
    )


def _participants(nodes: Sequence[Node]) -> str:
    """All who took part, so that a name still leads to what it was in."""
    told = (node.fields.get("participants", "").replace("，", ",").replace("、", ",").split(",") for node in nodes)
    names = dict.fromkeys(name.strip() for part in told for name in part if name.strip())
    return ", ".join(list(names)[:_MOST_PARTICIPANTS])


COMPRESSION = Task(COMPRESS, ("enableAutoCompression",), due_compressions)

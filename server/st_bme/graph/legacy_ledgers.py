"""Timeline, cognition and regions of a state of the original ST-BME (docs/storage.md, rule 39).

The state does not say which message told of them. Where a memory of the chat tells the same words, they are that
memory's messages'; what no memory tells stays in the state's bytes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from st_bme.graph import legacy_values as read
from st_bme.graph.ids import fold_name, segment_id
from st_bme.graph.json_reader import JsonObject
from st_bme.graph.ledgers import Ledgers, owner_key, region_key
from st_bme.graph.legacy_graph import LegacyGraph
from st_bme.model.ledger import Knowledge, RegionFact, Stance
from st_bme.model.node import Node
from st_bme.model.story_time import Segment, StoryTime


def import_ledgers(state: JsonObject, graph: LegacyGraph, last_read: str) -> Ledgers:
    """What of them can be tied to messages; `last_read` is the newest message that the original read."""
    nodes = {node.id: node for node in graph.nodes}
    knowledge = read.entries(read.entries(state.get("knowledgeState")).get("owners"))
    known = [said for owner, entry in knowledge.items() for said in _known(owner, read.entries(entry), graph, nodes)]
    facts = _active_region(state, nodes)
    return Ledgers(
        segments=_segments(state, nodes, last_read),
        knowledge={(said.owner, said.node_id): said for said in known},
        regions={region_key(fact.relation, fact.place, fact.other): fact for fact in facts},
    )


def with_segments(node: Node, segments: Mapping[str, Segment]) -> Node:
    """The node with the segments of its story time, where the timeline has them."""
    time = node.story_time
    if time is None:
        return node
    names = _names(segments)
    start, end = names.get(fold_name(time.label), ""), names.get(fold_name(time.end_label), "")
    return replace(node, story_time=replace(time, segment_id=start, end_segment_id=end))


def _names(segments: Mapping[str, Segment]) -> dict[str, str]:
    return {
        fold_name(label): segment.id for segment in segments.values() for label in (segment.label, *segment.aliases)
    }


def _segments(state: JsonObject, nodes: Mapping[str, Node], last_read: str) -> dict[str, Segment]:
    tellers: dict[str, str] = {}
    for node in nodes.values():
        for label in _labels(node.story_time):
            tellers.setdefault(fold_name(label), node.sources[0])
    timeline, history = read.entries(state.get("timelineState")), read.entries(state.get("historyState"))
    now = [
        read.text(value)
        for value in (
            timeline.get("manualActiveSegmentId"),
            history.get("activeStorySegmentId"),
            history.get("activeStoryTimeLabel"),
            timeline.get("lastExtractedSegmentId"),
        )
        if value
    ]
    segments: dict[str, Segment] = {}
    new_ids: dict[str, str] = {}
    for entry in map(read.entries, read.items(timeline.get("segments"))):
        label, old_id = read.text(entry.get("label")).strip(), read.text(entry.get("id"))
        source = tellers.get(fold_name(label))
        if source is None:
            continue
        new_ids[old_id] = segment_id(label)
        aliases = {
            alias: tellers[fold_name(alias)]
            for alias in read.texts(entry.get("aliases"))
            if _is_new(alias, label) and fold_name(alias) in tellers
        }
        segments[segment_id(label)] = Segment(
            id=segment_id(label),
            label=label,
            order=int(read.number(entry.get("order")) or 0),
            source=source,
            relation=read.time_relation(entry.get("relationToParent")),
            parent_id=new_ids.get(read.text(entry.get("parentId")), ""),
            aliases=aliases,
            now_since=last_read if now and now[0] in (old_id, label) else None,
        )
    return segments


def _is_new(alias: str, label: str) -> bool:
    return fold_name(alias) != fold_name(label)


def _labels(time: StoryTime | None) -> tuple[str, ...]:
    return tuple(label for label in (time.label, time.end_label) if label) if time else ()


def _known(key: str, entry: JsonObject, graph: LegacyGraph, nodes: Mapping[str, Node]) -> Iterator[Knowledge]:
    """What one of them knows: what the user said by hand before all else, then mistakes, what is known, glimpses."""
    owner_type, _, folded = key.partition(":")
    name = read.text(entry.get("ownerName")).strip() or folded.partition("#")[0]
    owner = owner_key("user" if owner_type == "user" else "character", name)
    scores = {
        graph.new_id(old): read.number(score) for old, score in read.entries(entry.get("visibilityScores")).items()
    }
    lists: tuple[tuple[str, Stance, bool], ...] = (
        ("manualHiddenNodeIds", "hidden", True),
        ("manualKnownNodeIds", "known", True),
        ("mistakenNodeIds", "mistaken", False),
        ("knownNodeIds", "known", False),
    )
    seen: set[str] = {""}
    for listed, stance, is_by_hand in lists:
        for node_id in map(graph.new_id, read.texts(entry.get(listed))):
            if node_id not in seen:
                seen.add(node_id)
                source = "" if is_by_hand else nodes[node_id].sources[-1]
                yield Knowledge(owner, name, node_id, stance, source, 1.0 if stance == "known" else 0.0)
    for node_id, score in scores.items():
        if node_id not in seen and score is not None and score > 0:
            yield Knowledge(owner, name, node_id, "partial", nodes[node_id].sources[-1], min(score, 1.0))


def _active_region(state: JsonObject, nodes: Mapping[str, Node]) -> list[RegionFact]:
    """Where the scene is, by the newest memory of that place."""
    regions, history = read.entries(state.get("regionState")), read.entries(state.get("historyState"))
    said = (regions.get("manualActiveRegion"), history.get("activeRegion"), history.get("lastExtractedRegion"))
    place = next((text for text in map(read.text, said) if text.strip()), "")
    there = [node for node in nodes.values() if place and fold_name(node.scope.region_primary) == fold_name(place)]
    return [RegionFact("at", place, "", there[-1].sources[-1])] if there else []

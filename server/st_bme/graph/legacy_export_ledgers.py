"""Timeline, cognition and regions as the original ST-BME's states hold them (docs/storage.md, rule 39)."""

from __future__ import annotations

from collections.abc import Mapping

from st_bme.graph.codec import number_to_json
from st_bme.graph.ids import fold_name
from st_bme.graph.json_reader import Json, JsonObject
from st_bme.graph.ledgers import Ledgers
from st_bme.model.ledger import Knowledge
from st_bme.model.story_time import StoryTime


def export_ledgers(ledgers: Ledgers, now_ms: int) -> JsonObject:
    """The three states by their names in the original."""
    return {
        "knowledgeState": {"version": 1, "owners": _owners(ledgers, now_ms)},
        "regionState": _regions(ledgers, now_ms),
        "timelineState": _timeline(ledgers, now_ms),
    }


def export_now(ledgers: Ledgers) -> JsonObject:
    """What the original's history says of where the story stands."""
    now = ledgers.active_segment
    return {
        "activeRegion": ledgers.active_region(),
        "activeStorySegmentId": now.id if now else "",
        "activeStoryTimeLabel": now.label if now else "",
    }


def _timeline(ledgers: Ledgers, now_ms: int) -> JsonObject:
    segments: list[Json] = []
    for segment in ledgers.timeline():
        name = fold_name(segment.label)
        segments.append(
            {
                "id": segment.id,
                "label": segment.label,
                "normalizedKey": name,
                "order": segment.order,
                "aliases": [segment.label, *segment.aliases],
                "parentId": segment.parent_id or None,
                "relationToParent": segment.relation,
                "confidence": "medium",
                "source": "extract",
                "updatedAt": now_ms,
            }
        )
    now = ledgers.active_segment
    return {
        "version": 1,
        "segments": segments,
        "nextOrder": max((segment.order for segment in ledgers.segments.values()), default=0) + 1,
        "manualActiveSegmentId": "",
        "lastExtractedSegmentId": now.id if now else "",
        "recentSegmentIds": [now.id] if now else [],
    }


def _owners(ledgers: Ledgers, now_ms: int) -> JsonObject:
    known: dict[str, list[Knowledge]] = {}
    for said in ledgers.knowledge.values():
        known.setdefault(said.owner, []).append(said)
    return {owner: _owner(owner, said, now_ms) for owner, said in known.items()}


def _owner(owner: str, known: list[Knowledge], now_ms: int) -> JsonObject:
    scores: JsonObject = {
        said.node_id: number_to_json(said.visibility) for said in known if said.stance in ("known", "partial")
    }
    return {
        "ownerType": owner.partition(":")[0],
        "ownerKey": owner,
        "ownerName": known[0].owner_name,
        "aliases": [known[0].owner_name],
        "knownNodeIds": _of(known, "known", by_hand=False),
        "mistakenNodeIds": [said.node_id for said in known if said.stance == "mistaken"],
        "manualKnownNodeIds": _of(known, "known", by_hand=True),
        # The original knows only the user's word for what is hidden.
        "manualHiddenNodeIds": [said.node_id for said in known if said.stance == "hidden"],
        "visibilityScores": scores,
        "updatedAt": now_ms,
    }


def _of(known: list[Knowledge], stance: str, *, by_hand: bool) -> list[Json]:
    return [said.node_id for said in known if said.stance == stance and (said.source == "") == by_hand]


def _regions(ledgers: Ledgers, now_ms: int) -> JsonObject:
    places = [fact for fact in ledgers.regions.values() if fact.relation == "beside"]
    names = dict.fromkeys(name for fact in places for name in (fact.place, fact.other))
    adjacency: JsonObject = {
        name: {"region": name, "adjacent": list(ledgers.adjacent_to(name)), "source": "extract", "updatedAt": now_ms}
        for name in {fold_name(name): name for name in names}.values()
    }
    here = ledgers.active_region()
    return {
        "version": 1,
        "adjacencyMap": adjacency,
        "manualActiveRegion": "",
        "recentRegions": [here] if here else [],
    }


def export_time(time: StoryTime | None, ledgers: Ledgers, *, spans: bool) -> JsonObject:
    """A point, and a span for what the original gives one."""
    if time is None:
        return {}
    names = {identity: segment.label for identity, segment in ledgers.segments.items()}
    label = time.label or names.get(time.segment_id, "")
    if not label:
        return {}
    point: JsonObject = {
        "segmentId": time.segment_id,
        "label": label,
        "tense": time.tense,
        "relation": time.relation,
        "anchorLabel": time.anchor_label,
        "confidence": time.confidence,
        "source": "derived",
    }
    span: JsonObject = {"storyTimeSpan": export_span(time, names)}
    if time.end_segment_id or time.end_label:
        return span
    return {"storyTime": point, **(span if spans else {})}


def export_span(time: StoryTime | None, names: Mapping[str, str]) -> JsonObject:
    start_id = time.segment_id if time else ""
    end_id = time.last_segment_id if time else ""
    start = (time.label if time else "") or names.get(start_id, "")
    end = (time.end_label if time else "") or (names.get(end_id, "") if end_id != start_id else start)
    return {
        "startSegmentId": start_id,
        "endSegmentId": end_id,
        "startLabel": start,
        "endLabel": end,
        "mixed": start != end,
        "source": "derived",
    }

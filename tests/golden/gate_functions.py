"""Our gates, given inputs and giving outputs in the form of the golden files; a memory is one row."""

from typing import Any

import numpy as np

from st_bme.graph.ledgers import Ledgers, owner_key
from st_bme.model.ledger import Knowledge, Stance
from st_bme.model.node import Node
from st_bme.model.scope import Scope
from st_bme.model.story_time import Segment, StoryTime
from st_bme.read.standing import standing_of
from st_bme.scoring.knowledge_gate import knowledge_weights
from st_bme.scoring.scope_gate import Bucket, Viewpoint, scope_buckets
from st_bme.scoring.story_gate import story_cue, story_weights
from st_bme.write.scope import parse_scope

NAMES = {Bucket.OWN_VIEW: "characterPov", Bucket.USER_VIEW: "userPov", Bucket.OTHER_VIEW: "otherPov"}
NAMES |= {Bucket.HERE: "objectiveCurrentRegion", Bucket.NEAR_HERE: "objectiveAdjacentRegion"}
NAMES |= {Bucket.ANYWHERE: "objectiveGlobal"}
BUCKETS = {name: bucket for bucket, name in NAMES.items()}
NOBODY = "character:"

ELIN, RHEN = "艾琳", "雷恩"
SAID: list[tuple[str, str, Stance, float]] = [
    (ELIN, "k1", "known", 1.0),
    (ELIN, "m1", "mistaken", 0.0),
    (ELIN, "h1", "hidden", 0.0),
    (ELIN, "v1", "partial", 0.6),
    (ELIN, "v2", "partial", 0.35),
    (RHEN, "o1", "known", 1.0),
    (RHEN, "v1", "partial", 0.9),
]


def scope_bucket(given: dict[str, Any], _now_ms: int) -> str:
    context = given["ctx"]
    unknown = "" if context.get("allowImplicitCharacterPovFallback", True) else NOBODY
    region = context.get("activeRegion", "") if context.get("enableRegionScopedObjective", True) else ""
    viewpoint = Viewpoint(
        owner_key("character", context.get("activeCharacterPovOwner", "")) or unknown,
        owner_key("user", context.get("activeUserPovOwner", "")),
        region,
        tuple(context.get("adjacentRegions", ())),
    )
    node = Node("n", "pov_memory", {}, (), scope=parse_scope(given["node"].get("scope")))
    bucket = scope_buckets(standing_of([node]).scopes, viewpoint)[0]
    return NAMES[Bucket(int(bucket))]


def story_bucket(given: dict[str, Any], _now_ms: int) -> dict[str, Any]:
    segments = {f"s{order}": Segment(f"s{order}", f"s{order}", order, "") for order in range(1, 7)}
    standing = standing_of([Node("n", "event", {}, (), story_time=_time(given["node"]))], Ledgers(segments))
    now = segments[given["active"]].order if given["active"] else None
    weights, must_wait = story_weights(standing.stories, now, given["cue"])
    return {"weight": float(weights[0]), "suppressed": bool(must_wait[0])}


def weight_and_wait(output: dict[str, Any]) -> dict[str, Any]:
    return {key: output[key] for key in ("weight", "suppressed")}


def _time(node: dict[str, Any]) -> StoryTime | None:
    if span := node.get("storyTimeSpan"):
        ends = span["endLabel"], span["endSegmentId"]
        return StoryTime(span["startLabel"], "unknown", "unknown", "", "medium", span["startSegmentId"], *ends)
    time = node.get("storyTime")
    if time is None:
        return None
    return StoryTime(time["label"], time.get("tense", "unknown"), segment_id=time.get("segmentId", ""))


def cue(given: dict[str, Any], _now_ms: int) -> str:
    return story_cue([given["m"], *given["recent"]])


def knowledge(given: dict[str, Any], _now_ms: int) -> dict[str, Any]:
    """What each of the owners knows of the memory; seen by one is seen."""
    bucket = BUCKETS[given["opt"]["scopeBucket"]]
    sees = [_sees(given["node"], owner.removeprefix("character:"), bucket) for owner in given["owner"]]
    return {
        "visible": any(seen for seen, _ in sees) or not sees,
        "anchored": any(seen and sure for seen, sure in sees),
        "ownerCoverage": sum(seen for seen, _ in sees) / len(sees) if sees else 1,
    }


def seen(output: dict[str, Any]) -> dict[str, Any]:
    return {key: output[key] for key in ("visible", "anchored", "ownerCoverage")}


def _sees(node_id: str, owner: str, bucket: Bucket) -> tuple[bool, bool]:
    node = Node(node_id, "event", {}, ())
    if node_id == "p1":
        node = Node("p1", "pov_memory", {}, (), scope=Scope("pov", "character", ELIN, ELIN))
        bucket = Bucket.OWN_VIEW if owner == ELIN else Bucket.OTHER_VIEW
    if node_id == "ch":
        node = Node("ch", "character", {"name": ELIN}, ())
    said = {
        (owner_key("character", who), about): Knowledge(owner_key("character", who), who, about, stance, "", visibility)
        for who, about, stance, visibility in SAID
    }
    nodes = [node, *(Node(about, "event", {}, ()) for _, about, _, _ in SAID if about != node_id)]
    knowing = standing_of(nodes, Ledgers(knowledge=said)).knowing(owner, lambda _: np.zeros(len(nodes), np.bool_))
    assert knowing is not None
    _, is_known = knowledge_weights(knowing, np.full(knowing.is_sure.shape, bucket))
    return bool(is_known[0]), bool(knowing.is_sure[0])

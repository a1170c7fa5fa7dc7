"""Our fold, given inputs and giving outputs in the form of the golden files."""

from typing import Any

from st_bme.graph.fold import fold
from st_bme.graph.ledgers import Ledgers
from st_bme.graph.records import Answer, RecordSet, Stamp, record_id
from st_bme.model.operation import Operation
from st_bme.model.story_time import StoryTime


def story_batch(given: list[dict[str, Any]], _now_ms: int) -> list[dict[str, Any]]:
    """What the timeline is after each of these times, one a message."""
    view = tuple(f"message{number}" for number in range(len(given)))
    times = (Operation("time", 0, story_time=_time(said), flag=bool(said.get("advances"))) for said in given)
    answers = [Answer(Stamp(n), (key,), (time,)) for n, (key, time) in enumerate(zip(view, times, strict=True), 1)]
    steps = []
    before = ""
    for number in range(1, len(given) + 1):
        graph = fold(view[:number], RecordSet(answers[:number]))
        is_refused = any(drop.record_id == record_id(answers[number - 1]) for drop in graph.drops)
        steps.append({"ok": not is_refused, **_timeline(graph.ledgers, before)})
        before = steps[-1]["active"]
    return steps


def _time(said: dict[str, Any]) -> StoryTime:
    return StoryTime(said["label"].strip(), said.get("tense", "unknown"), said.get("relation", "unknown"))


def _timeline(ledgers: Ledgers, before: str) -> dict[str, Any]:
    active = ledgers.active_segment.label if ledgers.active_segment else ""
    return {
        "advanced": before not in ("", active),
        "active": active,
        "segments": [
            [
                segment.label,
                segment.order,
                segment.relation,
                ledgers.segments[segment.parent_id].label if segment.parent_id else "",
                [segment.label, *segment.aliases],
            ]
            for segment in sorted(ledgers.segments.values(), key=lambda segment: segment.order)
        ],
    }

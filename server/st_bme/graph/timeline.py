"""Story time in the fold: segments in the order of the story, and when a memory happens (docs/storage.md, rule 23)."""

from __future__ import annotations

from dataclasses import replace

from st_bme.graph.fold_state import FoldState
from st_bme.graph.ids import fold_name, segment_id
from st_bme.graph.targets import Origin
from st_bme.model.operation import Operation, Refusal
from st_bme.model.schema import STORY_TYPES
from st_bme.model.story_time import Segment, StoryTime

POINT_TYPES = frozenset(("event", "pov_memory"))
SPAN_TYPES = frozenset(("thread", "synopsis", "reflection"))
_TIMELESS_TYPES = frozenset(STORY_TYPES) - POINT_TYPES - SPAN_TYPES
_STAYS = frozenset(("future", "hypothetical", "flashback"))
"""Tenses in which the story speaks of another time and goes on where it was."""


def apply_time(state: FoldState, origin: Origin, operation: Operation) -> StoryTime | Refusal:
    """Tell when all this happens, and let the story stand there if it moves on, or stands nowhere yet."""
    told = operation.story_time
    if told is None or not fold_name(told.label):
        return Refusal("no_story_time", "a story time needs a label")
    time = dated(state, told, origin.source)
    if not state.now or (operation.flag and told.tense not in _STAYS):
        advance(state, time.segment_id, origin.source)
    return time


def dated(state: FoldState, told: StoryTime, source: str) -> StoryTime:
    """A time with its segments; those that nobody told of yet join the timeline."""
    if not fold_name(told.label):
        return told
    start = _segment(state, told, source)
    end = _segment(state, replace(told, label=told.end_label, segment_id=""), source) if told.end_label else ""
    return replace(told, segment_id=start, end_segment_id=end)


def _segment(state: FoldState, told: StoryTime, source: str) -> str:
    """The segment that is meant: by id, else by label. A new label of a known one becomes an alias."""
    name = fold_name(told.label)
    known = state.segment_names.get(name, "")
    if known:
        return known
    meant = state.segments.get(told.segment_id)
    if meant is not None:
        add_alias(state, meant, told.label, source)
        return meant.id
    reference = state.segments.get(state.segment_names.get(fold_name(told.anchor_label), "") or state.now)
    order, parent_id = state.last_order + 1, ""
    if reference is not None and told.relation != "unknown":
        order, parent_id = reference.order + (told.relation == "after"), reference.id
        if told.relation in ("after", "before"):
            make_room(state, order)
    add_segment(state, Segment(segment_id(name), told.label, order, source, told.relation, parent_id))
    return state.segment_names[name]


def add_segment(state: FoldState, segment: Segment) -> None:
    state.segments[segment.id] = segment
    state.segment_names[fold_name(segment.label)] = segment.id
    state.last_order = max(state.last_order, segment.order)


def add_alias(state: FoldState, segment: Segment, label: str, source: str) -> None:
    state.segments[segment.id] = replace(segment, aliases={**segment.aliases, label: source})
    state.segment_names[fold_name(label)] = segment.id


def make_room(state: FoldState, order: int) -> None:
    """Move everything from `order` on one further."""
    if order > state.last_order:
        return
    for segment in state.segments.values():
        if segment.order >= order:
            state.segments[segment.id] = replace(segment, order=segment.order + 1)
    state.last_order += 1


def advance(state: FoldState, segment_id: str, source: str) -> None:
    """Let the story stand at a segment."""
    if segment_id == state.now:
        return
    if state.now:
        state.segments[state.now] = replace(state.segments[state.now], now_since=None)
    state.segments[segment_id] = replace(state.segments[segment_id], now_since=source)
    state.now = segment_id


def time_of(state: FoldState, origin: Origin, operation: Operation, node_type: str) -> StoryTime | None:
    """When a memory happens: as was said of it, else as its message says of everything, else now in the story."""
    if node_type in _TIMELESS_TYPES:
        return None
    if operation.story_time is not None:
        return dated(state, operation.story_time, origin.source)
    return origin.when if node_type in POINT_TYPES or node_type in SPAN_TYPES else None


def here_and_now(state: FoldState) -> StoryTime | None:
    """The time of what is told without one: the segment alone, since its words are those of another message."""
    return StoryTime("", segment_id=state.now) if state.now else None


def retold(state: FoldState, node_type: str, before: StoryTime | None, told: StoryTime | None) -> StoryTime | None:
    """The time of a memory that is told of again: a span grows, a point stays unless only now words are given to it."""
    if before is None or told is None:
        return before or told
    if node_type in SPAN_TYPES:
        return spanning(state, before, told)
    return before if before.label or not told.label else told


def spanning(state: FoldState, first: StoryTime | None, second: StoryTime | None) -> StoryTime | None:
    """From the earliest to the latest of both."""
    if first is None or second is None:
        return first or second
    ends = [end for time in (first, second) for end in _ends(time) if end[1] in state.segments]
    if not ends:
        return first
    (start_label, start), (end_label, end) = (
        choose(ends, key=lambda one: state.segments[one[1]].order) for choose in (min, max)
    )
    if start == end:
        return (
            first
            if first.segment_id == start and not first.end_segment_id
            else StoryTime(start_label, segment_id=start)
        )
    return StoryTime(start_label, segment_id=start, end_label=end_label, end_segment_id=end)


def _ends(time: StoryTime) -> list[tuple[str, str]]:
    """(label, segment) of where a time begins and, if it is a span, ends."""
    start = (time.label, time.segment_id)
    return [start, (time.end_label, time.end_segment_id)] if time.end_segment_id else [start]

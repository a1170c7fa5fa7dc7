"""Timeline, cognition, regions and variables of a base in the fold (docs/storage.md, rule 35)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from st_bme.graph.fold_state import FoldState
from st_bme.graph.ids import fold_name
from st_bme.graph.ledgers import Ledgers
from st_bme.graph.timeline import add_alias, add_segment, advance, make_room
from st_bme.model.story_time import Segment, StoryTime


def take_ledgers(state: FoldState, whole: Ledgers, said: Ledgers, key: str) -> None:
    """Take what a base says at one message: `said`, a part of `whole`."""
    for segment in said.segments.values():
        _take_segment(state, whole.segments, segment, key)
    state.knowledge.update(said.knowledge)
    state.regions.update(said.regions)
    state.variables.update(said.variables)


def _take_segment(state: FoldState, whole: Mapping[str, Segment], segment: Segment, key: str) -> None:
    """A segment stands with the message that told of it first; names and what is now come with theirs."""
    if segment.source == key and fold_name(segment.label) not in state.segment_names:
        order = _order_beside_others(state, whole, segment)
        add_segment(state, replace(segment, order=order, aliases={}, now_since=None))
    if segment.id not in state.segments:
        return
    for label, source in segment.aliases.items():
        if source == key and fold_name(label) not in state.segment_names:
            add_alias(state, state.segments[segment.id], label, key)
    if segment.now_since == key:
        advance(state, segment.id, key)


def _order_beside_others(state: FoldState, whole: Mapping[str, Segment], segment: Segment) -> int:
    """Where it belongs among the segments of the base that are there, with room made for it."""
    present = [other for other in whole.values() if other.id in state.segments]
    same = next((other for other in present if other.order == segment.order), None)
    if same is not None:
        return state.segments[same.id].order
    before = [other for other in present if other.order < segment.order]
    after = [other for other in present if other.order > segment.order]
    if before:
        order = state.segments[max(before, key=lambda other: other.order).id].order + 1
    elif after:
        order = state.segments[min(after, key=lambda other: other.order).id].order
    else:
        return state.last_order + 1
    make_room(state, order)
    return order


def told_time(state: FoldState, time: StoryTime | None) -> StoryTime | None:
    """A time of a base as far as its segments are there; without words of its own nothing is left of it."""
    if time is None:
        return None
    start = time.segment_id if time.segment_id in state.segments else ""
    end = time.end_segment_id if time.end_segment_id in state.segments else ""
    if not start and not time.label:
        return StoryTime(time.end_label, segment_id=end) if end else None
    return (
        time
        if (start, end) == (time.segment_id, time.end_segment_id)
        else replace(
            time,
            segment_id=start,
            end_segment_id=end,
            end_label=time.end_label if end or not time.end_segment_id else "",
        )
    )

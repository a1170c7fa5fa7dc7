"""When in the story something happens."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Tense = Literal["past", "ongoing", "future", "flashback", "hypothetical", "unknown"]
TimeRelation = Literal["same", "after", "before", "parallel", "unknown"]
Confidence = Literal["high", "medium", "low"]


@dataclass(frozen=True, slots=True)
class StoryTime:
    """A point of the story: a segment's label and how it lies to an anchor; with an end, the stretch up to there.

    A label is in the words of who told of the memory. Without one it happened in the segment, whose own words the
    timeline has.
    """

    label: str
    tense: Tense = "unknown"
    relation: TimeRelation = "unknown"
    anchor_label: str = ""
    confidence: Confidence = "medium"
    segment_id: str = ""
    end_label: str = ""
    end_segment_id: str = ""

    @property
    def last_segment_id(self) -> str:
        return self.end_segment_id or self.segment_id


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch of the story's own time.

    `order` tells earlier from later; segments of one order run side by side. `relation` says how it was told to lie
    to `parent_id`. `source` is the key of the message that told of it first, "" where the user did, `aliases` are
    further labels with theirs, and `now_since` is the message since which the story stands here, if it does.
    """

    id: str
    label: str
    order: int
    source: str
    relation: TimeRelation = "unknown"
    parent_id: str = ""
    aliases: Mapping[str, str] = field(default_factory=dict)
    now_since: str | None = None

    @property
    def is_now(self) -> bool:
        return self.now_since is not None

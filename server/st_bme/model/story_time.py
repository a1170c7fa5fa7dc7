"""When in the story something happens."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Tense = Literal["past", "ongoing", "future", "flashback", "hypothetical", "unknown"]
TimeRelation = Literal["same", "after", "before", "parallel", "unknown"]
Confidence = Literal["high", "medium", "low"]


@dataclass(frozen=True, slots=True)
class StoryTime:
    """A point of the story: a segment's label and how it lies to an anchor."""

    label: str
    tense: Tense = "unknown"
    relation: TimeRelation = "unknown"
    anchor_label: str = ""
    confidence: Confidence = "medium"
    segment_id: str = ""

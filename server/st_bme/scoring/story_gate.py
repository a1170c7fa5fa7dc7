"""What the story's own time does to a score: what lies near counts more, what is still to come waits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from st_bme.scoring.terms import fold

Cue = Literal["", "flashback", "future"]

UNPLACED = -1
"""Order of what happens at a time that the timeline does not have."""

_Floats = npt.NDArray[np.float64]
_Mask = npt.NDArray[np.bool_]

# The original ST-BME's weights.
_UNDATED, _UNPLACED_TIME, _NO_NOW = 0.88, 0.9, 0.92
_CURRENT, _NEAR_PAST, _FAR_PAST = 1.15, 1.0, 0.64
_LOOKED_BACK_AT, _FLASHBACK = 1.02, 0.72
_NEAR = 2  # segments
_TOLD_AHEAD, _TOLD_AHEAD_ASKED = 0.2, 0.72
_LATER, _LATER_ASKED = 0.22, 0.74

_FLASHBACK_WORDS = (
    *("曾经", "以前", "当年", "从前", "回忆", "过去", "背景", "来历", "小时候", "往事", "还记得"),
    *("used to", "back then", "in the past", "years ago", "long ago", "remember when", "flashback", "childhood"),
    *("backstory", "looking back", "once upon"),
)
_FUTURE_WORDS = (
    *("未来", "以后", "之后会", "将要", "明天", "预告", "计划", "打算", "准备", "承诺"),
    *("tomorrow", "next week", "next month", "next year", "in the future", "later on", "plan to", "the plan"),
    *("planning", "going to happen", "will happen", "promised to", "intend to", "prophecy"),
)


@dataclass(frozen=True, slots=True)
class StoryPlaces:
    """When each of n memories happens, in orders of the timeline."""

    is_dated: _Mask
    starts: npt.NDArray[np.int64]  # UNPLACED where the timeline does not have it
    ends: npt.NDArray[np.int64]
    is_ahead: _Mask  # told as future, or as what might be
    is_flashback: _Mask


def story_weights(places: StoryPlaces, now: int | None, cue: Cue) -> tuple[_Floats, _Mask]:
    """Weight of each memory, and which must wait for their time.

    What is told ahead waits until the story has come to it; a text about the future brings it all the same.

    Args:
        now: order of the segment where the story stands; None where it stands nowhere.
    Returns: (n,) weights around 1 and (n,) True for what waits.
    Source: the original ST-BME's buckets, which let what was told ahead wait for ever.
    """
    is_placed = places.starts != UNPLACED
    here = UNPLACED if now is None else now
    is_past = is_placed & (places.ends < here)
    is_later = is_placed & (places.starts > here) & (now is not None)
    is_ahead = places.is_ahead & (is_later | ~is_placed | (now is None))
    is_asked = cue == "future"
    weights = np.select(
        [~places.is_dated, is_ahead, np.full(is_placed.shape, now is None), ~is_placed, is_later],
        [
            _UNDATED,
            _TOLD_AHEAD_ASKED if is_asked else _TOLD_AHEAD,
            _NO_NOW,
            _UNPLACED_TIME,
            _LATER_ASKED if is_asked else _LATER,
        ],
        np.where(is_past, _past_weights(places, here, cue), _CURRENT),
    )
    return weights, np.zeros(is_placed.shape, np.bool_) if is_asked else is_ahead | is_later


def _past_weights(places: StoryPlaces, now: int, cue: Cue) -> _Floats:
    if cue == "flashback":
        return np.full(places.ends.shape, _LOOKED_BACK_AT)
    return np.select([places.is_flashback, now - places.ends <= _NEAR], [_FLASHBACK, _NEAR_PAST], _FAR_PAST)


def story_cue(texts: Sequence[str]) -> Cue:
    """Whether texts look back or ahead; who looks back wins."""
    said = "\n".join(fold(text) for text in texts)
    if any(word in said for word in _FLASHBACK_WORDS):
        return "flashback"
    return "future" if any(word in said for word in _FUTURE_WORDS) else ""

"""When, by the words of an answer, something happens in the story."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar, get_args

from st_bme.model.story_time import Confidence, StoryTime, Tense, TimeRelation

_Choice = TypeVar("_Choice", bound=str)

_TENSES: tuple[Tense, ...] = get_args(Tense)
_RELATIONS: tuple[TimeRelation, ...] = get_args(TimeRelation)
_CONFIDENCES: tuple[Confidence, ...] = get_args(Confidence)
_LONGEST_LABEL = 120


def parse_story_time(value: object) -> StoryTime | None:
    """The point that an object, or a label alone, describes; None without a label."""
    if isinstance(value, str):
        value = {"label": value}
    if not isinstance(value, Mapping):
        return None
    label = _text(value.get("label"))
    if not label:
        return None
    return StoryTime(
        label=label,
        tense=_choice(value.get("tense"), _TENSES, "unknown"),
        relation=_choice(value.get("relation"), _RELATIONS, "unknown"),
        anchor_label=_text(value.get("anchorLabel")),
        confidence=_choice(value.get("confidence"), _CONFIDENCES, "medium"),
    )


def _text(value: object) -> str:
    return " ".join(value.split())[:_LONGEST_LABEL] if isinstance(value, str) else ""


def _choice(value: object, choices: tuple[_Choice, ...], otherwise: _Choice) -> _Choice:
    wanted = _text(value).casefold()
    return next((choice for choice in choices if choice == wanted), otherwise)

"""What a recall was asked and what it answered."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

GenerationType = Literal["normal", "swipe", "regenerate", "continue", "impersonate", "quiet"]


@dataclass(frozen=True, slots=True)
class Query:
    """What the next reply is about.

    `in_context_from` is the first floor that the prompt still holds: what lies wholly behind it need not be injected,
    unless it comes from one of `hidden`, the keys of messages that no prompt holds.
    """

    text: str
    previous_assistant: str = ""
    previous_user: str = ""
    speaker: str = ""
    budget_tokens: int = 1200
    in_context_from: int | None = None
    hidden: frozenset[str] = frozenset()
    seed: int = 0
    now_ms: int = 0


@dataclass(frozen=True, slots=True)
class RecallItem:
    """One memory in the injection, with the reason it is there and its scores."""

    node_id: str
    type: str
    section: str
    reason: str
    score: float
    scores: Mapping[str, float] = field(default_factory=dict)
    text: str = ""


@dataclass(frozen=True, slots=True)
class Recall:
    """The answer to a query: the text to inject and how it came about. Empty text: nothing to inject.

    `steady` is text of its own for a place early in the prompt, since it stays from turn to turn; `parts` are the
    parts of `text` by section, without the delimiters. `tokens` counts both texts.
    """

    text: str
    tokens: int
    items: tuple[RecallItem, ...]
    sections: Mapping[str, int] = field(default_factory=dict)
    timings_ms: Mapping[str, float] = field(default_factory=dict)
    degraded: tuple[str, ...] = ()
    steady: str = ""
    parts: Mapping[str, str] = field(default_factory=dict)


NOTHING_RECALLED = Recall(text="", tokens=0, items=())

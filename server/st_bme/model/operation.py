"""Operations as intents: what was said about the story, before the fold decides what becomes of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from st_bme.model.scope import OBJECTIVE, Scope
from st_bme.model.story_time import StoryTime

Action = Literal[
    "create", "update", "archive", "wake", "link", "unlink", "pin", "lock", "merge", "time", "know", "region", "set"
]


@dataclass(frozen=True, slots=True)
class Target:
    """Which node is meant: by `ref` (another operation of the record), else by id, else by identity."""

    ref: str = ""
    id: str = ""
    type: str = ""
    scope: Scope = OBJECTIVE
    name: str = ""


@dataclass(frozen=True, slots=True)
class Operation:
    """One intent.

    `cite` is the index, in the record's run, of the message it comes from; None cites the whole run.
    create: `type`, `fields` and, if later operations point to it, `ref`.
    update: `target`, `fields`, and in `to` the node that brought the change about, if one did. Without `flag` its
    `clusters` add no tag: they say how those of the target are spelled.
    archive: `target`, and in `to` the node that stands for it from now on (compression), if one does.
    wake, pin, lock: `target`; `flag` is the value that a pin or lock sets.
    link, unlink: `target` is the start, `to` the end. merge: `target` goes into `to`, `fields` are written there.
    time: `story_time` is when all this happens; `flag`: the story stands there now.
    know: whose `scope` it is knows `target` as `relation`, a `Stance`, says; `strength` is how much of it is known
    in part, `fields` has under `belief` what is believed instead.
    region: the scene, or whose `scope` it is, is at the place that `scope` names; its path are the places that hold it,
    its secondary ones lie beside it. Without `flag` only that is said, and nobody is there.
    set: `fields` are variables with their values; an empty one removes the variable.
    """

    action: Action
    cite: int | None = None
    type: str = ""
    fields: Mapping[str, str] = field(default_factory=dict)
    importance: float | None = None
    scope: Scope = OBJECTIVE
    story_time: StoryTime | None = None
    clusters: tuple[str, ...] = ()
    ref: str = ""
    target: Target | None = None
    to: Target | None = None
    relation: str = ""
    strength: float | None = None
    flag: bool = True


@dataclass(frozen=True, slots=True)
class Refusal:
    """An operation, or part of one, that was not taken, and why. `code` is for machines and translation."""

    code: str
    detail: str
    index: int | None = None

"""Who speaks in an operation, and which node is meant."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from st_bme.graph.fold_state import FoldState, name_key
from st_bme.model.edge import ENDED_BY_HAND
from st_bme.model.node import SET_BY_ALL, SET_BY_HAND
from st_bme.model.operation import Refusal, Target
from st_bme.model.story_time import StoryTime

Actor = Literal["model", "upkeep", "user"]

TARGET_MISSING = "target_missing"


@dataclass(frozen=True, slots=True)
class Origin:
    """Where an operation comes from: record, who speaks, and the keys that become sources of what it makes.

    `memo` is what ids of nodes made by upkeep or the user are derived from, `when` is the story time of what is said
    without one.
    """

    record_id: str
    actor: Actor
    sources: tuple[str, ...]
    memo: str = ""
    related: float = 0.0
    when: StoryTime | None = None

    @property
    def source(self) -> str:
        return self.sources[-1] if self.sources else ""

    @property
    def setter(self) -> str:
        """Who sets a field here."""
        if self.actor == "model":
            return self.source
        return SET_BY_HAND if self.actor == "user" else SET_BY_ALL

    @property
    def ender(self) -> str:
        """What an edge that ends here names as its end."""
        return self.source or ENDED_BY_HAND


def find_target(state: FoldState, record_id: str, target: Target) -> str:
    """Id of the node that is meant, following merges; "" where there is none."""
    if target.ref:
        return state.follow(state.refs.get((record_id, target.ref), ""))
    if target.id and target.id in state.nodes:
        return state.follow(target.id)
    if target.type and target.name:
        return state.follow(state.names.get(name_key(target.type, target.scope, target.name), ""))
    return ""


def missing(target: Target | None) -> Refusal:
    said = target.ref or target.id or f"{target.type} {target.name}".strip() if target else ""
    return Refusal(TARGET_MISSING, f"no node {said!r} at this place of the story")

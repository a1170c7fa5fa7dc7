"""A memory: one node of the graph."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from st_bme.model.scope import OBJECTIVE, Scope
from st_bme.model.story_time import StoryTime

ArchivedBy = Literal["", "model", "upkeep", "user"]

DEFAULT_IMPORTANCE = 5.0
SET_BY_HAND = "hand"
SET_BY_ALL = "all"
JOINED_SETTERS = " "


def setter_keys(setter: str, sources: tuple[str, ...]) -> tuple[str, ...]:
    """The messages that a setter stands for."""
    if setter == SET_BY_HAND:
        return ()
    return sources if setter == SET_BY_ALL else tuple(setter.split(JOINED_SETTERS))


@dataclass(frozen=True, slots=True)
class Node:
    """One memory. Immutable: a fold replaces a node, it never changes one.

    `sources` are the keys of the messages it comes from, in fold order, each once.
    `setters` names, for a field that not the first source alone set, the message that did, or several, joined;
    `SET_BY_HAND` where the user did, `SET_BY_ALL` where upkeep did, out of all sources.
    `redirect` is the node that this one was merged into, "" while it stands for itself.
    """

    id: str
    type: str
    fields: Mapping[str, str]
    sources: tuple[str, ...]
    importance: float = DEFAULT_IMPORTANCE
    scope: Scope = OBJECTIVE
    story_time: StoryTime | None = None
    clusters: tuple[str, ...] = ()
    level: int = 0
    parent_id: str = ""
    child_ids: tuple[str, ...] = ()
    archived_by: ArchivedBy = ""
    redirect: str = ""
    mentions: int = 1
    setters: Mapping[str, str] = field(default_factory=dict)
    former_names: tuple[str, ...] = ()
    pinned: bool = False
    locked: bool = False
    user_edited: bool = False

    @property
    def archived(self) -> bool:
        return self.archived_by != ""

    @property
    def rests_on(self) -> tuple[str, ...]:
        """Its sources, and the messages whose words it repeats."""
        repeated = (key for setter in self.setters.values() for key in setter_keys(setter, self.sources))
        return tuple(dict.fromkeys((*self.sources, *repeated)))

    @property
    def name(self) -> str:
        """The word a reader knows it by: name or title, else its summary or insight, else its type."""
        for key in ("name", "title", "summary", "insight"):
            if self.fields.get(key):
                return self.fields[key]
        return self.type


def setters_of(node: Node, name: str) -> tuple[str, ...]:
    """The messages that set a field; where nothing is said of it, the first source."""
    said = node.setters.get(name)
    return node.sources[:1] if said is None else setter_keys(said, node.sources)

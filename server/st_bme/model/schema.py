"""Node types as data: columns and what the write path may do with them (seed 001)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

SUMMARY = "summary"
"""What condenses a stretch of messages, or several of its kind. It is no memory of the story and no model writes it
beside memories.
"""


@dataclass(frozen=True, slots=True)
class Hint:
    """What is meant, in either language of a prompt."""

    en: str = ""
    zh: str = ""


@dataclass(frozen=True, slots=True)
class NodeType:
    """One kind of memory.

    `columns` in display order, the `required` ones must be filled. `latest_only`: one node a name, a second
    create is an update. `always_inject`: competes for the core section of every injection. `force_update`: whatever of
    substance is told, something of this type is to be noted.
    """

    id: str
    columns: tuple[str, ...]
    required: tuple[str, ...]
    always_inject: bool = False
    latest_only: bool = False
    force_update: bool = False
    hint: Hint = Hint()
    column_hints: Mapping[str, Hint] = field(default_factory=dict)


def _types(*types: NodeType) -> Mapping[str, NodeType]:
    return {node_type.id: node_type for node_type in types}


STORY_TYPES: Mapping[str, NodeType] = _types(
    NodeType("event", ("title", "summary", "participants", "status"), ("summary",), True, False, True),
    NodeType(
        "character", ("name", "traits", "state", "goal", "inventory", "core_note"), ("name",), latest_only=True
    ),
    NodeType("location", ("name", "state", "features", "danger"), ("name",), latest_only=True),
    NodeType("rule", ("title", "constraint", "scope", "status"), ("title",), always_inject=True),
    NodeType("thread", ("title", "summary", "status"), ("title",), always_inject=True),
    NodeType("synopsis", ("summary", "scope"), ("summary",), always_inject=True, latest_only=True),
    NodeType("reflection", ("insight", "trigger", "suggestion"), ("insight",)),
    NodeType("pov_memory", ("summary", "belief", "emotion", "attitude", "certainty", "about"), ("summary",)),
)

_SAFE_NAME = re.compile(r"\w[\w -]{0,39}")


def is_presentable(node_type: str) -> bool:
    """Whether memories of a type may stand in a prompt: built-in ones, and any whose name is a plain word."""
    return node_type != SUMMARY and _SAFE_NAME.fullmatch(node_type) is not None


def type_of(node_type: str) -> NodeType:
    """The type of this name; one of the user's own, which the graph knows only by name, is of the plainest kind."""
    return STORY_TYPES.get(node_type) or NodeType(node_type, (), ())


def columns_of(node_type: str, fields: Iterable[str]) -> tuple[str, ...]:
    """The columns of a type in display order; of one of the user's own those fields that have a plain name."""
    if node_type in STORY_TYPES:
        return STORY_TYPES[node_type].columns
    return tuple(dict.fromkeys(name for name in fields if _SAFE_NAME.fullmatch(name)))

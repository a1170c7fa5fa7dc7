"""Node types as data: columns and what the write path may do with them (seed 001)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

SUMMARY = "summary"
"""What condenses a stretch of messages, or several of its kind. It is no memory of the story and no model writes it
beside memories.
"""


@dataclass(frozen=True, slots=True)
class NodeType:
    """One kind of memory.

    `columns` in display order, the `required` ones must be filled. `latest_only`: one node a name, a second
    create is an update. `always_inject`: competes for the core section of every injection.
    """

    id: str
    columns: tuple[str, ...]
    required: tuple[str, ...]
    always_inject: bool = False
    latest_only: bool = False
    force_update: bool = False


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

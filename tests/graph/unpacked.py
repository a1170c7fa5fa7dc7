"""Nodes of a state read by the names of their columns, as any reader of the file would."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def fields_of(state: Mapping[str, Any], node: Mapping[str, Any]) -> dict[str, str]:
    """The texts of a node by column."""
    fields = node["fields"]
    if isinstance(fields, dict):
        return fields
    columns = state["columns"][node.get("type", "event")]
    return {column: text for column, text in zip(columns, fields, strict=False) if text is not None}

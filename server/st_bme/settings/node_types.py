"""Node types of the user's own, one a line: `spell* (magic | 法术): name*, effect (what it does)`."""

from __future__ import annotations

import re
from collections.abc import Mapping

from st_bme.model.schema import STORY_TYPES, SUMMARY, Hint, NodeType

MOST_TYPES = 12
MOST_COLUMNS = 10
_LONGEST_HINT = 200
_LINE = re.compile(r"(?P<id>[^\s*:：()（）]+)(?P<mark>\*?)\s*(?P<hint>[(（][^()（）]*[)）])?\s*[:：](?P<columns>.*)")
_COLUMN = re.compile(r"(?P<name>[^\s*()（）]+)(?P<mark>\*?)\s*(?P<hint>[(（][^()（）]*[)）])?")
_BETWEEN = re.compile(r"[,，](?![^(（]*[)）])")
_NAME = re.compile(r"[a-z][a-z0-9_]{0,29}")


class _Faulty(Exception):
    """Ends the reading of a line; says what is wrong with it."""


def own_types(text: str) -> Mapping[str, NodeType]:
    """The types that a text defines; a text with a fault defines none."""
    found, fault = _read(text)
    return {} if fault else found


def types_fault(text: str) -> str:
    """What is wrong with a text that defines types, "" if nothing is."""
    return _read(text)[1]


def _read(text: str) -> tuple[Mapping[str, NodeType], str]:
    found: dict[str, NodeType] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            node_type = _type_of(line.strip())
        except _Faulty as fault:
            return {}, f"line {number}: {fault}"
        if node_type.id in found:
            return {}, f"line {number}: {node_type.id!r} is defined twice"
        found[node_type.id] = node_type
    if len(found) > MOST_TYPES:
        return {}, f"there are more than {MOST_TYPES} types"
    return found, ""


def _type_of(line: str) -> NodeType:
    match = _LINE.fullmatch(line)
    if match is None:
        raise _Faulty("write `type: column*, column`, each with words in brackets if you like")
    identity = match["id"]
    if not _NAME.fullmatch(identity):
        raise _Faulty(f"{identity!r} must be of a-z, 0-9 and _, at most 30 characters, a letter first")
    if identity in STORY_TYPES or identity == SUMMARY:
        raise _Faulty(f"{identity!r} is a built-in type; choose another name")
    columns = [_column_of(part.strip()) for part in _BETWEEN.split(match["columns"])]
    names = tuple(name for name, _, _ in columns)
    if len(names) > MOST_COLUMNS:
        raise _Faulty(f"{identity!r} has more than {MOST_COLUMNS} columns")
    if len(set(names)) < len(names):
        raise _Faulty(f"{identity!r} names a column twice")
    required = tuple(name for name, is_required, _ in columns if is_required)
    hints = {name: hint for name, _, hint in columns if hint != Hint()}
    return NodeType(
        identity,
        names,
        required or names[:1],
        force_update=match["mark"] == "*",
        hint=_hint(match["hint"]),
        column_hints=hints,
    )


def _column_of(part: str) -> tuple[str, bool, Hint]:
    match = _COLUMN.fullmatch(part)
    if match is None or not _NAME.fullmatch(match["name"]):
        raise _Faulty(f"column {part[:40]!r} must be of a-z, 0-9 and _, with * if it is required")
    return match["name"], match["mark"] == "*", _hint(match["hint"])


def _hint(said: str | None) -> Hint:
    """`(English | 中文)`; without a bar both languages have the same."""
    english, bar, chinese = (said or "")[1:-1].partition("|")
    english = english.strip()[:_LONGEST_HINT]
    return Hint(english, chinese.strip()[:_LONGEST_HINT] if bar else english)

"""A model's answer as a list of objects, whatever stands around them and wherever they were cut off."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import json_repair

from st_bme.errors import AnswerUnusable

RawOperation = Mapping[str, object]

LONGEST_ANSWER = 200_000
"""Characters of an answer that are read; a run of operations has some thousands."""

CONTAINERS = (
    "operations",
    "nodes",
    "items",
    "entries",
    "memories",
    "results",
    "data",
    "memory_operations",
    "actions",
    "output",
    "extracted",
    "extractions",
    "memory_nodes",
)
"""Keys under which models put their operations, in the order in which they are tried."""

_MARKS = ("action", "op", "operation", "type")
"""An object with one of these as text is an operation."""

_REASONING = re.compile(r"<(think|thinking|analysis|reasoning)\b[^<>]*>.*?</\1\s*>", re.DOTALL | re.IGNORECASE)
_REASONING_TAG = re.compile(r"</?(?:think|thinking|analysis|reasoning)\b[^<>]*>", re.IGNORECASE)
_HTML = re.compile(r"\s*<(?:!doctype|html|head|body)\b", re.IGNORECASE)
_OPENING = re.compile(r"[\[{]")
_TOKEN = re.compile(r"[\[\]{}\"']|\\.", re.DOTALL)
_AFTER_STRING = re.compile(r"\s*(?:[,:\]}]|\Z)")
_EMPTY_LIST = re.compile(r"\s*(?:```\w*)?\s*\[\s*\]\s*(?:```)?\s*")
_PROPER_END = re.compile(r"[\]}\"]\s*[\]}][\s`]*\Z")
_NEAR = 16
_MOST_VALUES = 500
_MOST_MISSES = 16
"""Brackets in prose that are passed over before an answer is given up."""


def read_operations(answer: str) -> list[RawOperation]:
    """The operations of an answer, as it wrote them; none if it says that there are none.

    Raises: AnswerUnusable: no list of operations is in it, as in a refusal, an HTML page or an error message, or it
        was cut off before the first was complete.
    """
    text = answer[:LONGEST_ANSWER]
    if _HTML.match(text):
        raise AnswerUnusable("the answer is an HTML page; check the address of the endpoint")
    for candidate in _without_reasoning(text):
        if _EMPTY_LIST.fullmatch(candidate):
            return []
        values = list(_json_values(candidate))
        lists = [found for value in values if (found := _operations_in(value)) is not None]
        if lists:
            return _each_once(operation for found in lists for operation in found)
    raise AnswerUnusable("the answer holds no list of operations")


def read_object(answer: str) -> Mapping[str, object]:
    """The last JSON object at the top of an answer, repaired where needed: what comes before it is a draft.

    Raises: AnswerUnusable: no object is in it.
    """
    for candidate in _without_reasoning(answer[:LONGEST_ANSWER]):
        objects = [value for value in _json_values(candidate) if isinstance(value, dict)]
        if objects:
            return objects[-1]
    raise AnswerUnusable("the answer holds no JSON object")


def _without_reasoning(text: str) -> Iterator[str]:
    """The answer behind the reasoning first; the whole if nothing is behind it, since a tag may stay open."""
    closed = _REASONING.sub("", text)
    tags = list(_REASONING_TAG.finditer(closed))
    if tags:
        yield closed[tags[-1].end() :]
    yield _REASONING_TAG.sub("", closed)


def _json_values(text: str) -> Iterator[object]:
    """Every object and array at the top of a text, repaired where needed."""
    position = misses = 0
    for _ in range(_MOST_VALUES):
        opening = _OPENING.search(text, position)
        if opening is None or misses == _MOST_MISSES:
            return
        extent = _find_extent(text, opening.start())
        value = _load(extent.text)
        if value is None:
            misses += 1
            position = opening.end()
            continue
        position = extent.end
        if not (extent.is_cut and _is_operation(value)):
            yield value


@dataclass(frozen=True, slots=True)
class _Extent:
    """A JSON value in a text: where it ends, and what of it is to be read."""

    end: int
    text: str
    is_cut: bool = False


def _find_extent(text: str, start: int) -> _Extent:
    """The value that starts here. Of one that was cut off, its complete operations, with the brackets closed."""
    stack: list[str] = []
    list_depth = 0
    complete = ""
    for position, character in _brackets(text, start):
        if character in "[{":
            if character == "{" and stack[-1:] == ["]"] and list_depth == 0:
                list_depth = len(stack)
            stack.append("]" if character == "[" else "}")
            continue
        if stack.pop() != character:
            return _Extent(len(text), text[start:])
        if not stack:
            return _Extent(position + 1, text[start : position + 1])
        if len(stack) == list_depth and stack[-1] == "]":
            complete = text[start : position + 1] + "".join(reversed(stack))
    if _ends_inside_string(text, start):
        return _Extent(len(text), text[start:])
    return _Extent(len(text), complete, is_cut=True)


def _brackets(text: str, start: int) -> Iterator[tuple[int, str]]:
    """Brackets outside of strings, with their positions."""
    quote = ""
    for match in _TOKEN.finditer(text, start):
        mark, position = match[0], match.start()
        if quote:
            if mark == quote and _AFTER_STRING.match(text, match.end()):
                quote = ""
        elif mark in "[]{}":
            yield position, mark
        elif mark == '"' or (mark == "'" and text[max(0, position - _NEAR) : position].rstrip()[-1:] in "{[,:"):
            quote = mark


def _ends_inside_string(text: str, start: int) -> bool:
    """True if quotes do not match though brackets end the text as they should: a quote inside a text, most often."""
    return text.count('"', start) % 2 == 1 and _PROPER_END.search(text, start) is not None


def _load(text: str) -> object | None:
    """The object or array, after repair if need be; None where it is beyond repair."""
    for load in (json.loads, json_repair.loads):
        try:
            value: object = load(text)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict | list):
            return value
    return None


def _operations_in(value: object) -> list[RawOperation] | None:
    """The operations of a JSON value, None where it is no answer."""
    if isinstance(value, list):
        return _objects(value) or None
    if not isinstance(value, dict) or value.get("error") or value.get("type") == "error":
        return None
    for key in CONTAINERS:
        inner = value.get(key)
        found = _objects(inner) if isinstance(inner, list) else _operations_in(inner)
        if found is not None:
            return found
    for inner in value.values():
        if isinstance(inner, list) and (found := _objects(inner)):
            return found
    if _is_operation(value):
        return [value]
    inside = (_operations_in(inner) for inner in value.values() if isinstance(inner, dict))
    return next((found for found in inside if found), None)


def _objects(values: Sequence[object]) -> list[RawOperation] | None:
    """The objects of a list with an operation in it, none of an empty list; None where it holds other things."""
    objects: list[RawOperation] = [value for value in values if isinstance(value, dict)]
    return objects if not values or any(map(_is_operation, objects)) else None


def _is_operation(value: object) -> bool:
    return isinstance(value, dict) and any(isinstance(value.get(mark), str) for mark in _MARKS)


def _each_once(operations: Iterator[RawOperation]) -> list[RawOperation]:
    """An answer written twice, as a draft and as the result, counts once."""
    unique: list[RawOperation] = []
    for operation in operations:
        if operation not in unique:
            unique.append(operation)
    return unique

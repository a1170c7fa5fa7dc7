"""The JSON values in a model's text: behind its reasoning, among prose, cut off or badly written."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import json_repair

_THOUGHT = r"think|thinking|thoughts?|analysis|reasoning|reflection|scratchpad"
_REASONING_TAG = re.compile(rf"[<\[◁](/?)({_THOUGHT})\b[^<>\[\]◁▷]*[>\]▷]|<\|message\|>", re.IGNORECASE)
_OPENING = re.compile(r"[\[{]")
_TOKEN = re.compile(r"[\[\]{}\"']|\\.", re.DOTALL)
_AFTER_STRING = re.compile(r"\s*(?:[,:\]}]|\Z)")
_PROPER_END = re.compile(r"[\]}\"]\s*[\]}][\s`]*\Z")
_NEAR = 16
_MOST_LEVELS = 32
"""Levels of a value that are read. An answer in the format of a provider has a dozen, a hostile one hundreds."""

_MOST_VALUES = 500
_MOST_MISSES = 16
"""Brackets in prose that are passed over before an answer is given up."""

_LOAD_ERRORS = (ValueError, RecursionError, AssertionError, LookupError, TypeError)
"""json_repair gives up on some texts with an assertion of its own, say on a key that ends nowhere."""

_PLAIN_KEY = re.compile(r'"\s*:')
_WIDE_COLON = re.compile(r'"\s*：\s*')
_WIDE_COMMA = re.compile(r'(?<=["\]}\d])\s*，\s*(?=["\[{])')
_UNKNOWN_ESCAPE = re.compile(r'\\(\\|["/bfnrtu])|\\(.)', re.DOTALL)
_ESCAPED_QUOTE = re.compile(r"\\(['`])")
_BARE_QUOTE = re.compile(r'(?<!\\)"')
_JOINED = re.compile(r'(?<!\\)"\s*\+\s*"')
_QUOTED = re.compile(
    r'"(?:[^"\\]|\\.)*"'
    r"|(?<=[{\[,:])(?P<blank>\s*)(?P<quote>['`])(?P<text>(?:[^'`\\]|\\.|(?!(?P=quote)\s*[,:\]}])['`])*)(?P=quote)(?=\s*[,:\]}])",
    re.DOTALL,
)


def without_reasoning(text: str) -> Iterator[str]:
    """The answer behind the reasoning first; then the whole, since a tag may stay open."""
    text = _in_ascii_marks(text)
    closed = _without(text, _closed_thoughts(text))
    tags = list(_REASONING_TAG.finditer(closed))
    if tags:
        yield closed[tags[-1].end() :]
    yield _REASONING_TAG.sub("", closed)


def _closed_thoughts(text: str) -> Iterator[tuple[int, int]]:
    """Start and end of each part between a tag and the one that closes it; one pass, however many stay open."""
    opened: dict[str, list[int]] = {}
    for tag in _REASONING_TAG.finditer(text):
        starts = opened.setdefault((tag[2] or "").casefold(), [])
        if not tag[1]:
            starts.append(tag.start())
        elif starts:
            yield starts.pop(), tag.end()


def _without(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """The text without these parts, which may lie in one another."""
    kept: list[str] = []
    position = 0
    for start, end in sorted(spans):
        kept.append(text[position : max(start, position)])
        position = max(end, position)
    return "".join((*kept, text[position:]))


def _in_ascii_marks(text: str) -> str:
    """JSON whose marks are written as HTML entities or at full width, in the marks of JSON."""
    if '"' not in text and "&quot;" in text:
        return html.unescape(text)
    if _WIDE_COLON.search(text) and not _PLAIN_KEY.search(text):
        return _WIDE_COMMA.sub(",", _WIDE_COLON.sub('":', text))
    return text


@dataclass(frozen=True, slots=True)
class JsonValue:
    """A value at the top of a text. `is_cut`: it goes on beyond the end, and this is what of it is whole."""

    value: object
    is_cut: bool = False


def json_values(text: str) -> Iterator[JsonValue]:
    """Every object and array at the top of a text, repaired where needed."""
    whole = _parse(json.loads, text)
    if isinstance(whole, str):
        text = whole
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
        yield JsonValue(value, extent.is_cut)


def json_value(text: str) -> object | None:
    """The object or array that a text is, as it stands; None for any other text."""
    return _structure(_parse(json.loads, text))


@dataclass(frozen=True, slots=True)
class _Extent:
    """Where a value in a text ends, and what of it is to be read."""

    end: int
    text: str
    is_cut: bool = False


def _find_extent(text: str, start: int) -> _Extent:
    """The value that starts here. Of one that was cut off, what was complete, with the brackets closed."""
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
        if list_depth == 0 or len(stack) <= list_depth:
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
    value = _parse(json.loads, text)
    if value is None:
        tidied = _tidied(text)
        value = _parse(_lenient_json, tidied)
        if value is None:
            value = _parse(json_repair.loads, tidied)
    return _structure(value)


def _structure(value: object | None) -> object | None:
    return _shallow(value, _MOST_LEVELS) if isinstance(value, dict | list) else None


def _shallow(value: object, levels: int) -> object:
    """The value with nothing in place of what lies deeper: whoever reads it may go down level by level."""
    match value:
        case dict():
            return {key: _shallow(inner, levels - 1) for key, inner in value.items()} if levels else None
        case list():
            return [_shallow(inner, levels - 1) for inner in value] if levels else None
        case _:
            return value


def _parse(load: Callable[[str], object], text: str) -> object | None:
    try:
        return load(text)
    except _LOAD_ERRORS:
        return None


def _lenient_json(text: str) -> object:
    """With line breaks inside texts."""
    value: object = json.loads(text, strict=False)
    return value


def _tidied(text: str) -> str:
    """What is written wrongly but clearly: other quotes, joined texts, unknown escapes."""
    text = _QUOTED.sub(_in_double_quotes, text)
    text = _JOINED.sub("", text)
    return _UNKNOWN_ESCAPE.sub(lambda match: match[0] if match[1] else match[2], text)


def _in_double_quotes(match: re.Match[str]) -> str:
    if match["text"] is None:
        return match[0]
    inner = _ESCAPED_QUOTE.sub(r"\1", match["text"])
    return match["blank"] + '"' + _BARE_QUOTE.sub(r"\"", inner) + '"'

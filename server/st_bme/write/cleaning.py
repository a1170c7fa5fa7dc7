"""What of a message tells the story: no reasoning, no state blocks of other extensions, nothing that we injected."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache

from st_bme.model.message import Message

INJECTION_TAG = "memory"
"""What our own injection is wrapped in. It is never read back as memory."""

REASONING_TAGS = ("think", "thinking", "analysis", "reasoning")
STATE_TAGS = ("UpdateVariable", "StatusPlaceHolderImpl", "tracker", "infoblock", "statusblock")
"""Blocks in which other extensions keep their state inside a message."""

_STATE_LANGUAGES = frozenset(
    ("json", "json5", "jsonc", "yaml", "yml", "toml", "xml", "tracker", "stats", "status", "state", "variables", "vars")
)
_FENCE = re.compile(r"^[ \t]*(`{3,}|~{3,})[ \t]*([^\n`]*)\n(.*?)(?:^[ \t]*\1[`~]*[ \t]*$|\Z)", re.DOTALL | re.MULTILINE)
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_BLANK_LINES = re.compile(r"\n[ \t]*\n(?:[ \t]*\n)+")


@dataclass(frozen=True, slots=True)
class TextRule:
    """A part of a text, by what opens and what closes it. A rule without `end` names a tag in `start`."""

    start: str
    end: str = ""


@dataclass(frozen=True, slots=True)
class CleaningRules:
    """What is kept of a reply: the first extract rule that finds something, then all but what the excludes name."""

    extract: tuple[TextRule, ...] = ()
    exclude: tuple[TextRule, ...] = tuple(TextRule(tag) for tag in REASONING_TAGS)


DEFAULT_RULES = CleaningRules()


def clean_message(message: Message, rules: CleaningRules = DEFAULT_RULES) -> Message:
    """The message with only what it tells. A user's words are kept but for what was injected or is state."""
    text = message.text
    if message.role != "user":
        text = _exclude(_extract(text, rules.extract), rules.exclude)
    return replace(message, text=strip_state(text))


def strip_state(text: str) -> str:
    """The text without injected memory, other extensions' state blocks and comments of markup."""
    if "<" in text:
        text = _COMMENT.sub("", text)
        for tag in (INJECTION_TAG, *STATE_TAGS):
            text = _remove_spans(text, *_tag_patterns(tag))
    if "```" in text or "~~~" in text:
        text = _FENCE.sub(lambda match: "" if _is_state(match[2], match[3]) else match[0], text)
    return _BLANK_LINES.sub("\n\n", text).strip()


def _extract(text: str, rules: Iterable[TextRule]) -> str:
    for rule in rules:
        opening, closing = _patterns(rule)
        parts = [text[start:end] for start, end in _inner_spans(text, opening, closing)]
        if parts:
            return "\n".join(part.strip() for part in parts)
    return text


def _exclude(text: str, rules: Iterable[TextRule]) -> str:
    for rule in rules:
        text = _remove_spans(text, *_patterns(rule), drop_before_stray_end=not rule.end)
    return text


def _patterns(rule: TextRule) -> tuple[re.Pattern[str], re.Pattern[str]]:
    if not rule.end:
        return _tag_patterns(rule.start)
    return re.compile(re.escape(rule.start)), re.compile(re.escape(rule.end))


@cache
def _tag_patterns(tag: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    name = re.escape(tag)
    return (
        re.compile(rf"<{name}(?:\s[^<>]*)?(?<!/)>", re.IGNORECASE),
        re.compile(rf"</{name}\s*>|<{name}(?:\s[^<>]*)?/>", re.IGNORECASE),
    )


@dataclass(frozen=True, slots=True)
class _Mark:
    start: int
    end: int
    opens: bool


def _marks(text: str, opening: re.Pattern[str], closing: re.Pattern[str]) -> list[_Mark]:
    found = [_Mark(m.start(), m.end(), True) for m in opening.finditer(text)]
    found += [_Mark(m.start(), m.end(), False) for m in closing.finditer(text)]
    return sorted(found, key=lambda mark: mark.start)


def _inner_spans(text: str, opening: re.Pattern[str], closing: re.Pattern[str]) -> list[tuple[int, int]]:
    """What stands between each outermost pair; an opening without an end holds the rest of the text."""
    spans: list[tuple[int, int]] = []
    depth, start = 0, 0
    for mark in _marks(text, opening, closing):
        if mark.opens:
            if depth == 0:
                start = mark.end
            depth += 1
        elif depth > 0:
            depth -= 1
            if depth == 0:
                spans.append((start, mark.start))
    if depth > 0:
        spans.append((start, len(text)))
    return spans


def _remove_spans(
    text: str, opening: re.Pattern[str], closing: re.Pattern[str], *, drop_before_stray_end: bool = False
) -> str:
    """The text without its outermost pairs, nested and unclosed ones included.

    Some prompt templates open the reasoning themselves, so that a reply holds only its end: all before it goes.
    """
    kept: list[str] = []
    depth, position = 0, 0
    for mark in _marks(text, opening, closing):
        if mark.opens:
            if depth == 0:
                kept.append(text[position : mark.start])
            depth += 1
        elif depth > 0:
            depth -= 1
        elif drop_before_stray_end:
            kept.clear()
        else:
            kept.append(text[position : mark.start])
        if depth == 0:
            position = mark.end
    if depth == 0:
        kept.append(text[position:])
    return "".join(kept)


def _is_state(language: str, body: str) -> bool:
    if language.strip().casefold() in _STATE_LANGUAGES:
        return True
    body = body.strip()
    return body[:1] in ("{", "[") and body[-1:] in ("}", "]") and '"' in body

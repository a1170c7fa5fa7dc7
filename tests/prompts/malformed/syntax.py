"""Answers that are almost JSON: all operations are right."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping

from prompts.malformed.case import Case, answer, compact, pretty
from prompts.malformed.stories import STORIES

_KEY = re.compile(r'"(\w+)":')
_BETWEEN_OBJECTS = re.compile(r"\},(\s*)\{")


def _behind_each_line(text: str, what: str) -> str:
    return "\n".join(line + what if line.rstrip().endswith(",") else line for line in text.splitlines())


def _single_quotes(text: str) -> str:
    """As Python prints it."""
    return repr(json.loads(text))


DAMAGES: Mapping[str, Callable[[str], str]] = {
    "printed by python": _single_quotes,
    "bare keys": lambda text: _KEY.sub(r"\1:", text),
    "keys in single quotes": lambda text: _KEY.sub(r"'\1':", text),
    "trailing comma in the list": lambda text: re.sub(r"\]\s*\}$", ",]}", text),
    "trailing comma in the object": lambda text: re.sub(r"\}$", ",}", text),
    "trailing commas everywhere": lambda text: re.sub(r"(?<=[\"\d\]}])(\s*[\]}])", r",\1", text),
    "comma missing between operations": lambda text: _BETWEEN_OBJECTS.sub(r"}\1{", text),
    "two commas between operations": lambda text: _BETWEEN_OBJECTS.sub(r"},,\1{", text),
    "comma missing between keys": lambda text: text.replace('",\n', '"\n'),
    "semicolon between operations": lambda text: _BETWEEN_OBJECTS.sub(r"};\1{", text),
    "comments at line ends": lambda text: _behind_each_line(text, " // from the chat"),
    "comments of a shell": lambda text: _behind_each_line(text, "  # it's from the chat"),
    "comments between marks": lambda text: _behind_each_line(text, " /* as said */"),
    "comment before": lambda text: "// the memories\n" + text,
    "comment inside": lambda text: text.replace('"operations": [', '"operations": [ // new ones first', 1),
    "list left open": lambda text: re.sub(r"\]\s*\}$", "", text),
    "object left open": lambda text: re.sub(r"\}$", "", text),
    "one brace too many": lambda text: text + "}",
    "one bracket too many": lambda text: re.sub(r"\}$", "]}", text),
    "list closed by a brace": lambda text: re.sub(r"\]\s*\}$", "}}", text),
    "key without a colon": lambda text: text.replace('"operations":', '"operations"', 1),
    "equals sign for a colon": lambda text: text.replace('"operations":', '"operations" =', 1),
    "arrow for a colon": lambda text: text.replace('"operations":', '"operations" =>', 1),
    "words of python": lambda text: text.replace('"thought":', '"isNew": True, "old": None, "thought":', 1),
    "no number": lambda text: text.replace('"thought":', '"score": NaN, "thought":', 1),
    "plus sign": lambda text: re.sub(r'("importance": ?)', r"\1+", text),
    "ellipsis at the end": lambda text: re.sub(r"\]\s*\}$", ", ...]}", text),
    "assigned to a name": lambda text: f"const answer = {text};",
    "returned": lambda text: f"return {text};",
    "in brackets of a call": lambda text: f"saveMemories({text});",
    "full width marks": lambda text: _KEY.sub(r'"\1"：', _BETWEEN_OBJECTS.sub(r"}，\1{", text)),
    "curly quotes around keys": lambda text: _KEY.sub(r"“\1”:", text),
    "hidden blanks": lambda text: _KEY.sub(' "\\1":\u00a0', text),
    "key twice": lambda text: text.replace('"operations":', '"operations": [], "operations":', 1),
    "first brace missing": lambda text: re.sub(r"^\{", "", text),
    "list not opened": lambda text: re.sub(r'("operations": ?)\[', r"\1", text),
    "key without its last quote": lambda text: text.replace('"operations":', '"operations:', 1),
    "key without its first quote": lambda text: text.replace('"operations":', 'operations":', 1),
    "comment in chinese": lambda text: text.replace('"operations"', '/* 提取结果 */ "operations"', 1),
    "lines numbered": lambda text: "\n".join(f"{n} {line}" for n, line in enumerate(text.splitlines(), 1)),
    "lines quoted": lambda text: "\n".join(f"> {line}" for line in text.splitlines()),
    "brace missing between": lambda text: re.sub(r'"\}(\s*)\},(\s*)\{', r'"}\1,\2{', text, count=1),
}
"""Each is made to a pretty and to a compact answer."""

SHORT: Mapping[str, tuple[str, str]] = {
    "line break in a text": (
        '{"operations":[{"action":"create","type":"event","fields":{"summary":"one\ntwo"}}]}',
        "one\ntwo",
    ),
    "tab in a text": (
        '{"operations":[{"action":"create","type":"event","fields":{"summary":"one\ttwo"}}]}',
        "one\ttwo",
    ),
    "quotes in a text": (
        '{"operations":[{"action":"create","type":"event","fields":{"summary":"He said "hi" to her."},"cite":"#4"}]}',
        'He said "hi" to her.',
    ),
    "quotes at the end of a text": (
        '{"operations":[{"action":"create","type":"event","fields":{"summary":"She said "run""},"cite":"#4"}]}',
        'She said "run"',
    ),
    "a comma behind quotes in a text": (
        '{"operations":[{"action":"create","type":"event","fields":{"summary":"The "Owl", a pub, shut"},"cite":"#4"}]}',
        'The "Owl", a pub, shut',
    ),
    "an escaped apostrophe": (
        r'{"operations":[{"action":"create","type":"event","fields":{"summary":"Tam\'s boat sank"},"cite":"#4"}]}',
        "Tam's boat sank",
    ),
    "an apostrophe among single quotes": (
        "{'operations':[{'action':'create','type':'event','fields':{'summary':'Tam's boat sank'},'cite':'#4'}]}",
        "Tam's boat sank",
    ),
    "an unknown escape": (
        r'{"operations":[{"action":"create","type":"event","fields":{"summary":"a \_ b"},"cite":"#4"}]}',
        "a _ b",
    ),
    "curly quotes everywhere": (
        "{“operations”:[{“action”:“create”,“type”:“event”,“fields”:{“summary”:“Tam fled”},“cite”:“#4”}]}",
        "Tam fled",
    ),
    "a text without quotes": (
        '{"operations":[{"action":create,"type":event,"fields":{"summary":"Tam fled"},"cite":"#4"}]}',
        "Tam fled",
    ),
    "a text in back quotes": (
        '{"operations":[{"action":"create","type":"event","fields":{"summary":`Tam fled`},"cite":"#4"}]}',
        "Tam fled",
    ),
    "a text in two parts": (
        '{"operations":[{"action":"create","type":"event","fields":{"summary":"Tam " + "fled"},"cite":"#4"}]}',
        "Tam fled",
    ),
    "a quote left open": (
        '{"operations":[{"action":"create","type":"event","fields":{"summary":"Tam fled},"cite":"#4"}]}',
        "Tam fled",
    ),
    "a bracket in a text": (
        '{"operations":[{"action":"create","type":"event","fields":{"summary":"a ] b } c [ d {"},"cite":"#4"}]}',
        "a ] b } c [ d {",
    ),
    "an emoji as two halves": (
        r'{"operations":[{"action":"create","type":"event","fields":{"summary":"Tam \ud83d\ude00"},"cite":"#4"}]}',
        "Tam 😀",
    ),
    "chinese quotes in a text": (
        '{"operations":[{"action":"create","type":"event","fields":{"summary":"他说"快跑"，然后走了"},"cite":"#4"}]}',
        '他说"快跑"，然后走了',
    ),
    "keys beside the operation": (
        '{"operations":[{"action":"create","type":"event","summary":"Tam fled","cite":"#4"}]}',
        "Tam fled",
    ),
}


def cases() -> Iterator[Case]:
    for number, (name, damage) in enumerate(DAMAGES.items()):
        story = ("mill", "tower", "letter")[number % 3]
        if name in ("full width marks", "comma missing between keys"):
            story = "tower"
        yield Case(f"syntax: {name}, {story}", damage(pretty(answer(STORIES[story]))), STORIES[story])
        plain = compact(answer(STORIES["plain"]))
        if damage(plain) != plain:
            yield Case(f"syntax: {name}, plain", damage(plain), STORIES["plain"])
    for name, (text, summary) in SHORT.items():
        cite = {"cite": "#4"} if "#4" in text else {}
        yield Case(
            f"text: {name}", text, [{"action": "create", "type": "event", "fields": {"summary": summary}, **cite}]
        )

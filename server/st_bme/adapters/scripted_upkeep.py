"""A scripted double of the model that does upkeep: it says again what it was shown, cut to a length."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping

import orjson

from st_bme.ports import ChatPrompt

_SECTION: Mapping[str, str] = {
    "summarise": "MESSAGES\n",
    "roll_up": "PARAGRAPHS\n",
    "synopsis": "EVENTS, oldest first\n",
    "reflect": "EVENTS, oldest first\n",
    "compress": "MEMORIES, oldest first\n",
}
_MEMORY = re.compile(r"^N\d+\. \[\w+\] (.*)$", re.MULTILINE)
_NUMBERED = re.compile(r"^([NO]\d+)\. \[\w+\] (.*?)(?: ←.*)?$", re.MULTILINE)
_NEAR = re.compile(r"^(N\d+)\. .* ← (.*)$", re.MULTILINE)
_DIGITS = re.compile(r"\d+")
_FIELD = re.compile(r"(\w+): ([^;]*)")


def scripted_upkeep(prompt: ChatPrompt, *, most: int = 2_000) -> str:
    """The answer to a prompt of upkeep in English."""
    shown = prompt.user.partition(_SECTION[prompt.task])[2] if prompt.task in _SECTION else prompt.user
    match prompt.task:
        case "consolidate":
            return _verdicts(prompt.user)
        case "compress":
            return orjson.dumps({"fields": {name: text[:most] for name, text in _joined(shown).items()}}).decode()
        case "reflect":
            insight = " ".join(_MEMORY.findall(shown.partition("\n\nCHARACTERS\n")[0]))
            return orjson.dumps({"insight": insight[:most], "importance": 7}).decode()
        case _:
            return orjson.dumps({"summary": " ".join(shown.split())[:most]}).decode()


def _verdicts(shown: str) -> str:
    """A new memory goes into the first near one that says the same but for numbers; every other one is kept."""
    told = dict(_NUMBERED.findall(shown))
    results = []
    for ref, near in _NEAR.findall(shown):
        alike = [other for other in near.split(", ") if _plain(told[other]) == _plain(told[ref])]
        results.append({"memory": ref, "action": "skip" if alike else "keep", "target": (alike or [""])[0]})
    return orjson.dumps({"results": results}).decode()


def _plain(told: str) -> str:
    return _DIGITS.sub("", told)


def _joined(shown: str) -> Mapping[str, str]:
    """The fields of all memories that were shown, each joined over them."""
    fields: dict[str, list[str]] = defaultdict(list)
    for told in _MEMORY.findall(shown):
        for name, text in _FIELD.findall(told):
            if text not in fields[name]:
                fields[name].append(text)
    return {name: " + ".join(texts) for name, texts in fields.items()}

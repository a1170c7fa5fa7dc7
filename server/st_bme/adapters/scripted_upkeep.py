"""A scripted double of the model that does upkeep: it says again what it was shown, cut to a length."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping

import orjson

from st_bme.ports import ChatPrompt

_SECTION: Mapping[str, str] = {
    "summarise": "MESSAGES\n",
    "roll_up": "PARAGRAPHS\n",
    "synopsis": "EVENTS, oldest first\n",
    "reflect": "EVENTS, oldest first\n",
    "compress": "MEMORIES, oldest first\n",
    "consolidate": "NEW MEMORIES\n",
}
_MEMORY = re.compile(r"^([NO]\d+)\. \[\w+\] (.*?)(?: ← (.*))?$", re.MULTILINE)
_FIELD = re.compile(r"(\w+): ([^;]*)")
_DIGITS = re.compile(r"[\d\s]+")


def scripted_upkeep(prompt: ChatPrompt, *, most: int = 2_000) -> str:
    """The answer to a prompt of upkeep in English."""
    shown = prompt.user.partition(_SECTION[prompt.task])[2]
    match prompt.task:
        case "consolidate":
            return orjson.dumps({"results": list(_verdicts(shown, most))}).decode()
        case "compress":
            told = [fields for _, fields, _ in _MEMORY.findall(shown)]
            return orjson.dumps({"fields": _joined(told, most)}).decode()
        case "reflect":
            events = _MEMORY.findall(shown.partition("\n\nCHARACTERS\n")[0])
            insight = " ".join(fields for _, fields, _ in events)
            return orjson.dumps({"insight": insight[:most], "importance": 7}).decode()
        case _:
            return orjson.dumps({"summary": " ".join(shown.split())[:most]}).decode()


def _verdicts(shown: str, most: int) -> Iterable[object]:
    """A new memory goes into the first near one that says the same but for numbers; every other one is kept
    and linked with the nearest.
    """
    told = {ref: fields for ref, fields, _ in _MEMORY.findall(shown)}
    for ref, fields, near in _MEMORY.findall(shown):
        if not near:
            continue
        others = near.split(", ")
        alike = next((other for other in others if _plain(told[other]) == _plain(fields)), "")
        if alike:
            both = _joined((told[alike], fields), most)
            yield {"memory": ref, "action": "merge", "target": alike, "fields": both}
        else:
            yield {"memory": ref, "action": "keep", "links": [{"target": others[0], "relation": "related"}]}


def _plain(told: str) -> str:
    return _DIGITS.sub("", told)


def _joined(memories: Iterable[str], most: int) -> Mapping[str, str]:
    """The fields of several memories, each joined over them."""
    fields: dict[str, list[str]] = defaultdict(list)
    for told in memories:
        for name, text in _FIELD.findall(told):
            if text not in fields[name]:
                fields[name].append(text)
    return {name: " + ".join(texts)[:most] for name, texts in fields.items()}

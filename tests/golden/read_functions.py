"""Our functions of the read chain, given inputs and giving outputs in the form of the golden files."""

import re
from typing import Any

from st_bme.model.node import Node
from st_bme.model.schema import STORY_TYPES
from st_bme.read.inject import HEADINGS, Form, core_text, recalled_text
from st_bme.read.query import BlendWeights, intent_segments, triviality
from st_bme.read.query import blend as blend_parts

CELL_LIMIT = 200
_SAID = re.compile(r"\[?(?P<role>user|assistant|ai|用户|助手)\]?\s*[:：]\s*(?P<text>.*)", re.IGNORECASE | re.DOTALL)
_USER = ("user", "用户")
_KINDS = {"user": "currentUser", "assistant": "assistantContext", "previous_user": "previousUser"}
_WORDS_OF_GROUPS = {"状态": "states", "事件": "events", "反思": "reflections", "规则": "rules"}


def blend(given: dict[str, Any], _now_ms: int) -> list[dict[str, Any]]:
    options = given["opt"]
    assistant, previous_user = ("", "") if options.get("enabled") is False else _said_before(given)
    shares = BlendWeights(
        assistant=options.get("assistantWeight", BlendWeights().assistant),
        previous_user=options.get("previousUserWeight", BlendWeights().previous_user),
    )
    parts = blend_parts(given["userMessage"] or "", assistant, previous_user, weights=shares)
    return [{"kind": _KINDS[part.kind], "text": part.text, "weight": part.weight} for part in parts]


def parts_of(output: dict[str, Any]) -> list[dict[str, Any]]:
    """What is asked for; the labels are for people, and the other fields repeat it."""
    return [{key: part[key] for key in ("kind", "text", "weight")} for part in output["parts"]]


def segments(given: dict[str, Any], _now_ms: int) -> list[str]:
    names = {"maxSegments": "max_segments", "minLength": "min_length"}
    limits = {names[key]: value for key, value in given["opt"].items() if key in names}
    return list(intent_segments(given["text"] or "", **limits))


def trivial(given: str | None, _now_ms: int) -> dict[str, Any]:
    reason = triviality(given or "")
    return {"trivial": bool(reason), "reason": reason}


def reason_of(output: dict[str, Any]) -> dict[str, Any]:
    """Without the text, which is only stripped."""
    return {key: output[key] for key in ("trivial", "reason")}


def injection(given: dict[str, Any], _now_ms: int) -> list[str]:
    """Tables as in the prompt. In a graph a memory is one node, and what is in the core is not recalled again."""
    core = _nodes(given["coreNodes"], seen := set())
    recalled = _nodes(given["recallNodes"], seen)
    headings = HEADINGS["zh"]
    form = Form(CELL_LIMIT)
    text = f"{core_text(core, headings, form)}\n{recalled_text(recalled, headings, form)}"
    codes = {headings.core: "core", headings.recalled: "recalled"}
    codes |= {heading: group for group, heading in headings.groups.items()}
    return [codes.get(line, line) for line in text.split("\n") if line]


def lines_of(output: str) -> list[str]:
    """The lines of a recorded injection, headings as codes."""
    codes = {"[Memory - Core]": "core", "[Memory - Recalled]": "recalled"}
    return [_group_of(line) if line.startswith("## ") else codes.get(line, line) for line in output.split("\n") if line]


def _group_of(heading: str) -> str:
    return next((group for word, group in _WORDS_OF_GROUPS.items() if word in heading), "other")


def _said_before(given: dict[str, Any]) -> tuple[str, str]:
    """The newest reply, and the newest message of the user's that is not the one being asked about."""
    now = _plain(given["userMessage"] or "")
    said = [match for line in reversed(given["recent"] or []) if (match := _SAID.fullmatch(line.strip()))]
    spoken = [(match["role"].lower() in _USER, _plain(match["text"])) for match in said if match["text"].strip()]
    assistant = next((text for is_user, text in spoken if not is_user), "")
    return assistant, next((text for is_user, text in spoken if is_user and text != now), "")


def _plain(text: str) -> str:
    return " ".join(text.split())


def _nodes(listed: list[dict[str, Any]], seen: set[str]) -> list[Node]:
    """Each memory of a known type once."""
    nodes = []
    for node in listed:
        if node["type"] in STORY_TYPES and node["id"] not in seen:
            seen.add(node["id"])
            fields = {name: str(value) for name, value in node["fields"].items() if value is not None}
            nodes.append(Node(node["id"], node["type"], fields, sources=()))
    return nodes

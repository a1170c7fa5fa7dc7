"""The extraction prompt: what is asked about a run of messages, and the form of the answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from st_bme.model.edge import RELATIONS
from st_bme.model.schema import STORY_TYPES, NodeType
from st_bme.ports import ChatPrompt, KnownNode
from st_bme.prompts.render import load_template, render

MOST_ANSWER_TOKENS = 4_000
TEMPERATURE = 0.2
_LONGEST_KNOWN = 240
_NONE = {"en": "(none)", "zh": "（无）"}
_PROBLEMS = {
    "en": "Your last answer could not be used: {problem}. Answer with the JSON object alone.",
    "zh": "上一次的回答无法使用：{problem}。请只回答 JSON 对象。",
}


@dataclass(frozen=True, slots=True)
class ExtractBlocks:
    """What the prompt is filled with. `problem` says what was wrong with the answer before, "" at the first try."""

    language: str
    user_name: str
    character_name: str
    known: Sequence[KnownNode]
    context: str
    run: str
    problem: str = ""


def extract_prompt(blocks: ExtractBlocks) -> ChatPrompt:
    """The prompt in Chinese for a Chinese chat, else in English."""
    language = "zh" if blocks.language == "zh" else "en"
    nothing = _NONE[language]
    text = render(
        load_template("extract", language),
        {
            "types": "\n".join(_type_line(node_type) for node_type in STORY_TYPES.values()),
            "relations": ", ".join(RELATIONS),
            "user": blocks.user_name or nothing,
            "character": blocks.character_name or nothing,
            "known": "\n".join(_known_line(node) for node in blocks.known) or nothing,
            "context": blocks.context or nothing,
            "run": blocks.run,
            "problems": _PROBLEMS[language].format(problem=blocks.problem) if blocks.problem else "",
        },
    )
    return ChatPrompt("extract", text.system, text.user, MOST_ANSWER_TOKENS, TEMPERATURE, _ANSWER_SCHEMA)


def _type_line(node_type: NodeType) -> str:
    columns = (f"{column}*" if column in node_type.required else column for column in node_type.columns)
    return f"{node_type.id}: {', '.join(columns)}"


def _known_line(node: KnownNode) -> str:
    text = " ".join(node.text.split())[:_LONGEST_KNOWN]
    return f"{node.ref} [{node.type}] {text if node.name in text else f'{node.name}: {text}'.rstrip(': ')}"


def _answer_schema() -> Mapping[str, object]:
    text, number = {"type": "string"}, {"type": "number"}
    link = {
        "type": "object",
        "properties": {"target": text, "relation": {"type": "string", "enum": list(RELATIONS)}, "strength": number},
        "required": ["target", "relation"],
    }
    operation = {
        "type": "object",
        "properties": {
            "action": {"type": "string", "enum": ["create", "update", "delete"]},
            "type": {"type": "string", "enum": list(STORY_TYPES)},
            "nodeId": text,
            "ref": text,
            "cite": text,
            "fields": {"type": "object", "additionalProperties": text},
            "importance": number,
            "links": {"type": "array", "items": link},
            "scope": {"type": "object", "additionalProperties": text},
        },
        "required": ["action", "cite"],
    }
    return {
        "type": "object",
        "properties": {"operations": {"type": "array", "items": operation}},
        "required": ["operations"],
    }


_ANSWER_SCHEMA = _answer_schema()

"""The extraction prompt: what is asked about a run of messages, and the form of the answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from st_bme.model.edge import RELATIONS
from st_bme.model.schema import STORY_TYPES, Hint, NodeType
from st_bme.ports import Asking, Background, ChatPrompt, ExtractionInput, KnownNode
from st_bme.prompts.extract_schema import answer_schema
from st_bme.prompts.render import render, template_for

MOST_ANSWER_TOKENS = 4_000
TEMPERATURE = 0.2
POV_MEMORY = "pov_memory"
_LONGEST_KNOWN = 240
_LONGEST_PERSONA = 1_500
_LONGEST_CARD = 6_000
_LONGEST_WORLD_INFO = 6_000
_LONGEST_SUMMARIES = 4_000
_NONE = {"en": "(none)", "zh": "（无）"}
_PROBLEMS = {
    "en": "Your last answer could not be used: {problem}. Answer with the JSON object alone.",
    "zh": "上一次的回答无法使用：{problem}。请只回答 JSON 对象。",
}
Values = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Reading:
    """The messages in the form that a model reads, and what was wrong with its answer before, "" at the first try."""

    context: str
    run: str
    problem: str = ""


def extract_prompt(request: ExtractionInput, reading: Reading) -> ChatPrompt:
    """The prompt in Chinese for a Chinese chat, else in English, or in the user's own words."""
    language = prompt_language(request.language)
    template = template_for("extract", language, request.asking.template)
    text = render(template, prompt_values(request, reading))
    schema = answer_schema(asked_types(request.asking), request.asking)
    return ChatPrompt("extract", text.system, text.user, MOST_ANSWER_TOKENS, TEMPERATURE, schema)


def prompt_language(language: str) -> str:
    return "zh" if language == "zh" else "en"


def asked_types(asking: Asking) -> Mapping[str, NodeType]:
    """The node types that an answer may use."""
    built_in = {name: each for name, each in STORY_TYPES.items() if asking.has_pov or name != POV_MEMORY}
    return {**built_in, **asking.types}


def prompt_values(request: ExtractionInput, reading: Reading) -> Values:
    """What the placeholders of an extraction template stand for; a switch is "1" or "" and shows or hides a block."""
    language = prompt_language(request.language)
    nothing = _NONE[language]
    return {
        "types": type_lines(asked_types(request.asking), language),
        "relations": ", ".join(RELATIONS),
        "user": request.user_name or nothing,
        "character": request.character_name or nothing,
        "known": "\n".join(map(known_line, request.known)) or nothing,
        "context": reading.context or nothing,
        "run": reading.run,
        "problems": _PROBLEMS[language].format(problem=reading.problem) if reading.problem else "",
        **_background(request.background),
        **_switches(request.asking, request.background),
    }


def _background(background: Background) -> Values:
    return {
        "persona": background.persona.strip()[:_LONGEST_PERSONA],
        "card": background.card.strip()[:_LONGEST_CARD],
        "world_info": background.world_info.strip()[:_LONGEST_WORLD_INFO],
        "counts": ", ".join(f"{name} {count}" for name, count in background.counts.items() if count),
        "summaries": "\n".join(background.summaries)[-_LONGEST_SUMMARIES:],
        "story_time": background.story_time,
        "regions": background.regions,
        "variables": "\n".join(
            f"{variable.name}: {variable.description}{f' (= {variable.value})' if variable.value else ''}"
            for variable in background.variables
        ),
        "forbidden": ", ".join(background.forbidden),
    }


def _switches(asking: Asking, background: Background) -> Values:
    switches = {
        "pov": asking.has_pov,
        "scopes": asking.has_scopes,
        "story_times": asking.has_story_time,
        "cognition": asking.has_cognition,
        "adjacency": asking.has_adjacency,
    }
    has_extras = asking.has_story_time or asking.has_cognition or asking.has_adjacency or bool(background.variables)
    return {name: "1" if is_on else "" for name, is_on in {**switches, "extras": has_extras}.items()}


def type_lines(types: Mapping[str, NodeType], language: str) -> str:
    """The types as a prompt lists them, with their columns."""
    return "\n".join(_type_line(each, language) for each in types.values())


def _type_line(node_type: NodeType, language: str) -> str:
    columns = (
        f"{column}{'*' if column in node_type.required else ''}{_said(node_type.column_hints.get(column), language)}"
        for column in node_type.columns
    )
    return f"{node_type.id}{_said(node_type.hint, language)}: {', '.join(columns)}"


def _said(hint: Hint | None, language: str) -> str:
    said = "" if hint is None else hint.zh if language == "zh" else hint.en
    return f" ({said})" if said else ""


def known_line(node: KnownNode) -> str:
    """A memory as a model is shown it: its ref, its type, what it says."""
    text = " ".join(node.text.split())[:_LONGEST_KNOWN]
    return f"{node.ref} [{node.type}] {text if node.name in text else f'{node.name}: {text}'.rstrip(': ')}"

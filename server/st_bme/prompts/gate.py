"""The cheap first question: is there anything in these messages that is worth a memory?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from st_bme.errors import AnswerUnusable
from st_bme.ports import ChatPrompt, ExtractionInput
from st_bme.prompts.answer import RawAnswer, fold_key, read_object
from st_bme.prompts.extract import TEMPERATURE, Reading, prompt_language, prompt_values
from st_bme.prompts.render import render, template_for

_MOST_ANSWER_TOKENS = 300
_YES = frozenset(("true", "yes", "1", "是", "有"))
_NO = frozenset(("false", "no", "0", "否", "无", "没有"))
_VERDICT: Mapping[str, object] = {"has_key_information": {"type": "boolean"}}
_VARIABLES: Mapping[str, object] = {"variables": {"type": "object", "additionalProperties": {"type": "string"}}}


@dataclass(frozen=True, slots=True)
class Gate:
    """Whether extraction is worth its call, and the values of variables, which are asked for either way."""

    is_open: bool
    answer: RawAnswer


def gate_prompt(request: ExtractionInput, reading: Reading) -> ChatPrompt:
    template = template_for("extract_gate", prompt_language(request.language), request.asking.gate_template)
    text = render(template, prompt_values(request, reading))
    # A small model fills whatever a schema has room for.
    properties = {**_VERDICT, **_VARIABLES} if request.background.variables else _VERDICT
    schema = {"type": "object", "properties": properties, "required": ["has_key_information"]}
    return ChatPrompt("extract_gate", text.system, text.user, _MOST_ANSWER_TOKENS, TEMPERATURE, schema)


def read_gate(answer: str) -> Gate:
    """Raises: AnswerUnusable: it says neither yes nor no."""
    said = {fold_key(key): value for key, value in read_object(answer).items()}
    verdict = str(said.get("haskeyinformation", "")).strip().casefold()
    if verdict not in _YES | _NO:
        raise AnswerUnusable("the answer does not say has_key_information true or false")
    return Gate(verdict in _YES, RawAnswer((), {"variables": said.get("variables")}))

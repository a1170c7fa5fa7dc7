"""The second step of two: what happened is recorded, now who sees it how."""

from __future__ import annotations

from dataclasses import replace

from st_bme.model.schema import STORY_TYPES
from st_bme.ports import ChatPrompt, ExtractionInput, KnownNode
from st_bme.prompts.answer import RawAnswer, RawOperation
from st_bme.prompts.extract import (
    MOST_ANSWER_TOKENS,
    POV_MEMORY,
    TEMPERATURE,
    Reading,
    prompt_language,
    prompt_values,
)
from st_bme.prompts.extract_answer import as_text
from st_bme.prompts.extract_schema import answer_schema
from st_bme.prompts.render import render, template_for

_MOST_SHOWN = 200


def objective_step(request: ExtractionInput) -> ExtractionInput:
    """The first step's request: nobody's view."""
    return replace(request, asking=replace(request.asking, has_pov=False, has_cognition=False))


def with_refs(answer: RawAnswer) -> RawAnswer:
    """The answer with a ref for each operation that has none, so that the next step can name it."""
    named = [{**each, "ref": each.get("ref") or f"op{index}"} for index, each in enumerate(answer.operations)]
    return RawAnswer(named, answer.beside)


def pov_prompt(request: ExtractionInput, made: RawAnswer, reading: Reading) -> ChatPrompt:
    """`made` is what the first step answered, with refs."""
    known = [*request.known, *(_shown(each) for each in made.operations)]
    template = template_for("extract_pov", prompt_language(request.language), request.asking.pov_template)
    values = dict(prompt_values(replace(request, known=known), reading))
    values["types"] = ", ".join(STORY_TYPES[POV_MEMORY].columns)
    asking = replace(request.asking, has_story_time=False, has_adjacency=False)
    schema = answer_schema({POV_MEMORY: STORY_TYPES[POV_MEMORY]}, asking)
    text = render(template, values)
    return ChatPrompt("extract_pov", text.system, text.user, MOST_ANSWER_TOKENS, TEMPERATURE, schema)


def _shown(operation: RawOperation) -> KnownNode:
    fields = operation.get("fields")
    said = "; ".join(map(as_text, fields.values())) if isinstance(fields, dict) else as_text(fields)
    return KnownNode(as_text(operation["ref"]), "", as_text(operation.get("type")), "", said[:_MOST_SHOWN])

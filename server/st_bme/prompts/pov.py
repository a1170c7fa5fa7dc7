"""The second step of two: what happened is recorded, now who sees it how."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from st_bme.model.schema import STORY_TYPES
from st_bme.ports import ChatPrompt, ExtractionInput
from st_bme.prompts.answer import RawOperation
from st_bme.prompts.extract import (
    MOST_ANSWER_TOKENS,
    POV_MEMORY,
    TEMPERATURE,
    Reading,
    prompt_language,
    prompt_values,
)
from st_bme.prompts.extract_schema import answer_schema
from st_bme.prompts.made import as_known
from st_bme.prompts.render import render, template_for


def objective_step(request: ExtractionInput) -> ExtractionInput:
    """The first step's request: nobody's view."""
    return replace(request, asking=replace(request.asking, has_pov=False, has_cognition=False))


def pov_prompt(request: ExtractionInput, made: Sequence[RawOperation], reading: Reading) -> ChatPrompt:
    """`made` is what the first step answered, with refs."""
    known = [*request.known, *map(as_known, made)]
    template = template_for("extract_pov", prompt_language(request.language), request.asking.pov_template)
    values = dict(prompt_values(replace(request, known=known), reading))
    values["types"] = ", ".join(STORY_TYPES[POV_MEMORY].columns)
    asking = replace(request.asking, has_story_time=False, has_adjacency=False)
    schema = answer_schema({POV_MEMORY: STORY_TYPES[POV_MEMORY]}, asking)
    text = render(template, values)
    return ChatPrompt("extract_pov", text.system, text.user, MOST_ANSWER_TOKENS, TEMPERATURE, schema)

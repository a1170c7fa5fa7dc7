"""The question after an answer that leaves out what is to be noted of every run of substance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from pydantic import ValidationError

from st_bme.model.schema import NodeType
from st_bme.ports import ChatPrompt, ExtractionInput
from st_bme.prompts.answer import RawAnswer, RawOperation, read_answer
from st_bme.prompts.extract import (
    MOST_ANSWER_TOKENS,
    TEMPERATURE,
    Reading,
    prompt_language,
    prompt_values,
    type_lines,
)
from st_bme.prompts.extract_answer import AnswerOperation
from st_bme.prompts.extract_schema import answer_schema
from st_bme.prompts.made import as_known
from st_bme.prompts.render import load_template, render

Types = Mapping[str, NodeType]


def missing_prompt(
    request: ExtractionInput, made: Sequence[RawOperation], missing: Types, reading: Reading
) -> ChatPrompt:
    """`made` is what was answered before, with refs."""
    language = prompt_language(request.language)
    known = [*request.known, *map(as_known, made)]
    values = {**prompt_values(replace(request, known=known), reading), "types": type_lines(missing, language)}
    text = render(load_template("extract_missing", language), values)
    asking = replace(request.asking, has_pov=False, has_cognition=False, has_story_time=False, has_adjacency=False)
    schema = answer_schema(missing, asking)
    return ChatPrompt("extract_missing", text.system, text.user, MOST_ANSWER_TOKENS, TEMPERATURE, schema)


def read_missing(answer: str, missing: Types) -> RawAnswer:
    """What it creates of these types, and nothing else: what was answered before stands as it is.

    Raises: AnswerUnusable: as `read_answer`.
    """
    return RawAnswer([each for each in read_answer(answer).operations if _creates(each, missing)])


def _creates(raw: RawOperation, types: Types) -> bool:
    try:
        operation = AnswerOperation.model_validate(raw)
    except ValidationError:
        return False
    is_new = operation.action == "create" or not (operation.action or operation.node_id)
    return is_new and operation.type in types

"""The prompts of upkeep, and how their answers are read. The words are in the templates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, ValidationError

from st_bme.errors import AnswerUnusable
from st_bme.model.node import Node
from st_bme.ports import ChatPrompt
from st_bme.prompts.answer import read_object
from st_bme.prompts.extract_answer import Fields, Number, Text
from st_bme.prompts.render import load_template, render

TEMPERATURE = 0.2
ANSWER_TOKENS = 1_000
LONGEST_TEXT = 2_000
"""Characters that are kept of a text that a model wrote; the prompts ask for far less."""

_LONGEST_LINE = 400
_NONE = {"en": "(none)", "zh": "（无）"}
_TEXT_SCHEMA = {"type": "string"}

_Answer = TypeVar("_Answer", bound=BaseModel)


class SummaryAnswer(BaseModel):
    """A text that stands for several."""

    model_config = ConfigDict(extra="ignore")

    summary: Text = Field("", validation_alias=AliasChoices("summary", "text", "content", "synopsis"))


class ReflectionAnswer(BaseModel):
    """What several events together show."""

    model_config = ConfigDict(extra="ignore")

    insight: Text = Field("", validation_alias=AliasChoices("insight", "reflection", "summary"))
    trigger: Text = ""
    suggestion: Text = ""
    importance: Number = None


class CompressedAnswer(BaseModel):
    """The fields of a memory that stands for several."""

    model_config = ConfigDict(extra="ignore")

    fields: Fields = Field(default_factory=dict)


def upkeep_prompt(task: str, language: str, values: Mapping[str, str], answer: type[BaseModel]) -> ChatPrompt:
    """The prompt of a task in Chinese for a Chinese chat, else in English."""
    spoken = "zh" if language == "zh" else "en"
    filled = {name: value or _NONE[spoken] for name, value in values.items()}
    text = render(load_template(task, spoken), filled)
    schema = answer.model_json_schema(by_alias=False)
    return ChatPrompt(task, text.system, text.user, ANSWER_TOKENS, TEMPERATURE, schema)


def read_upkeep(answer: str, form: type[_Answer]) -> _Answer:
    """The answer in the form that was asked for. Raises: AnswerUnusable: it is in no such form."""
    try:
        return form.model_validate(read_object(answer))
    except ValidationError as error:
        raise AnswerUnusable(f"the answer is no {form.__name__}: {error.errors()[0]['msg']}") from None


def read_summary(answer: str) -> str:
    """The text of a summary. Raises: AnswerUnusable: there is none."""
    text = " ".join(read_upkeep(answer, SummaryAnswer).summary.split())[:LONGEST_TEXT]
    if not text:
        raise AnswerUnusable("the answer holds no summary")
    return text


def node_lines(nodes: Sequence[Node], *, letter: str = "N") -> str:
    """Memories one a line, numbered from 1 behind a letter."""
    return "\n".join(f"{letter}{number}. {node_line(node)}" for number, node in enumerate(nodes, start=1))


def node_line(node: Node) -> str:
    """A memory with its type and fields."""
    told = "; ".join(f"{key}: {value}" for key, value in node.fields.items() if value)
    return f"[{node.type}] {' '.join(told.split())[:_LONGEST_LINE]}"

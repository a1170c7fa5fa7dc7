"""The rerank prompt: which of the memories that were found help with the reply, and how the answer is read."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import BaseModel, ValidationError

from st_bme.errors import AnswerUnusable
from st_bme.ports import ChatPrompt
from st_bme.prompts.answer import read_object
from st_bme.prompts.render import load_template, render

TEMPERATURE = 0.1
_ANSWER_TOKENS = 400
_LONGEST_MEMORY = 300
_LONGEST_QUERY = 1_500
_SCHEMA = {
    "type": "object",
    "properties": {"selected": {"type": "array", "items": {"type": "integer"}}},
    "required": ["selected"],
}


class _Answer(BaseModel):
    selected: list[int]


def rerank_prompt(query: str, texts: Sequence[str], *, most: int, language: str) -> ChatPrompt:
    """The memories are numbered from 1. Of a long query its end is shown, which is what was said last."""
    shown = (" ".join(text.split())[:_LONGEST_MEMORY] for text in texts)
    values = {
        "most": str(most),
        "memories": "\n".join(f"{number}. {text}" for number, text in enumerate(shown, start=1)),
        "query": query[-_LONGEST_QUERY:],
    }
    text = render(load_template("rerank", language), values)
    return ChatPrompt("rerank", text.system, text.user, _ANSWER_TOKENS, TEMPERATURE, _SCHEMA, is_urgent=True)


def read_selected(answer: str, *, count: int, most: int) -> list[int]:
    """Positions (from 0) of the memories that an answer names, each once, at most so many.

    Raises: AnswerUnusable: it is no answer, or names only memories that were not shown.
    """
    try:
        numbers = _Answer.model_validate(read_object(answer)).selected
    except ValidationError:
        raise AnswerUnusable("the answer holds no list of memories") from None
    known = [number - 1 for number in dict.fromkeys(numbers) if 1 <= number <= count]
    if numbers and not known:
        raise AnswerUnusable(f"the answer names none of the {count} memories")
    return known[:most]

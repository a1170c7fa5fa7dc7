"""What an endpoint understands of a chat request, learned from what it refuses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

from st_bme.ports import ChatPrompt

AnswerFormat = Literal["json_schema", "json_object", "text"]

_NEXT_FORMAT: Mapping[AnswerFormat, AnswerFormat] = {"json_schema": "json_object", "json_object": "text"}


@dataclass(frozen=True, slots=True)
class Dialect:
    """How to write a request. What has not been refused is assumed to work."""

    answer_format: AnswerFormat = "json_schema"
    length_limit: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    has_temperature: bool = True

    def after(self, complaint: str, *, wants_json: bool) -> Dialect | None:
        """The dialect to try after a refusal, or None when nothing is left to leave out.

        A refusal that names nothing we can change is put down to the answer format, since endpoints that lack it
        say so in a hundred ways.
        """
        complaint = complaint.lower()
        if self.length_limit == "max_tokens" and "max_completion_tokens" in complaint:
            return replace(self, length_limit="max_completion_tokens")
        if self.has_temperature and "temperature" in complaint:
            return replace(self, has_temperature=False)
        if wants_json and self.answer_format in _NEXT_FORMAT:
            return replace(self, answer_format=_NEXT_FORMAT[self.answer_format])
        return None

    def write(self, prompt: ChatPrompt, model: str) -> dict[str, object]:
        """The body of the request."""
        body: dict[str, object] = {"model": model, self.length_limit: prompt.max_tokens}
        if self.has_temperature:
            body["temperature"] = prompt.temperature
        system = prompt.system
        if prompt.schema is not None and self.answer_format == "json_schema":
            body["response_format"] = {"type": "json_schema", "json_schema": _named_schema(prompt)}
        elif prompt.schema is not None and self.answer_format == "json_object":
            body["response_format"] = {"type": "json_object"}
            if "json" not in f"{system}{prompt.user}".lower():
                system = f"{system}\n\nAnswer in JSON.".lstrip()  # OpenAI refuses the format without this word
        messages = [{"role": "system", "content": system}] if system else []
        body["messages"] = [*messages, {"role": "user", "content": prompt.user}]
        return body


def _named_schema(prompt: ChatPrompt) -> dict[str, object]:
    """Not strict: strict schemas of OpenAI know no optional fields, and answers are checked here anyway."""
    return {"name": prompt.task, "schema": prompt.schema, "strict": False}

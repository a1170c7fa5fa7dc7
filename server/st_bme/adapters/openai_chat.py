"""A chat model behind an OpenAI-compatible endpoint."""

from __future__ import annotations

import json
import logging
from dataclasses import replace
from typing import Annotated

from pydantic import BaseModel, BeforeValidator

from st_bme.adapters.dialect import Dialect
from st_bme.adapters.endpoint import Endpoint
from st_bme.adapters.key_ring import EndpointKeys
from st_bme.adapters.openai_client import OpenAiClient, OutgoingLimits, now_s
from st_bme.errors import AnswerUnusable, ModelTimeout, RequestRefused
from st_bme.history.keys import well_formed
from st_bme.ports import ChatPrompt, ChatReply

_LOGGER = logging.getLogger(__name__)

# Statuses that endpoints give to a parameter they do not know.
_UNKNOWN_PARAMETER = frozenset({400, 415, 422, 501})

_LONGEST_NAME = 200  # of a model, which stands in each record


class OpenAiChatModel:
    """`ChatModel` over `/chat/completions`; what the endpoint refused once is not asked of it again."""

    def __init__(
        self, model: str, endpoint: Endpoint, keys: EndpointKeys, *, limits: OutgoingLimits | None = None
    ) -> None:
        self._model = model
        self._client = OpenAiClient(endpoint, keys, limits or OutgoingLimits())
        self._dialect = Dialect()

    @property
    def name(self) -> str:
        return self._model

    async def complete(self, prompt: ChatPrompt, *, timeout_s: float) -> ChatReply:
        await self._client.prepare()
        started_s = now_s()
        ends_at_s = started_s + timeout_s
        dialect = self._dialect
        while True:
            left_s = ends_at_s - now_s()
            if left_s <= 0:
                raise ModelTimeout(f"{self._client.endpoint.authority} did not answer within {timeout_s:g} s")
            try:
                content = await self._client.post(
                    "/chat/completions", dialect.write(prompt, self._model), timeout_s=left_s
                )
            except RequestRefused as refusal:
                simpler = None
                if refusal.endpoint_status in _UNKNOWN_PARAMETER:
                    simpler = dialect.after(str(refusal), wants_json=prompt.schema is not None)
                if simpler is None:
                    raise
                dialect = simpler
            else:
                self._remember(dialect)
                return replace(self._read(content), seconds=now_s() - started_s)

    async def close(self) -> None:
        await self._client.close()

    def _remember(self, dialect: Dialect) -> None:
        """Only what worked: a refusal may have had another cause than the dialect."""
        if dialect != self._dialect:
            _LOGGER.info("%s understands %s", self._client.endpoint.authority, dialect)
            self._dialect = dialect

    def _read(self, content: bytes) -> ChatReply:
        sender = self._client.endpoint.authority
        try:
            answer = _Completion.model_validate(json.loads(content.decode("utf-8-sig", "replace")))
        except (ValueError, RecursionError):  # pydantic's too
            raise AnswerUnusable(f"{sender} gave no chat completion; is the base URL right?") from None
        choice = answer.choices[0] if answer.choices else _Choice()
        if not choice.said:
            raise AnswerUnusable(f"{sender} answered without text (ended by {choice.finish_reason or 'nothing'})")
        usage = answer.usage
        return ChatReply(choice.said, answer.model or self._model, usage.prompt_tokens, usage.completion_tokens)


def _as_text(value: object) -> str:
    """A text as it can be written down; of parts, as where thoughts stand apart, their texts; else nothing."""
    match value:
        case str():
            return well_formed(value)
        case list():
            return "".join(_as_text(part.get("text")) for part in value if isinstance(part, dict))
        case _:
            return ""


def _as_name(value: object) -> str:
    return _as_text(value)[:_LONGEST_NAME]


def _as_count(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) else 0


def _as_object(value: object) -> object:
    return value if isinstance(value, dict) else {}


_Text = Annotated[str, BeforeValidator(_as_text)]
_Name = Annotated[str, BeforeValidator(_as_name)]
_Count = Annotated[int, BeforeValidator(_as_count)]


class _Message(BaseModel):
    content: _Text = ""


class _Choice(BaseModel):
    message: Annotated[_Message, BeforeValidator(_as_object)] = _Message()
    text: _Text = ""
    finish_reason: _Name = ""

    @property
    def said(self) -> str:
        return self.message.content or self.text


class _Usage(BaseModel):
    prompt_tokens: _Count = 0
    completion_tokens: _Count = 0


class _Completion(BaseModel):
    """Only the text is needed: an answer that was paid for is not lost for what stands beside it."""

    choices: list[_Choice]
    model: _Name = ""
    usage: Annotated[_Usage, BeforeValidator(_as_object)] = _Usage()

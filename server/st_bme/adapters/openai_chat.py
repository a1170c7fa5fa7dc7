"""A chat model behind an OpenAI-compatible endpoint."""

from __future__ import annotations

import logging
from dataclasses import replace

from pydantic import BaseModel, ValidationError

from st_bme.adapters.dialect import Dialect
from st_bme.adapters.endpoint import Endpoint
from st_bme.adapters.key_ring import EndpointKeys
from st_bme.adapters.openai_client import OpenAiClient, OutgoingLimits, now_s
from st_bme.errors import AnswerUnusable, ModelTimeout, RequestRefused
from st_bme.ports import ChatPrompt, ChatReply

_LOGGER = logging.getLogger(__name__)

# Statuses that endpoints give to a parameter they do not know.
_UNKNOWN_PARAMETER = frozenset({400, 415, 422, 501})


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
            answer = _Completion.model_validate_json(content)
        except ValidationError:
            raise AnswerUnusable(f"{sender} gave no chat completion; is the base URL right?") from None
        choice = answer.choices[0] if answer.choices else _Choice()
        if not choice.message.content:
            raise AnswerUnusable(f"{sender} answered without text (ended by {choice.finish_reason or 'nothing'})")
        usage = answer.usage or _Usage()
        return ChatReply(
            choice.message.content, answer.model or self._model, usage.prompt_tokens, usage.completion_tokens
        )


class _Message(BaseModel):
    content: str | None = None


class _Choice(BaseModel):
    message: _Message = _Message()
    finish_reason: str | None = None


class _Usage(BaseModel):
    prompt_tokens: int = 0
    completion_tokens: int = 0


class _Completion(BaseModel):
    choices: list[_Choice]
    model: str | None = None
    usage: _Usage | None = None

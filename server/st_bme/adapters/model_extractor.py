"""An extractor that asks a chat model: prompt, answer, salvage, validation, and another try where nothing is usable."""

from __future__ import annotations

import asyncio
import logging

from st_bme.errors import AnswerUnusable, ModelFailed
from st_bme.ports import ChatModel, ChatPrompt, ChatReply, Extraction, ExtractionInput
from st_bme.prompts.answer import read_operations
from st_bme.prompts.extract import ExtractBlocks, extract_prompt
from st_bme.write.normalize import AnswerContext, Normalized, normalize_operations
from st_bme.write.transcript import transcript

TIME_LIMIT_S = 120.0
"""For all tries of one run together."""

MOST_TRIES = 3
_SHOWN_PROBLEMS = 3
_HARMLESS = frozenset(("skipped", "unknown_relation", "duplicate_ref"))

_LOGGER = logging.getLogger(__name__)


class ModelExtractor:
    """Extraction by a chat model."""

    def __init__(self, model: ChatModel, *, time_limit_s: float = TIME_LIMIT_S) -> None:
        self._model = model
        self._time_limit_s = time_limit_s

    @property
    def name(self) -> str:
        return self._model.name

    async def extract(self, request: ExtractionInput) -> Extraction:
        """What the model made of the run.

        Raises: ModelFailed: no try gave a usable answer within the time limit.
        """
        try:
            async with asyncio.timeout(self._time_limit_s):
                return await self._try(request)
        except TimeoutError as error:
            raise ModelFailed(f"{self.name} gave no usable answer within {self._time_limit_s:g} s") from error

    async def _try(self, request: ExtractionInput) -> Extraction:
        problem, tokens = "", 0
        for attempt in range(1, MOST_TRIES + 1):
            reply = await self._model.complete(_prompt(request, problem), timeout_s=self._time_limit_s)
            tokens += reply.prompt_tokens + reply.completion_tokens
            try:
                read = _read(reply, request)
            except AnswerUnusable as error:
                problem = str(error)
                _LOGGER.debug("try %d of %d with %s: %s", attempt, MOST_TRIES, self.name, problem)
                continue
            return Extraction(read.operations, read.refused, reply.model, tokens)
        raise AnswerUnusable(f"{self.name} gave no usable answer in {MOST_TRIES} tries: {problem}")


def _prompt(request: ExtractionInput, problem: str) -> ChatPrompt:
    return extract_prompt(
        ExtractBlocks(
            language=request.language,
            user_name=request.user_name,
            character_name=request.character_name,
            known=request.known,
            context=transcript(request.context),
            run=transcript(request.run),
            problem=problem,
        )
    )


def _read(reply: ChatReply, request: ExtractionInput) -> Normalized:
    """The operations of a reply. One of which none stands counts as unusable: its messages were not read."""
    read = normalize_operations(read_operations(reply.text), AnswerContext(run=request.run, known=request.known))
    problems = [refusal.detail for refusal in read.refused if refusal.code not in _HARMLESS]
    if problems and not read.operations:
        raise AnswerUnusable("; ".join(problems[:_SHOWN_PROBLEMS]))
    return read

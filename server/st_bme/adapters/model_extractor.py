"""An extractor that asks a chat model: prompt, answer, salvage, validation, and another try where nothing is usable."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from typing import TypeVar

from st_bme.errors import AnswerUnusable, ModelFailed, ModelTimeout
from st_bme.model.operation import Refusal
from st_bme.ports import ChatModel, ChatPrompt, Extraction, ExtractionInput
from st_bme.prompts.answer import RawAnswer, read_answer, says_nothing
from st_bme.prompts.extract import Reading, extract_prompt
from st_bme.prompts.gate import gate_prompt, read_gate
from st_bme.prompts.made import operations_of, with_refs
from st_bme.prompts.missing import Types, missing_prompt, read_missing
from st_bme.prompts.pov import objective_step, pov_prompt
from st_bme.write.answer_context import AnswerContext
from st_bme.write.missing import expected_types, missing_types
from st_bme.write.normalize import Normalized, normalize
from st_bme.write.transcript import written

MOST_TRIES = 3
_LONG_ANSWER = 20_000  # characters; a hostile one takes seconds to read
_SHOWN_PROBLEMS = 3
_HARMLESS = frozenset(("skipped", "unknown_relation", "duplicate_ref", "many_events"))

_LOGGER = logging.getLogger(__name__)

_Read = TypeVar("_Read")


class ModelExtractor:
    """Extraction by a chat model."""

    def __init__(self, model: ChatModel) -> None:
        self._model = model

    @property
    def name(self) -> str:
        return self._model.name

    async def extract(self, request: ExtractionInput) -> Extraction:
        """What the model made of the run.

        Raises: ModelFailed: no try gave a usable answer within the time limit; the error says what was spent.
        """
        calls = _Calls(self._model, request.asking.time_limit_s)
        steps = _Steps(request, calls)
        try:
            match request.asking.stages:
                case "single":
                    await steps.extract()
                case "gate_then_extract":
                    await steps.gate_then_extract()
                case "objective_then_pov":
                    await steps.objective_then_pov()
        except ModelFailed as error:
            error.calls, error.tokens = calls.count, calls.tokens
            raise
        read = steps.read()
        refused = (*read.refused, *steps.refused)
        return Extraction(read.operations, refused, calls.model, calls.tokens, calls.count)

    def prompts(self, request: ExtractionInput) -> Sequence[ChatPrompt]:
        """One prompt a call at most. What a later call says of the first one's answer is not known yet."""
        form = request.asking.message_form
        reading = Reading(written(request.context, form), written(request.run, form))
        expected = expected_types(request)
        more = [missing_prompt(request, (), expected, reading)] if expected else []
        match request.asking.stages:
            case "single":
                return [extract_prompt(request, reading), *more]
            case "gate_then_extract":
                return [gate_prompt(request, reading), extract_prompt(request, reading), *more]
            case "objective_then_pov":
                return [extract_prompt(objective_step(request), reading), *more, pov_prompt(request, (), reading)]


class _Calls:
    """Calls of one extraction: their time, their cost, and another try where an answer cannot be used."""

    def __init__(self, model: ChatModel, time_limit_s: float) -> None:
        self._model = model
        self._time_limit_s = time_limit_s
        self._left_s = time_limit_s
        self.count = 0
        self.tokens = 0
        self.model = model.name

    async def ask(
        self, prompt_for: Callable[[str], ChatPrompt], read: Callable[[str], _Read], tries: int = MOST_TRIES
    ) -> _Read:
        """What is read in the first usable answer. A later prompt is made with the problem of the answer before.

        Raises: ModelFailed, with `AnswerUnusable` after the last try.
        """
        problem = ""
        for attempt in range(1, tries + 1):
            try:
                text = await self._complete(prompt_for(problem))
                return await asyncio.to_thread(read, text) if len(text) > _LONG_ANSWER else read(text)
            except AnswerUnusable as error:
                problem = str(error)
                _LOGGER.debug("try %d of %d with %s: %s", attempt, tries, self._model.name, problem)
        raise AnswerUnusable(f"the model gave no usable answer in {tries} tries: {problem}")

    async def _complete(self, prompt: ChatPrompt) -> str:
        if self._left_s <= 0:
            raise ModelTimeout(f"the model gave no usable answer within {self._time_limit_s:g} s")
        self.count += 1
        reply = await self._model.complete(prompt, timeout_s=self._left_s)
        self._left_s -= reply.seconds
        self.tokens += reply.prompt_tokens + reply.completion_tokens
        self.model = reply.model
        return reply.text


class _Steps:
    """The steps of one extraction. `answers` are those of the steps that were taken, in order."""

    def __init__(self, request: ExtractionInput, calls: _Calls) -> None:
        self._request = request
        self._calls = calls
        form = request.asking.message_form
        self._context, self._run = written(request.context, form), written(request.run, form)
        self.answers: list[RawAnswer] = []
        self.refused: list[Refusal] = []

    def read(self) -> Normalized:
        """What stands of all answers."""
        return normalize(self.answers, AnswerContext.of(self._request))

    async def extract(self) -> None:
        """One call for everything."""
        await self._take(self._request)

    async def gate_then_extract(self) -> None:
        """Ask first whether there is anything; if not, only the values of variables are kept."""
        gate = await self._calls.ask(lambda problem: gate_prompt(self._request, self._reading(problem)), read_gate)
        self.answers.append(gate.answer)
        if gate.is_open:
            await self.extract()

    async def objective_then_pov(self) -> None:
        """What happened, then who sees it how. A failure of the second step keeps what the first made."""
        await self._take(objective_step(self._request))
        asking = self._request.asking
        if says_nothing(self.answers[0]) or not (asking.has_pov or asking.has_cognition):
            return
        self.answers = made = with_refs(self.answers)
        try:
            views = await self._calls.ask(
                lambda problem: pov_prompt(self._request, operations_of(made), self._reading(problem)),
                lambda text: self._usable(read_answer(text), before=made),
            )
        except ModelFailed as error:
            self._give_up("points of view", error)
            return
        self.answers.append(views)

    async def _take(self, request: ExtractionInput) -> None:
        """One call for what a request asks, and one more for the types that the answer should not have left out."""
        answer = await self._ask(request)
        self.answers.append(answer)
        if missing := missing_types(request, answer):
            await self._ask_for_missing(with_refs([answer]), missing)

    async def _ask_for_missing(self, made: Sequence[RawAnswer], missing: Types) -> None:
        """A single try, of which nothing is an answer too; its failure keeps what was made."""
        try:
            more = await self._calls.ask(
                lambda problem: missing_prompt(self._request, operations_of(made), missing, self._reading(problem)),
                lambda text: read_missing(text, missing),
                tries=1,
            )
        except ModelFailed as error:
            self._give_up(", ".join(missing), error)
            return
        self.answers.append(more)

    def _give_up(self, wanted: str, error: ModelFailed) -> None:
        self.refused.append(Refusal("step_failed", f"{wanted}: {error}"))
        _LOGGER.info("a later step of an extraction failed: %s", error.code)

    async def _ask(self, request: ExtractionInput) -> RawAnswer:
        return await self._calls.ask(
            lambda problem: extract_prompt(request, self._reading(problem)),
            lambda text: self._usable(read_answer(text)),
        )

    def _reading(self, problem: str) -> Reading:
        return Reading(self._context, self._run, problem)

    def _usable(self, answer: RawAnswer, before: Sequence[RawAnswer] = ()) -> RawAnswer:
        """The answer, if any of its operations stands. One of which none does counts as unusable: it says nothing."""
        context = AnswerContext.of(self._request)
        stood = len(normalize(before, context).operations)
        read = normalize([*before, answer], context)
        problems = [refusal.detail for refusal in read.refused if refusal.code not in _HARMLESS]
        if problems and len(read.operations) == stood:
            raise AnswerUnusable("; ".join(problems[:_SHOWN_PROBLEMS]))
        return answer

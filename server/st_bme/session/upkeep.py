"""Upkeep behind the replies of one chat: after an extraction, one task after the other, one call at a time."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Literal

from st_bme.errors import AnswerUnusable, ModelFailed
from st_bme.graph.records import Stamp, Upkeep, record_id
from st_bme.protocol.events import JobEvent, NoticeEvent
from st_bme.protocol.results import Notice, Tended
from st_bme.read.ages import Uses
from st_bme.session.chat_session import ChatSession
from st_bme.session.setbacks import Run, Setbacks
from st_bme.session.tools import Tools
from st_bme.session.usage import charged_to
from st_bme.upkeep.likeness import VectorOf
from st_bme.upkeep.situation import Decision, Job, Situation, Task
from st_bme.upkeep.tasks import TASKS
from st_bme.write.cleaning import clean_message
from st_bme.write.language import detect_language

_LOGGER = logging.getLogger(__name__)

MOST_TRIES = 2
LANGUAGE_SAMPLE = 12


class UpkeepQueue:
    """Keeps the memories of one chat few and true.

    What is due is computed anew before each call, so nothing is lost where one fails or the server stops: it is due
    again. A call's decisions are committed together, and what was decided once is not asked about again.
    """

    def __init__(self, session: ChatSession, tools: Tools) -> None:
        self._session = session
        self._tools = tools
        self._busy = asyncio.Lock()
        self._tasks: set[asyncio.Task[Tended]] = set()
        self._setbacks = Setbacks(time.monotonic)
        self._is_left = False
        self.vector_of: VectorOf = lambda _: None  # of a text that recall has embedded

    @property
    def is_idle(self) -> bool:
        return not self._tasks and not self._busy.locked()

    def start(self, calls: int = 0) -> None:
        """Do in the background what is due; `calls` were made behind the same reply already."""
        settings = self._tools.settings()
        if settings.bool("enabled") and not self._tasks and not self._is_left:
            most = max(1, settings.int("maxCallsPerTurn") - calls)
            task = asyncio.get_running_loop().create_task(self.run(most_calls=most))
            self._tasks.add(task)
            task.add_done_callback(self._finished)

    def leave(self) -> None:
        """The chat was left: the call under way is the last."""
        self._is_left = True

    def enter(self) -> None:
        """The chat is open again."""
        self._is_left = False

    async def stop(self) -> None:
        """Let go of everything that is under way."""
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _finished(self, task: asyncio.Task[Tended]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and task.exception() is not None:
            _LOGGER.error("upkeep of chat %s failed", self._session.lineage, exc_info=task.exception())

    async def run(self, *, most_calls: int | None = None, only: Collection[str] = (), now: bool = False) -> Tended:
        """Do what is due, and say what came of it.

        Args:
            most_calls: calls that may be made; None for as many as it takes.
            only: names of tasks; none for those that are switched on.
            now: nothing waits, neither for more replies nor because it failed before.
        """
        total = Tended(records=0, calls=0, failed=0)
        async with self._busy:
            failed: set[Run] = set()
            for task in TASKS:
                if task.name not in only if only else not self._is_on(task):
                    continue
                before = total
                while job := self._next(task, failed, now=now):
                    spent = job.prompt is not None and most_calls is not None and total.calls >= most_calls
                    waits = job.prompt is not None and not now and not self._tools.may_spend("upkeep")
                    if spent or waits or (self._is_left and not now):
                        break
                    self._report("running", task, total.records - before.records, under_way=1)
                    total = await self._do(task, job, total, failed)
                if total is not before:
                    has_failed = total.failed > before.failed
                    self._report("failed" if has_failed else "done", task, total.records - before.records)
        return total

    def _is_on(self, task: Task) -> bool:
        settings = self._tools.settings()
        return any(settings.bool(switch) for switch in task.switches)

    def _next(self, task: Task, failed: Collection[Run], *, now: bool) -> Job | None:
        """What of a task is due and neither rests nor has failed in this round."""
        if task.needs_model and self._tools.models.chat is None:
            return None
        jobs = task.due(self._situation(now=now))
        rests = self._setbacks.rests
        return next((job for job in jobs if job.key not in failed and (now or not rests(job.key))), None)

    def _situation(self, *, now: bool) -> Situation:
        session = self._session
        recent = [session.log.texts.get(key, "") for key in session.view.keys[-LANGUAGE_SAMPLE:]]
        return Situation(
            graph=session.graph,
            records=session.records,
            roles=session.view.roles,
            settings=self._tools.settings(),
            text_of=self._text_of,
            language=detect_language(recent),
            uses=Uses(session.side.access, session.side.used),
            vector_of=self.vector_of,
            now=now,
            has_model=self._tools.models.chat is not None,
        )

    def _text_of(self, key: str) -> str:
        """A message as upkeep reads it: who says what."""
        session = self._session
        message = session.log.message(session.view, session.view.keys.index(key))
        if message is None or not (text := clean_message(message).text):
            return ""
        return f"{message.name}: {text}" if message.name else text

    async def _do(self, task: Task, job: Job, total: Tended, failed: set[Run]) -> Tended:
        """Ask if need be, and record what was decided; nothing of it where that fails."""
        graph = self._session.graph
        try:
            decisions, stamp, calls = await self._decide(task, job)
        except ModelFailed as error:
            failed.add(job.key)
            self._give_up(task, job, error)
            return total.model_copy(update={"failed": total.failed + 1, "calls": total.calls + 1})
        self._setbacks.forget(job.key)
        first = self._session.records.highest_n + 1
        records = [
            # What the call cost stands once, in the first record.
            reading.decide(graph, replace(stamp, n=first + place, tokens=0 if place else stamp.tokens), said)
            for place, (reading, said) in enumerate(decisions)
        ]
        await self._commit(records)
        made = [*total.made, *(record_id(record) for record in records if record.operations)]
        counts = {"records": total.records + len(records), "calls": total.calls + calls}
        return total.model_copy(update={**counts, "made": made})

    async def _commit(self, records: Sequence[Upkeep]) -> None:
        # To the end, whoever cancels: what was paid for is recorded.
        await asyncio.shield(self._session.commit(records))

    async def _decide(self, task: Task, job: Job) -> tuple[Sequence[Decision], Stamp, int]:
        """The decisions, who made them at what cost, and how many calls it took.

        Raises: ModelFailed: no call gave a usable answer.
        """
        stamp = Stamp(0, time=self._tools.clock.now_ms(), cause=task.name)
        model = self._tools.models.chat
        if job.prompt is None or model is None:
            return job.decide(""), stamp, 0
        problem, tokens = AnswerUnusable(""), 0
        for attempt in range(1, MOST_TRIES + 1):
            with charged_to(self._session.lineage, task.name):
                reply = await model.complete(job.prompt, timeout_s=self._tools.settings().float("modelTimeoutS"))
            tokens += reply.prompt_tokens + reply.completion_tokens
            try:
                return job.decide(reply.text), replace(stamp, model=reply.model, tokens=tokens), attempt
            except AnswerUnusable as error:
                problem = error
        raise AnswerUnusable(f"the model gave no usable answer in {MOST_TRIES} tries: {problem}")

    def _give_up(self, task: Task, job: Job, error: ModelFailed) -> None:
        self._setbacks.note(job.key)
        _LOGGER.warning("upkeep %s of chat %s: %s", task.name, self._session.lineage, error.code)
        notice = Notice(code=error.code, level="warning", data={"task": task.name, "reason": str(error)})
        self._tools.events.publish("notice", NoticeEvent(lineage=self._session.lineage, notice=notice))

    def _report(self, state: Literal["running", "done", "failed"], task: Task, done: int, under_way: int = 0) -> None:
        """Tell of one task, in records; how many more will be due shows only behind each call."""
        total = done + under_way
        event = JobEvent(lineage=self._session.lineage, task=task.name, state=state, done=done, total=total)
        self._tools.events.publish("job", event)

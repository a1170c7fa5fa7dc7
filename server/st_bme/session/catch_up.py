"""Catching up on a long chat: a job that goes on over pauses and restarts, with its price told beforehand."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from itertools import islice
from typing import Literal

from pydantic import JsonValue

from st_bme.errors import BadRequest
from st_bme.model.message import Message
from st_bme.protocol.events import JobEvent
from st_bme.protocol.results import CatchUpState
from st_bme.session.chat_session import ChatSession
from st_bme.session.extraction import ExtractionQueue, Progress
from st_bme.session.tools import Tools
from st_bme.write.known import MOST_SHOWN
from st_bme.write.plan import PlanRules, plan_extraction
from st_bme.write.price import Price, Sample, estimate, sampled

_LOGGER = logging.getLogger(__name__)

MOST_AT_ONCE = 8
MOST_FAILURES = 3
"""Runs that may fail one after the other: then the job pauses, since the next ones would fail too."""

LAST_FLOOR = 2**31
"""The end of the chat, however long it becomes."""

NO_RECORD, NEWEST_RECORD = -1, 2**53

JobState = Literal["running", "paused"]
ReportedState = Literal["running", "waiting", "paused", "done", "cancelled"]


@dataclass(frozen=True, slots=True)
class Span:
    """Floors from first to last, read so many replies at a time.

    What was read by a record of no higher n than `behind` is read again.
    """

    first: int
    last: int
    batch: int
    behind: int = NO_RECORD


@dataclass(frozen=True, slots=True)
class Job:
    """What is being read. `total` counts its messages that were to be read when it began."""

    first: int
    last: int
    batch: int
    total: int
    state: JobState = "running"
    reason: str = ""
    behind: int = NO_RECORD

    @property
    def span(self) -> Span:
        return Span(self.first, self.last, self.batch, self.behind)


class CatchUp:
    """Reads a span of one chat, first to last, beside what is extracted behind new replies.

    The job is kept with the chat, so it goes on when the chat is open again after a restart of the server. Each
    answer is a record of its own, the same as turn by turn: what was read stays read, whatever ends the job.
    """

    def __init__(self, session: ChatSession, queue: ExtractionQueue, tools: Tools) -> None:
        self._session = session
        self._queue = queue
        self._tools = tools
        self._task: asyncio.Task[None] | None = None
        self._job = _job_from(session.side.job)
        self._progress: Progress | None = None

    @property
    def is_idle(self) -> bool:
        return self._task is None

    async def state(self, span: Span | None = None) -> CatchUpState:
        """What reading a span would cost; while there is a job, how far that is."""
        if self._job is not None:
            done, job = self._done(), self._job
            return CatchUpState(
                messages=job.total - done,
                calls=0,
                tokens=0,
                state=job.state,
                done=done,
                total=job.total,
                reason=job.reason,
            )
        runs = self._runs(self._inside(span)) if span else ()
        price = await self._price(runs)
        return CatchUpState(messages=sum(map(len, runs)), calls=price.calls, tokens=price.tokens)

    async def start(self, span: Span) -> None:
        """Begin to read. Raises BadRequest while another job is there."""
        if self._job is not None:
            raise BadRequest("this chat is being read already; resume or cancel that job")
        span = self._inside(span)
        runs = self._runs(span)
        total = sum(map(len, runs))
        await self._keep(Job(span.first, span.last, span.batch, total, behind=span.behind))
        self.go_on()

    async def pause(self) -> None:
        """Stop after the call that is under way."""
        if self._job is not None:
            if self._progress is not None:
                self._progress.is_stopped = True
            await self._keep(replace(self._job, state="paused", reason=""))
            self._report("paused")

    async def resume(self) -> None:
        """Go on with a paused job."""
        if self._job is not None:
            await self._keep(replace(self._job, state="running", reason=""))
            self.go_on()

    async def cancel(self) -> None:
        """End the job at once, also in the middle of a call; what was read stays."""
        await self.stop()
        if self._job is not None:
            self._report("cancelled")
            await self._keep(None)

    def go_on(self) -> None:
        """Work on, if there is a job that is to run."""
        if self._job is not None and self._job.state == "running" and self._task is None:
            self._task = asyncio.get_running_loop().create_task(self._work())
            self._task.add_done_callback(self._finished)

    async def stop(self) -> None:
        """Let the work go; the job is still there."""
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.wait([self._task])

    def _finished(self, task: asyncio.Task[None]) -> None:
        self._task = None
        if task.cancelled():
            return
        if task.exception() is not None:
            _LOGGER.error("catching up on chat %s failed", self._session.lineage, exc_info=task.exception())
        elif self._progress is not None and self._progress.is_stopped:
            self.go_on()  # it was resumed while the last call before the pause was under way

    async def _work(self) -> None:
        may_spend = partial(self._tools.may_spend, "catch_up")
        self._progress = progress = Progress(lambda _done, _due: self._report("running"), "catch_up", may_spend)
        failures = 0
        while not progress.is_stopped:
            before = len(progress.failed)
            if not await self._queue.read_some(lambda: self._due(progress), progress):
                break
            failures = failures + len(progress.failed) - before if progress.error else 0
            if failures >= MOST_FAILURES:
                break
        await self._end(progress)

    async def _end(self, progress: Progress) -> None:
        """Say how it ended. What failed or has no text yet leaves the job to be resumed."""
        if self._job is None or progress.is_stopped:
            return
        if progress.failed:
            await self._keep(replace(self._job, state="paused", reason=str(progress.error or "")))
            self._report("paused")
        elif not self._pending(self._job.span):
            self._report("done")
            await self._keep(None)
            self._queue.on_done(0)
        elif not progress.may_spend():
            self._report("waiting")

    def _inside(self, span: Span) -> Span:
        """A span of the page as of now, in floors of the whole chat, of which the page may show the end alone."""
        front, behind = self._session.log.front, min(span.behind, self._session.records.highest_n)
        return replace(span, first=span.first + front if span.first else 0, last=span.last + front, behind=behind)

    def _due(self, progress: Progress) -> Sequence[Sequence[Message]]:
        job = self._job
        if job is None:
            return ()
        # A few at a time: what comes behind them is planned anew.
        runs = (self._queue.messages_of([places]) for places in self._ranges(job.span))
        fresh = (run for found in runs for keys, run in found.items() if keys not in progress.failed)
        return list(islice(fresh, MOST_AT_ONCE))

    def _runs(self, span: Span) -> Sequence[Sequence[Message]]:
        """Runs of a span that are to be read and whose texts are here."""
        return list(self._queue.messages_of(self._ranges(span)).values())

    def _ranges(self, span: Span) -> Sequence[range]:
        rules = PlanRules(every=span.batch, greeting=self._tools.settings().bool("extractGreeting"), flush=True)
        open_places = self._pending(span)
        pending = [place in open_places for place in range(len(self._session.view))]
        return plan_extraction(self._session.view.roles, pending, rules).runs

    def _pending(self, span: Span) -> set[int]:
        """Places of the view within a span that are to be read."""
        session = self._session
        skips_greeting = not self._tools.settings().bool("extractGreeting") and session.view.roles[:1] == ("assistant",)
        return {
            place
            for place, floor in enumerate(session.view.floors)
            if span.first <= floor <= span.last and self._is_due(place, span) and not (skips_greeting and place == 0)
        }

    def _is_due(self, place: int, span: Span) -> bool:
        """Whether nobody has read a message, or nobody since. What the user undid stays so."""
        graph = self._session.graph
        owner = graph.coverage.owners[place]
        record = self._session.records.get(owner.answer_id) if owner is not None else None
        return graph.pending[place] or (record is not None and record.stamp.n <= span.behind)

    def _done(self) -> int:
        return max(0, self._job.total - len(self._pending(self._job.span))) if self._job else 0

    async def _price(self, runs: Sequence[Sequence[Message]]) -> Price:
        extractor, samples, position = self._tools.models.extractor, [], 0
        places = sampled(len(runs))
        for place, run in enumerate(runs):
            if place in places:
                request = await self._queue.request_for(run)
                prompts = [f"{prompt.system}\n{prompt.user}" for prompt in extractor.prompts(request)]
                told = "\n".join(message.text for message in request.run)
                *asked, read = await asyncio.to_thread(self._count, [*prompts, told])
                samples.append(Sample(position, sum(asked), read, len(prompts), len(request.known)))
            position += len(run)
        return estimate(samples, len(runs), most_known=MOST_SHOWN)

    def _count(self, texts: Sequence[str]) -> list[int]:
        return [self._tools.counter.count(text) for text in texts]

    async def _keep(self, job: Job | None) -> None:
        self._job = job
        self._session.side.job = asdict(job) if job else {}
        await self._session.put_side()

    def _report(self, state: ReportedState) -> None:
        total, reason = (self._job.total, self._job.reason) if self._job else (0, "")
        event = JobEvent(
            lineage=self._session.lineage,
            task="catch_up",
            state=state,
            done=self._done(),
            total=total,
            reason=reason,
        )
        self._tools.events.publish("job", event)


def _job_from(stored: Mapping[str, JsonValue]) -> Job | None:
    match stored:
        case {
            "first": int(first),
            "last": int(last),
            "batch": int(batch),
            "total": int(total),
            "state": ("running" | "paused") as state,
            "reason": str(reason),
        }:
            behind = stored.get("behind", NO_RECORD)
            return Job(first, last, batch, total, state, reason, behind if isinstance(behind, int) else NO_RECORD)
        case _:
            return None

"""Extraction behind the replies of one chat: what is due, when, and one call at a time."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Literal

from st_bme.errors import ModelFailed
from st_bme.graph.fold import Folder
from st_bme.graph.memory_graph import MemoryGraph
from st_bme.graph.operation_order import settle_cites
from st_bme.graph.records import Answer, Record, RecordSet, Stamp
from st_bme.graph.restore import lost_messages
from st_bme.graph.time_travel import records_until
from st_bme.model.message import Message
from st_bme.ports import Background, Extraction, ExtractionInput
from st_bme.protocol.events import JobEvent, NoticeEvent
from st_bme.protocol.results import Extracted, Notice
from st_bme.session.chat_session import ChatSession
from st_bme.session.setbacks import Run, Setbacks
from st_bme.session.smart_trigger import SmartTrigger
from st_bme.session.tools import Tools
from st_bme.session.usage import charged_to
from st_bme.write.asking import asking_of, default_relation
from st_bme.write.background import background_of
from st_bme.write.cleaning import clean_message
from st_bme.write.filters import filter_rules
from st_bme.write.known import KnownMemories, Seen
from st_bme.write.language import detect_language
from st_bme.write.plan import PlanRules, plan_extraction, tail_of
from st_bme.write.room import divide, fit

_LOGGER = logging.getLogger(__name__)

# More pending messages than these are read by a paid model only when asked for by name: there may be thousands.
PAID_REACH = 20

# A page that is told of every run of a long first reading would do nothing else; and the longer the chat, the longer
# a commit takes: reading goes on for several times that.
COMMIT_EVERY_S = 0.5
READING_A_COMMIT = 4
LANGUAGE_SAMPLE = 12

Due = Callable[[Collection[Run]], Sequence[Sequence[Message]]]  # given runs that failed, those that are left


@dataclass(slots=True)
class Progress:
    """What one piece of work has read so far. `failed` are runs that it does not try again.

    `report` is told, before some are read, how many runs are done and how many are due; `task` is charged for it.
    `is_stopped`, or it may not spend more: no run is begun.
    """

    report: Callable[[int, int], None]
    task: Literal["extraction", "catch_up"] = "extraction"
    may_spend: Callable[[], bool] = lambda: True
    total: Extracted = field(default_factory=lambda: Extracted(records=0, operations=0, refused=0, calls=0, pending=0))
    failed: set[Run] = field(default_factory=set)
    is_stopped: bool = False
    error: ModelFailed | None = None  # of the last run, if that one failed


class ExtractionQueue:
    """Extracts what is pending in one chat: after a reply has settled, or at once when asked."""

    def __init__(self, session: ChatSession, tools: Tools) -> None:
        self._session = session
        self._tools = tools
        self._busy = asyncio.Lock()
        self._settling: asyncio.TimerHandle | None = None
        self._idling: asyncio.TimerHandle | None = None
        self._trigger = SmartTrigger(session, tools)
        self._tasks: set[asyncio.Task[Extracted]] = set()
        self._setbacks = Setbacks(time.monotonic)
        self._round_s = COMMIT_EVERY_S
        self._old: frozenset[str] = frozenset()
        self._is_entered = False
        self.on_done: Callable[[int], None] = lambda _: None  # after each round, with the calls that it made
        self._past = Folder()
        self._known = KnownMemories()
        self._finding = asyncio.Lock()
        self._from_page = Background()

    @property
    def is_idle(self) -> bool:
        return self._settling is None and not self._tasks and not self._busy.locked()

    def page_says(self, persona: str, card: str, world_info: str) -> None:
        """From now on a model is told this beside the messages, as far as the settings want it."""
        self._from_page = Background(persona, card, world_info)

    def enter(self) -> None:
        """The chat was opened: if more of it is unread than a paid model should read unasked, none of that is due."""
        if not self._is_entered:
            session = self._session
            unread = [key for key, pending in zip(session.view.keys, session.graph.pending, strict=True) if pending]
            self._old = frozenset(unread) if len(unread) > PAID_REACH else frozenset()
            self._is_entered = True

    def settle(self) -> None:
        """Extract once nothing has changed for the time that a swipe usually takes."""
        self.hold()
        settings, loop = self._tools.settings(), asyncio.get_running_loop()
        self._settling = loop.call_later(settings.float("extractSettleS"), self.start)
        if self._idling is not None:
            self._idling.cancel()
        minutes = settings.int("idleMinutes")
        self._idling = loop.call_later(60 * minutes, self._start_idle) if minutes else None

    def hold(self) -> None:
        """Do not extract yet: the newest reply may still be taken back."""
        if self._settling is not None:
            self._settling.cancel()
            self._settling = None

    def start(self, *, idle: bool = False) -> None:
        """Extract in the background what is due now; after a long silence (`idle`) also what would still wait."""
        self.hold()
        settings = self._tools.settings()
        if settings.bool("enabled") and settings.bool("extractAutoEnabled"):
            task = asyncio.get_running_loop().create_task(self.extract(flush=idle, asked=False))
            self._tasks.add(task)
            task.add_done_callback(self._finished)

    def _start_idle(self) -> None:
        self._idling = None
        self.start(idle=True)

    def _finished(self, task: asyncio.Task[Extracted]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and task.exception() is not None:
            _LOGGER.error("extraction of chat %s failed", self._session.lineage, exc_info=task.exception())

    async def stop(self) -> None:
        """Let go of everything that is under way; what is not recorded stays pending."""
        self.hold()
        if self._idling is not None:
            self._idling.cancel()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def extract(self, *, flush: bool = False, whole: bool = False, asked: bool = True) -> Extracted:
        """Extract what is due, first to last, and say what came of it. `flush`: also what would still wait.

        A run whose call fails stays pending and rests before it is tried again, unless the user asked. A model that
        costs something reads only the newest messages when asked, except with `whole`; and by itself nothing of what
        was too much when the chat was opened.
        """
        may_spend = partial(self._tools.may_spend, "extraction") if not asked else lambda: True
        return await self._read_all(lambda failed: self._due(failed, flush=flush, whole=whole, asked=asked), may_spend)

    async def read_lost(self) -> Extracted:
        """Read again the messages whose memories a base cannot show any more (docs/storage.md, rule 35)."""
        session = self._session
        lost = lost_messages(session.records, session.graph)

        def due(failed: Collection[Run]) -> list[Sequence[Message]]:
            # What was read meanwhile is none of them any more. Reading may lose more, which was not asked for.
            left = lost & lost_messages(session.records, session.graph)
            wanted = [key in left for key in session.view.keys]
            ranges = plan_extraction(session.view.roles, wanted, self._rules(flush=True)).runs
            return [run for keys, run in self.messages_of(ranges).items() if keys not in failed]

        return await self._read_all(due, lambda: True)

    async def _read_all(self, due: Due, may_spend: Callable[[], bool]) -> Extracted:
        progress = Progress(lambda done, due: self._report("running", done, done + due), may_spend=may_spend)
        while await self.read_some(lambda: due(progress.failed), progress):
            pass
        done = progress.total.records
        self._report("failed" if progress.failed else "done", done, done)
        self.on_done(progress.total.calls)
        pending, failed = sum(self._session.graph.pending), len(progress.failed)
        return progress.total.model_copy(update={"pending": pending, "failed": failed})

    async def read_some(self, due: Callable[[], Sequence[Sequence[Message]]], progress: Progress) -> bool:
        """Read what is due for a moment, and commit it; False where nothing is.

        Others have their turn in between: a long reading keeps no new reply waiting.
        """
        async with self._busy:
            runs = due()
            if not runs or not progress.may_spend():
                return False
            progress.report(progress.total.records, len(runs))
            await self._extract_some(runs, progress)
            return True

    def _due(self, failed: Collection[Run], *, flush: bool, whole: bool, asked: bool) -> list[Sequence[Message]]:
        """Runs that are due and whose texts are here, without those that failed or rest."""
        session = self._session
        ranges = plan_extraction(session.view.roles, session.graph.pending, self._rules(flush=flush)).runs
        is_cautious = self._tools.models.costs and not whole
        reach = len(session.view) - PAID_REACH if is_cautious and asked else 0
        runs = self.messages_of([places for places in ranges if places.stop > reach])
        if is_cautious and not asked:
            runs = {keys: run for keys, run in runs.items() if not self._old.issuperset(keys)}
        rests = self._setbacks.rests
        return [run for keys, run in runs.items() if keys not in failed and (asked or not rests(keys))]

    def messages_of(self, ranges: Iterable[range]) -> Mapping[Run, Sequence[Message]]:
        """Runs by the keys of their messages, long ones in parts; those of which a text is missing are left out.

        One answer lives wherever its run stands: a chat that says the same twice is asked about once.
        """
        session, most_chars = self._session, self._tools.settings().int("extractMaxChars")
        runs: dict[Run, Sequence[Message]] = {}
        for places in ranges:
            messages = [session.log.message(session.view, position) for position in places]
            present = [message for message in messages if message is not None]
            if len(present) == len(messages):
                for part in divide(present, most_chars):
                    runs.setdefault(tuple(message.key for message in part), part)
        return runs

    def _rules(self, *, flush: bool) -> PlanRules:
        settings, pending = self._tools.settings(), self._session.graph.pending
        return PlanRules(
            every=settings.int("extractEvery"),
            least=settings.int("extractMinMessages"),
            greeting=settings.bool("extractGreeting"),
            lag_one=settings.bool("extractAutoDelayLatestAssistant"),
            at_once=not flush and self._trigger.fires(tail_of(pending)),
            flush=flush,
        )

    async def _extract_some(self, runs: Sequence[Sequence[Message]], progress: Progress) -> None:
        """Extract these runs in order and tell the pages of them together where they come quickly."""
        records: list[Record] = []
        loop, view = asyncio.get_running_loop(), self._session.view
        started = loop.time()
        try:
            for run in runs:
                # Where the chat has changed meanwhile these runs may not be due any more.
                is_over = progress.is_stopped or not progress.may_spend() or loop.time() - started > self._round_s
                if is_over or self._session.view.keys != view.keys:
                    break
                try:
                    request = await self.request_for(run)
                    with charged_to(self._session.lineage, progress.task):
                        extraction = await self._tools.models.extractor.extract(request)
                except ModelFailed as error:
                    self._give_up(run, error, progress)
                    continue
                self._setbacks.forget(tuple(message.key for message in run))
                records.append(self._record(run, extraction, len(records)))
                progress.total, progress.error = _with(progress.total, extraction), None
                if self._tools.models.costs:
                    # A model is shown what is remembered so far, also of the run before.
                    await asyncio.shield(self._session.append([records.pop()]))
                await asyncio.sleep(0)
        finally:
            # Whatever ends the round: an answer that was paid for is recorded.
            read = loop.time()
            await self._session.commit(records)
            self._round_s = max(COMMIT_EVERY_S, READING_A_COMMIT * (loop.time() - read))

    async def request_for(self, run: Sequence[Message]) -> ExtractionInput:
        """What an extractor is given about a run."""
        session = self._session
        start = session.view.floors.index(run[0].floor)
        before = self._context(start, len(run))
        rules = filter_rules(self._tools.settings())
        cleaned = [clean_message(message, rules) for message in run]
        recent = [session.log.texts.get(key, "") for key in session.view.keys[-LANGUAGE_SAMPLE:]]
        request = ExtractionInput(
            run=cleaned,
            context=before,
            known=(),
            user_name=session.identity.user_name,
            character_name=session.identity.character_name,
            language=detect_language(recent),
        )
        return await self._told(request, self._graph_before(start)) if self._tools.models.costs else request

    async def _told(self, request: ExtractionInput, graph: MemoryGraph) -> ExtractionInput:
        """The request with what a model is told beside the messages."""
        settings = self._tools.settings()
        floors = self._session.view.floors[: len(graph.view)]
        context, run = fit(request.context, request.run, settings.int("extractMaxChars"))
        seen = Seen(graph, floors, run, context, request.language)
        async with self._finding:  # a price is asked for while something is read, and the index is one
            known = await asyncio.to_thread(self._known.find, seen)
        background, asking = background_of(graph, settings, self._from_page), asking_of(settings)
        return replace(request, run=run, context=context, known=known, background=background, asking=asking)

    def _graph_before(self, start: int) -> MemoryGraph:
        """The graph as it was before this position: later memories say nothing to a run that was left out."""
        session = self._session
        if all(session.graph.pending[start:]):
            return session.graph
        kept, _ = records_until(session.view.keys, start, session.records)
        return self._past.fold(session.view.keys[:start], RecordSet(kept))

    def _context(self, start: int, length: int) -> list[Message]:
        """The messages before a run that a model reads for orientation; with a cap so many fewer as the run takes."""
        session, settings = self._session, self._tools.settings()
        most, cap = 2 * settings.int("extractContextTurns"), settings.int("extractRecentMessageCap")
        if cap:
            most = min(most, max(0, cap - length))
        rules = filter_rules(settings)
        messages = (session.log.message(session.view, position) for position in range(max(0, start - most), start))
        return [clean_message(message, rules) for message in messages if message is not None]

    def _record(self, run: Sequence[Message], extraction: Extraction, behind: int) -> Answer:
        stamp = Stamp(
            n=self._session.records.highest_n + 1 + behind,
            time=self._tools.clock.now_ms(),
            cause="extraction",
            model=extraction.model,
            tokens=extraction.tokens,
        )
        keys, related = tuple(message.key for message in run), default_relation(self._tools.settings())
        return Answer(stamp, keys, settle_cites(extraction.operations), related=related)

    def _give_up(self, run: Sequence[Message], error: ModelFailed, progress: Progress) -> None:
        keys = tuple(message.key for message in run)
        progress.failed.add(keys)
        progress.error = error
        calls = progress.total.calls + error.calls
        progress.total = progress.total.model_copy(update={"calls": calls, "reason": str(error)})
        self._setbacks.note(keys)
        _LOGGER.warning("extraction of chat %s: %s", self._session.lineage, error.code)
        notice = Notice(code=error.code, level="warning", data={"floor": run[0].floor, "reason": str(error)})
        self._tools.events.publish("notice", NoticeEvent(lineage=self._session.lineage, notice=notice))

    def _report(self, state: Literal["running", "done", "failed"], done: int, total: int) -> None:
        event = JobEvent(lineage=self._session.lineage, task="extraction", state=state, done=done, total=total)
        self._tools.events.publish("job", event)


def _with(total: Extracted, extraction: Extraction) -> Extracted:
    """The sum after one more answer."""
    return total.model_copy(
        update={
            "records": total.records + 1,
            "operations": total.operations + len(extraction.operations),
            "refused": total.refused + len(extraction.refused),
            "calls": total.calls + extraction.calls,
        }
    )

"""Extraction behind the replies of one chat: what is due, when, and one call at a time."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Literal

from st_bme.errors import ModelFailed
from st_bme.graph.fold import Folder
from st_bme.graph.memory_graph import MemoryGraph
from st_bme.graph.operation_order import settle_cites
from st_bme.graph.records import Answer, Record, RecordSet, Stamp
from st_bme.graph.time_travel import records_until
from st_bme.model.message import Message
from st_bme.ports import Background, Extraction, ExtractionInput
from st_bme.protocol.events import JobEvent, NoticeEvent
from st_bme.protocol.results import Extracted, Notice
from st_bme.session.chat_session import ChatSession
from st_bme.session.setbacks import Run, Setbacks
from st_bme.session.smart_trigger import SmartTrigger
from st_bme.session.tools import Tools
from st_bme.write.asking import asking_of
from st_bme.write.background import background_of
from st_bme.write.cleaning import clean_message
from st_bme.write.filters import filter_rules
from st_bme.write.known import KnownMemories, Seen
from st_bme.write.language import detect_language
from st_bme.write.plan import PlanRules, plan_extraction, tail_of

_LOGGER = logging.getLogger(__name__)

# Older pending messages are read by a paid model only when asked for by name: there may be thousands.
PAID_REACH = 20

# A page that is told of every run of a long first reading would do nothing else; and the longer the chat, the longer
# a commit takes: reading goes on for several times that.
COMMIT_EVERY_S = 0.5
READING_A_COMMIT = 4
LANGUAGE_SAMPLE = 12


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
        self._failed: frozenset[Run] = frozenset()
        self._setbacks = Setbacks(time.monotonic)
        self._round_s = COMMIT_EVERY_S
        self.on_done: Callable[[int], None] = lambda _: None  # after each round, with the calls that it made
        self._past = Folder()
        self._known = KnownMemories()
        self._from_page = Background()

    @property
    def is_idle(self) -> bool:
        return self._settling is None and not self._tasks and not self._busy.locked()

    def page_says(self, persona: str, card: str, world_info: str) -> None:
        """From now on a model is told this beside the messages, as far as the settings want it."""
        self._from_page = Background(persona, card, world_info)

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
        costs something reads only the newest messages, except with `whole`.
        """
        total = Extracted(records=0, operations=0, refused=0, calls=0, pending=0)
        async with self._busy:
            self._failed = frozenset()
            while runs := self._due(flush=flush, whole=whole, asked=asked):
                self._report("running", total.records, total.records + len(runs))
                total = await self._extract_some(runs, total)
            self._report("failed" if self._failed else "done", total.records, total.records)
        self.on_done(total.calls)
        return total.model_copy(update={"pending": sum(self._session.graph.pending)})

    def _due(self, *, flush: bool, whole: bool, asked: bool) -> list[Sequence[Message]]:
        """Runs that are due and whose texts are here; what this round already failed at is left out."""
        session = self._session
        ranges = plan_extraction(session.view.roles, session.graph.pending, self._rules(flush=flush)).runs
        runs: dict[tuple[str, ...], Sequence[Message]] = {}
        reach = len(session.view) - PAID_REACH if self._tools.models.costs and not whole else 0
        for places in ranges:
            if places.stop <= reach:
                continue
            messages = [session.log.message(session.view, position) for position in places]
            present = [message for message in messages if message is not None]
            keys = tuple(message.key for message in present)
            if keys in self._failed or (not asked and self._setbacks.rests(keys)):
                continue
            if len(present) == len(messages):
                # One answer lives wherever its run stands: a chat that says the same twice is asked about once.
                runs.setdefault(keys, present)
        return list(runs.values())

    def _rules(self, *, flush: bool) -> PlanRules:
        settings, pending = self._tools.settings(), self._session.graph.pending
        return PlanRules(
            every=settings.int("extractEvery"),
            greeting=settings.bool("extractGreeting"),
            lag_one=settings.bool("extractAutoDelayLatestAssistant"),
            at_once=not flush and self._trigger.fires(tail_of(pending)),
            flush=flush,
        )

    async def _extract_some(self, runs: Sequence[Sequence[Message]], total: Extracted) -> Extracted:
        """Extract these runs in order and commit them together where they come quickly."""
        records: list[Record] = []
        started, view = asyncio.get_running_loop().time(), self._session.view
        try:
            for run in runs:
                # Where the chat has changed meanwhile these runs may not be due any more.
                if self._session.view is not view or asyncio.get_running_loop().time() - started > self._round_s:
                    break
                try:
                    extraction = await self._ask(run)
                except ModelFailed as error:
                    self._give_up(run, error)
                    total = total.model_copy(update={"calls": total.calls + error.calls})
                    continue
                self._setbacks.forget(tuple(message.key for message in run))
                records.append(self._record(run, extraction, len(records)))
                total = _with(total, extraction)
                await asyncio.sleep(0)
        finally:
            # Whatever ends the round: an answer that was paid for is recorded.
            read = asyncio.get_running_loop().time()
            await self._session.commit(records)
            committing_s = asyncio.get_running_loop().time() - read
            self._round_s = max(COMMIT_EVERY_S, READING_A_COMMIT * committing_s)
        return total

    async def _ask(self, run: Sequence[Message]) -> Extraction:
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
        if self._tools.models.costs:
            request = await self._told(request, self._graph_before(start))
        return await self._tools.models.extractor.extract(request)

    async def _told(self, request: ExtractionInput, graph: MemoryGraph) -> ExtractionInput:
        """The request with what a model is told beside the messages."""
        settings = self._tools.settings()
        floors = self._session.view.floors[: len(graph.view)]
        seen = Seen(graph, floors, request.run, request.context, request.language)
        return replace(
            request,
            known=await asyncio.to_thread(self._known.find, seen),
            background=background_of(graph, settings, self._from_page),
            asking=asking_of(settings),
        )

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
        return Answer(stamp, tuple(message.key for message in run), settle_cites(extraction.operations))

    def _give_up(self, run: Sequence[Message], error: ModelFailed) -> None:
        keys = tuple(message.key for message in run)
        self._failed |= {keys}
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

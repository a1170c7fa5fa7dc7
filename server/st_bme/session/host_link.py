"""Model calls that the page makes for the server, over the connection that the user already has."""

from __future__ import annotations

import asyncio
import secrets
import time
from dataclasses import dataclass

from st_bme.errors import ModelTimeout
from st_bme.ports import ChatPrompt, ChatReply
from st_bme.protocol.commands import HostState, LlmResult
from st_bme.protocol.events import LlmCancelEvent, LlmRequestEvent
from st_bme.session.event_log import EventLog
from st_bme.session.relay_failure import relay_failure

# A local model has one slot, and SillyTavern needs a moment after a reply for what it does itself.
REST_AFTER_GENERATION_S = 1.0
# A page that was closed in the middle of a reply never says that it ended.
LONGEST_GENERATION_S = 900.0


@dataclass(slots=True)
class _Page:
    """A browser page: what it can do, and until when it is not to be asked."""

    state: HostState
    is_free: asyncio.Event
    timer: asyncio.TimerHandle | None = None


class HostLink:
    """Asks the page that was heard of last; never while that page makes a reply, and one call at a time."""

    def __init__(self, events: EventLog) -> None:
        self._events = events
        self._pages: dict[str, _Page] = {}
        self._current = ""
        self._known = asyncio.Event()
        self._answers: dict[str, asyncio.Future[LlmResult]] = {}
        self._slot = asyncio.Lock()

    @property
    def is_online(self) -> bool:
        """True if the page heard of last has a connection to a model."""
        page = self._pages.get(self._current)
        return page is not None and page.state.online

    def seen(self, state: HostState) -> None:
        """A page said what it can do."""
        page = self._pages.get(state.page)
        if page is None:
            page = self._pages[state.page] = _Page(state, asyncio.Event())
            page.is_free.set()
        page.state = state
        self._current = state.page
        self._known.set()

    def hold(self, page_id: str) -> None:
        """The page begins to make a reply: it is not asked until that has ended."""
        page = self._pages.get(page_id)
        if page is not None:
            page.is_free.clear()
            self._free_in(page, LONGEST_GENERATION_S)

    def release(self, page_id: str) -> None:
        """The reply has ended; the page rests for a moment before it is asked."""
        page = self._pages.get(page_id)
        if page is not None and not page.is_free.is_set():
            self._free_in(page, REST_AFTER_GENERATION_S)

    def _free_in(self, page: _Page, delay_s: float) -> None:
        if page.timer is not None:
            page.timer.cancel()
        page.timer = asyncio.get_running_loop().call_later(delay_s, page.is_free.set)

    def take(self, result: LlmResult) -> bool:
        """Take an answer of a page; False where nobody waits for it any more."""
        waiting = self._answers.get(result.request)
        if waiting is None or waiting.done():
            return False
        waiting.set_result(result)
        return True

    async def ask(self, prompt: ChatPrompt, *, profile: str, timeout_s: float) -> ChatReply:
        """One call through a page. A call that the user's Stop took down is made again once the page is free.

        `timeout_s` counts from when the page is asked: how long a reply takes is the user's business. What a reply
        waits for is asked while the page makes it.
        Raises: ModelTimeout, ModelFailed.
        """
        async with self._slot:
            while True:
                page = await self._page(prompt)
                asked = time.monotonic()
                result = await self._ask_once(page.state.page, prompt, profile, timeout_s)
                if result.error == "aborted":
                    continue
                if result.error:
                    raise relay_failure(result.message or result.error)
                seconds = time.monotonic() - asked
                return ChatReply(result.text, result.model, result.prompt_tokens, result.completion_tokens, seconds)

    async def _page(self, prompt: ChatPrompt) -> _Page:
        while True:
            await self._known.wait()
            page = self._pages[self._current]
            if prompt.is_urgent:
                return page
            await page.is_free.wait()
            if page.state.page == self._current:
                return page

    async def _ask_once(self, page_id: str, prompt: ChatPrompt, profile: str, timeout_s: float) -> LlmResult:
        request = secrets.token_hex(8)
        waiting: asyncio.Future[LlmResult] = asyncio.get_running_loop().create_future()
        self._answers[request] = waiting
        self._events.publish(
            "llm_request",
            LlmRequestEvent(
                request=request,
                page=page_id,
                task=prompt.task,
                profile=profile,
                system=prompt.system,
                user=prompt.user,
                max_tokens=prompt.max_tokens,
                temperature=prompt.temperature,
                json_schema=dict(prompt.schema) if prompt.schema is not None else None,
                urgent=prompt.is_urgent,
            ),
        )
        try:
            async with asyncio.timeout(timeout_s):
                return await waiting
        except TimeoutError:
            self._events.publish("llm_cancel", LlmCancelEvent(request=request, page=page_id))
            raise ModelTimeout(f"SillyTavern's connection gave no answer within {timeout_s:.0f} s") from None
        except asyncio.CancelledError:
            self._events.publish("llm_cancel", LlmCancelEvent(request=request, page=page_id))
            raise
        finally:
            del self._answers[request]

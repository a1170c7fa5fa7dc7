"""What calls of the chat model cost, by day, chat and task. Counted where they are made, kept in the store."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta

from st_bme.errors import ModelFailed, ModelTimeout
from st_bme.model.usage import Spent, UsageRow
from st_bme.ports import ChatModel, ChatPrompt, ChatReply, Clock, Store, TokenCounter

_ACCOUNT: ContextVar[tuple[str, str]] = ContextVar("account", default=("", "other"))
"""Lineage and task that a call is counted for."""

MOST_TOKENS = 10_000_000
"""Of one prompt or answer; the largest contexts have some millions."""


@contextmanager
def charged_to(lineage: str, task: str) -> Iterator[None]:
    """Calls made inside are counted for this chat and task."""
    token = _ACCOUNT.set((lineage, task))
    try:
        yield
    finally:
        _ACCOUNT.reset(token)


class Usage:
    """Counts calls and tokens. A day is one of the server's own time zone."""

    def __init__(self, store: Store, clock: Clock, counter: TokenCounter) -> None:
        self._store = store
        self._clock = clock
        self._counter = counter
        self._day = date.min
        self._tokens = 0

    async def start(self) -> None:
        """Take over what was used today before the server was started."""
        self._day = self.today
        rows = await self._store.usage(self._day.isoformat())
        self._tokens = sum(row.spent.tokens for row in rows)

    @property
    def today(self) -> date:
        return datetime.fromtimestamp(self._clock.now_ms() / 1_000, UTC).astimezone().date()

    @property
    def tokens_today(self) -> int:
        return self._tokens if self._day == self.today else 0

    @property
    def seconds_left(self) -> float:
        """Of today."""
        midnight = datetime.combine(self.today + timedelta(days=1), time())
        return midnight.timestamp() - self._clock.now_ms() / 1_000

    async def rows(self, days: int) -> Sequence[UsageRow]:
        """Of the last days, today among them; newest first."""
        return await self._store.usage((self.today - timedelta(days=days - 1)).isoformat())

    async def note(self, prompt: ChatPrompt, reply: ChatReply | None) -> None:
        """Count a call. Tokens that the endpoint does not tell are counted here."""
        asked, said = (reply.prompt_tokens, reply.completion_tokens) if reply is not None else (0, 0)
        if not asked:
            asked = await asyncio.to_thread(self._counter.count, f"{prompt.system}\n{prompt.user}")
        if not said and reply is not None:
            said = await asyncio.to_thread(self._counter.count, reply.text)
        await self._add(Spent(1, asked, said))

    async def note_refused(self) -> None:
        """Count a call that nobody answered for a price."""
        await self._add(Spent(1, 0, 0))

    async def _add(self, spent: Spent) -> None:
        self._tokens, self._day = self.tokens_today + spent.tokens, self.today
        lineage, task = _ACCOUNT.get()
        await self._store.add_usage(self._day.isoformat(), lineage, task, spent)


def _told(tokens: int) -> int:
    """Tokens that there can have been; else they count as not told."""
    return tokens if 0 <= tokens <= MOST_TOKENS else 0


class CountedChatModel:
    """A chat model whose calls are counted."""

    def __init__(self, model: ChatModel, usage: Usage) -> None:
        self._model = model
        self._usage = usage

    @property
    def name(self) -> str:
        return self._model.name

    async def complete(self, prompt: ChatPrompt, *, timeout_s: float) -> ChatReply:
        try:
            reply = await self._model.complete(prompt, timeout_s=timeout_s)
        except ModelTimeout:
            # The endpoint may have worked on it all the same, and wants to be paid.
            await self._usage.note(prompt, None)
            raise
        except ModelFailed:
            await self._usage.note_refused()
            raise
        prompt_tokens, completion_tokens = _told(reply.prompt_tokens), _told(reply.completion_tokens)
        reply = replace(reply, prompt_tokens=prompt_tokens, completion_tokens=completion_tokens)
        await self._usage.note(prompt, reply)
        return reply

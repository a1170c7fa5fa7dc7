"""Work that nobody waits for: done a while after it was asked for, once for all who asked meanwhile."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress

_LOGGER = logging.getLogger(__name__)


class Later:
    """Does `work` when `after_s` seconds have passed since the first `wake`, or at `finish`."""

    def __init__(self, work: Callable[[], Awaitable[None]], after_s: float) -> None:
        self._work = work
        self._after_s = after_s
        self._is_wanted = False
        self._hurry = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def wake(self) -> None:
        """Have it done; once more if it is under way, since it may have passed over what is new."""
        self._is_wanted = True
        if self._task is None or self._task.done():
            self._task = asyncio.get_running_loop().create_task(self._run())
            self._task.add_done_callback(_finished)

    async def finish(self) -> None:
        """Do at once what is still wanted, and from now on without delay."""
        self._hurry.set()
        if self._task is not None:
            await asyncio.gather(self._task, return_exceptions=True)

    async def _run(self) -> None:
        while self._is_wanted:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._hurry.wait(), self._after_s)
            self._is_wanted = False
            await self._work()


def _finished(task: asyncio.Task[None]) -> None:
    if not task.cancelled() and task.exception() is not None:
        _LOGGER.error("work that was put off has failed", exc_info=task.exception())

"""A command that is sent again under its id, because its answer was lost, has one effect."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from pydantic import JsonValue

from st_bme.protocol.wire import Wire

KEPT_ANSWERS = 256


class Repeats:
    """Answers of the last commands by route and id. A repeat waits for the first one and gets its answer."""

    def __init__(self) -> None:
        self._answers: dict[tuple[str, str], asyncio.Future[Wire]] = {}

    async def once(self, path: str, body: JsonValue, run: Callable[[], Awaitable[Wire]]) -> Wire:
        """Run a command unless it is a repeat. A command that failed is run again."""
        identity = body.get("id") if isinstance(body, dict) else None
        if not isinstance(identity, str) or identity == "":
            return await run()
        key = (path, identity)
        first = self._answers.get(key)
        if first is not None:
            return await asyncio.shield(first)
        first = self._answers[key] = asyncio.ensure_future(run())
        first.add_done_callback(lambda done: self._let_go(key, done))
        return await asyncio.shield(first)

    def _let_go(self, key: tuple[str, str], done: asyncio.Future[Wire]) -> None:
        if done.cancelled() or done.exception() is not None:
            del self._answers[key]
        while len(self._answers) > KEPT_ANSWERS:
            oldest = next(iter(self._answers))
            if not self._answers[oldest].done():
                return
            del self._answers[oldest]

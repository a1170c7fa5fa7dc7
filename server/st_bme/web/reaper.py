"""Ends connections that were opened and never sent a whole request head: aiohttp has no time limit for those."""

from __future__ import annotations

import asyncio
import time

from aiohttp import web

from st_bme.web.security import Handler

HEAD_TIMEOUT_S = 10.0
LOOK_EVERY_S = 1.0


class Reaper:
    """Knows which connections never got as far as a request. Those that idle after an answer aiohttp ends itself."""

    def __init__(self) -> None:
        self._served: set[object] = set()
        self._seen_s: dict[object, float] = {}

    @web.middleware
    async def watch(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Note that this connection sent a request."""
        self._served.add(request.protocol)
        return await handler(request)

    async def run(self, server: web.Server) -> None:
        """Look at the server's connections for ever."""
        while True:
            await asyncio.sleep(LOOK_EVERY_S)
            self._look(server, time.monotonic())

    def _look(self, server: web.Server, now_s: float) -> None:
        connections = server.connections
        self._served.intersection_update(connections)
        self._seen_s = {each: self._seen_s.get(each, now_s) for each in connections if each not in self._served}
        for each in connections:
            if each in self._seen_s and now_s - self._seen_s[each] > HEAD_TIMEOUT_S and each.transport is not None:
                each.transport.abort()

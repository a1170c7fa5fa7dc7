"""`GET /v1/events`: the event log as server-sent events."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from aiohttp import web

from st_bme.errors import BadRequest
from st_bme.session.event_log import EventLog, LoggedEvent, Subscription

HEARTBEAT_S = 15.0
# A reader that takes nothing for this long is gone; it resumes by Last-Event-ID if it is not.
WRITE_TIMEOUT_S = 30.0


async def stream_events(request: web.Request, log: EventLog) -> web.StreamResponse:
    """Stream until the reader goes away or the server says `bye`."""
    subscription = log.subscribe(_last_event_id(request))
    try:
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream", "X-Accel-Buffering": "no"})
        with suppress(ConnectionError):
            await response.prepare(request)
            await _follow(subscription, response)
    finally:
        subscription.close()
    return response


async def _follow(subscription: Subscription, response: web.StreamResponse) -> None:
    while True:
        try:
            frame = _frame(await asyncio.wait_for(anext(subscription), HEARTBEAT_S))
        except TimeoutError:
            frame = b":\n\n"
        except StopAsyncIteration:
            return
        try:
            await asyncio.wait_for(response.write(frame), WRITE_TIMEOUT_S)
        except TimeoutError:
            return


def _frame(event: LoggedEvent) -> bytes:
    """One event; JSON of one line needs one data line."""
    return b"id: %d\nevent: %s\ndata: %s\n\n" % (event.number, event.name.encode(), event.data)


def _last_event_id(request: web.Request) -> int | None:
    text = request.headers.get("Last-Event-ID", "")
    if not text:
        return None
    if not (text.isascii() and text.isdigit() and len(text) <= 16):
        raise BadRequest("Last-Event-ID is not the number of an event; leave it out to begin with the next event")
    return int(text)

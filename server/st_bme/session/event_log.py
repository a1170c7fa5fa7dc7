"""Numbered events that pages follow: a bounded ring, so that no reader, however slow, holds up whoever publishes."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from dataclasses import dataclass

from st_bme.protocol.encoding import encode
from st_bme.protocol.events import ByeEvent, GapEvent, ReadyEvent
from st_bme.protocol.wire import Wire

KEPT_EVENTS = 1_000
# A first patch carries a whole state, so a count alone would not bound the memory.
KEPT_BYTES = 16 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class LoggedEvent:
    """An event as it goes over the wire."""

    number: int
    name: str
    data: bytes


class EventLog:
    """The events of one run of the server.

    Args:
        first_number: number of the first event. The wall clock in ms keeps the numbers of two runs apart, so that a
            page which comes back after a restart is told of the gap instead of being resumed among other events.
    """

    def __init__(self, first_number: int, *, kept_events: int = KEPT_EVENTS, kept_bytes: int = KEPT_BYTES) -> None:
        self._next = first_number
        self._ring: deque[LoggedEvent] = deque()
        self._ring_bytes = 0
        self._kept_events = kept_events
        self._kept_bytes = kept_bytes
        self._readers: set[Subscription] = set()
        self._closed = False

    def publish(self, name: str, event: Wire) -> int:
        """Append an event and wake the readers; never waits. After `close` nothing is published any more."""
        if self._closed:
            return self._next - 1
        logged = LoggedEvent(self._next, name, encode(event))
        self._next += 1
        self._ring.append(logged)
        self._ring_bytes += len(logged.data)
        while len(self._ring) > self._kept_events or (self._ring_bytes > self._kept_bytes and len(self._ring) > 1):
            self._ring_bytes -= len(self._ring.popleft().data)
        self._wake()
        return logged.number

    def subscribe(self, last_id: int | None) -> Subscription:
        """Follow the events after `last_id`, or, with None, those from now on.

        The first item is `ready`, or `gap` when events after `last_id` are lost; its number is the one that the
        stream goes on from.
        """
        newest = self._next - 1
        if last_id is None:
            return Subscription(self, newest, "ready")
        if last_id > newest or last_id < self._oldest() - 1:
            return Subscription(self, newest, "gap")
        return Subscription(self, last_id, "ready")

    def close(self) -> None:
        """Say `bye`; every reader ends after it."""
        self.publish("bye", ByeEvent())
        self._closed = True
        self._wake()

    def after(self, number: int) -> LoggedEvent | None:
        """The event that follows `number`: itself, a `gap` in place of lost ones, or None while there is none."""
        if number >= self._next - 1:
            return None
        oldest = self._oldest()
        if number < oldest - 1:
            return LoggedEvent(self._next - 1, "gap", encode(GapEvent()))
        return self._ring[number + 1 - oldest]

    @property
    def is_closed(self) -> bool:
        return self._closed

    def join(self, reader: Subscription) -> None:
        self._readers.add(reader)

    def leave(self, reader: Subscription) -> None:
        self._readers.discard(reader)

    def _oldest(self) -> int:
        return self._ring[0].number if self._ring else self._next

    def _wake(self) -> None:
        for reader in self._readers:
            reader.news.set()


class Subscription(AsyncIterator[LoggedEvent]):
    """One reader's place in the log. Waiting may be cancelled (for a heartbeat) without losing an event."""

    def __init__(self, log: EventLog, number: int, opening: str) -> None:
        self.news = asyncio.Event()
        self._log = log
        self._number = number
        first = GapEvent() if opening == "gap" else ReadyEvent()
        self._opening: LoggedEvent | None = LoggedEvent(number, opening, encode(first))
        log.join(self)

    async def __anext__(self) -> LoggedEvent:
        if self._opening is not None:
            opening, self._opening = self._opening, None
            return opening
        while (event := self._log.after(self._number)) is None:
            if self._log.is_closed:
                self.close()
                raise StopAsyncIteration
            self.news.clear()
            await self.news.wait()
        self._number = event.number
        return event

    def close(self) -> None:
        """Stop following."""
        self._log.leave(self)

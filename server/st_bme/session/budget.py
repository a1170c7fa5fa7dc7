"""The tokens of a day: near its end upkeep waits first, then catching up, then reading. Recall never does."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from datetime import date, timedelta
from typing import Literal

from pydantic import JsonValue

from st_bme.protocol.events import NoticeEvent
from st_bme.protocol.results import Notice
from st_bme.session.event_log import EventLog
from st_bme.session.usage import Usage
from st_bme.settings import Values

_LOGGER = logging.getLogger(__name__)

Work = Literal["upkeep", "catch_up", "extraction"]

SHARES: dict[Work, float] = {"upkeep": 0.8, "catch_up": 0.9, "extraction": 1.0}
"""Of the budget, from which on this work waits for the next day."""


class Budget:
    """Says what may still be asked of a model today, and tells the user once a day of each work that waits."""

    def __init__(self, usage: Usage, settings: Callable[[], Values], events: EventLog) -> None:
        self._usage = usage
        self._settings = settings
        self._events = events
        self._told: set[tuple[date, Work]] = set()
        self._renewal: asyncio.TimerHandle | None = None
        self.on_renewed: Callable[[], None] = lambda: None

    @property
    def tokens(self) -> int:
        """Of a day; 0 for no limit."""
        return self._settings().int("dailyTokenBudget")

    def allows(self, work: Work) -> bool:
        """Whether this work may cost something now."""
        if not self.tokens or self._usage.tokens_today < SHARES[work] * self.tokens:
            return True
        self._tell(work)
        return False

    def stop(self) -> None:
        """Wait for no other day."""
        if self._renewal is not None:
            self._renewal.cancel()

    def _tell(self, work: Work) -> None:
        today = self._usage.today
        if (today, work) in self._told:
            return
        self._told = {each for each in self._told if each[0] == today} | {(today, work)}
        _LOGGER.info("%s waits: %d tokens were used today", work, self._usage.tokens_today)
        data: dict[str, JsonValue] = {
            "used": self._usage.tokens_today,
            "budget": self.tokens,
            "until": f"{today + timedelta(days=1)} 00:00",
        }
        notice = Notice(code=f"budget_{work}", level="warning", data=data)
        self._events.publish("notice", NoticeEvent(lineage="", notice=notice))
        self.stop()
        self._renewal = asyncio.get_running_loop().call_later(self._usage.seconds_left, self._renew)

    def _renew(self) -> None:
        self._renewal = None
        self.on_renewed()

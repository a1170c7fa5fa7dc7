"""What every chat session works with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from st_bme.ports import Clock, Store, TokenCounter, VectorStore
from st_bme.session.budget import Budget, Work
from st_bme.session.event_log import EventLog
from st_bme.session.host_link import HostLink
from st_bme.session.models import Models
from st_bme.session.usage import Usage
from st_bme.settings import Values


@dataclass(frozen=True, slots=True)
class Tools:
    """Ports, the event log, and the settings in force (asked anew each time, since the user changes them)."""

    store: Store
    vectors: VectorStore
    events: EventLog
    models: Models
    host: HostLink
    clock: Clock
    counter: TokenCounter
    settings: Callable[[], Values]
    usage: Usage
    budget: Budget

    def may_spend(self, work: Work) -> bool:
        """Whether this work may go on by itself: always where it costs nothing."""
        return not self.models.costs or self.budget.allows(work)

"""What every chat session works with."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from st_bme.ports import Clock, Store, TokenCounter, VectorStore
from st_bme.session.budget import Budget, Work
from st_bme.session.event_log import EventLog
from st_bme.session.host_link import HostLink
from st_bme.session.models import Models
from st_bme.session.usage import Usage
from st_bme.settings import Values


@dataclass(frozen=True, slots=True)
class Tools:
    """Ports, the event log, and the settings in force (asked anew each time, since the user changes them).

    `recalls` computes all recalls one after the other: a second thread would not make Python faster, but the event loop
    wait longer for its turn.
    """

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
    recalls: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(1, "recall"))

    def may_spend(self, work: Work) -> bool:
        """Whether this work may go on by itself: always where it costs nothing."""
        return not self.models.costs or self.budget.allows(work)

"""What recalls leave behind: counts and results. No graph and no oracle depends on it (rule 31)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import orjson
from pydantic import JsonValue

from st_bme.read.ages import LastUse

MOST_KEPT = 50
"""Messages of which is kept what was recalled for them; chat text is not in it."""


@dataclass(frozen=True, slots=True)
class Shown:
    """Something that was injected, and why: a memory by its id, or a passage."""

    node_id: str
    type: str
    section: str
    reason: str
    score: float


class SideTable:
    """How often each node was recalled, once a user message, and what was recalled for the newest messages."""

    def __init__(self, body: bytes = b"{}") -> None:
        stored = orjson.loads(body)
        self.last_result: list[str] = stored.get("last", [])
        self.access: dict[str, int] = stored.get("access", {})
        self.used: dict[str, LastUse] = {key: LastUse(*use) for key, use in stored.get("used", {}).items()}
        self.job: dict[str, JsonValue] = stored.get("job", {})  # what is being caught up on, {} for nothing
        self._message: str = stored.get("message", "")
        self._counted: set[str] = set(stored.get("counted", []))
        # As JSON: written again and again, asked for seldom.
        self._shown: dict[str, bytes] = {key: orjson.dumps(items) for key, items in stored.get("shown", {}).items()}

    def count(self, message: str, node_ids: Sequence[str], now_ms: int = 0) -> bool:
        """Note a recall for a user message; a node is counted once a message. True if anything changed."""
        if message != self._message:
            self._message, self._counted = message, set()
        fresh = [node_id for node_id in node_ids if node_id not in self._counted]
        for node_id in fresh:
            self.access[node_id] = self.access.get(node_id, 0) + 1
            self.used[node_id] = LastUse(message, now_ms)
        self._counted.update(fresh)
        changed = bool(fresh) or self.last_result != list(node_ids)
        self.last_result = list(node_ids)
        return changed

    def note(self, message: str, shown: Sequence[Shown]) -> bool:
        """Keep what was injected for a message, and forget the oldest. True if anything changed."""
        body = orjson.dumps([(item.node_id, item.type, item.section, item.reason, item.score) for item in shown])
        if self._shown.pop(message, b"") == body:
            self._shown[message] = body
            return False
        self._shown[message] = body
        for oldest in list(self._shown)[:-MOST_KEPT]:
            del self._shown[oldest]
        return True

    def shown_for(self, message: str) -> Sequence[Shown] | None:
        """What was injected for a message; None where that is not known."""
        body = self._shown.get(message)
        return None if body is None else [Shown(*item) for item in orjson.loads(body)]

    def to_bytes(self) -> bytes:
        return orjson.dumps(
            {
                "last": self.last_result,
                "access": self.access,
                "used": {key: (use.message, use.time_ms) for key, use in self.used.items()},
                "job": self.job,
                "message": self._message,
                "counted": sorted(self._counted),
                "shown": {key: orjson.Fragment(body) for key, body in self._shown.items()},
            }
        )

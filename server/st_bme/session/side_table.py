"""What recalls leave behind: counts and the last result. No graph and no oracle depends on it (rule 31)."""

from __future__ import annotations

from collections.abc import Sequence

import orjson


class SideTable:
    """How often each node was recalled, once a user message, and what the last recall chose."""

    def __init__(self, body: bytes = b"{}") -> None:
        stored = orjson.loads(body)
        self.last_result: list[str] = stored.get("last", [])
        self.access: dict[str, int] = stored.get("access", {})
        self._message: str = stored.get("message", "")
        self._counted: set[str] = set(stored.get("counted", []))

    def count(self, message: str, node_ids: Sequence[str]) -> bool:
        """Note a recall for a user message; a node is counted once a message. True if anything changed."""
        if message != self._message:
            self._message, self._counted = message, set()
        fresh = [node_id for node_id in node_ids if node_id not in self._counted]
        for node_id in fresh:
            self.access[node_id] = self.access.get(node_id, 0) + 1
        self._counted.update(fresh)
        changed = bool(fresh) or self.last_result != list(node_ids)
        self.last_result = list(node_ids)
        return changed

    def to_bytes(self) -> bytes:
        counted = sorted(self._counted)
        return orjson.dumps(
            {"last": self.last_result, "access": self.access, "message": self._message, "counted": counted}
        )

"""The seat of a chat: of several pages that show it, the one whose list of messages is followed (rule 43)."""

from __future__ import annotations

from st_bme.ports import Clock

SILENT_MS = 60_000
"""A page that was not heard of for so long holds no seat: it may be gone without a word, as browsers are."""


class Seat:
    """Who holds the seat. A command without a page ("") comes from no page and is never turned away."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self.page = ""
        self._heard_ms = 0

    def hear(self, page: str) -> None:
        """The page said something."""
        if page == self.page:
            self._heard_ms = self._clock.now_ms()

    def is_free_for(self, page: str) -> bool:
        """Whether this page may say what the chat's list is, whatever it was before."""
        is_silent = self._clock.now_ms() - self._heard_ms > SILENT_MS
        return page in ("", self.page) or self.page == "" or is_silent

    def take(self, page: str) -> None:
        if page != "":
            self.page, self._heard_ms = page, self._clock.now_ms()

    def leave(self, page: str) -> None:
        if page == self.page:
            self.page = ""

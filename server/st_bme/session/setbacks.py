"""Runs whose extraction failed: each rests for a while, so that a broken model is not asked at every reply."""

from __future__ import annotations

from collections.abc import Callable

FIRST_REST_S = 60.0
LONGEST_REST_S = 3600.0

Run = tuple[str, ...]


class Setbacks:
    """How often each run failed, and when it may be tried again: after 1, 2, 4, … minutes, an hour at most."""

    def __init__(self, now_s: Callable[[], float]) -> None:
        self._now_s = now_s
        self._failures: dict[Run, tuple[int, float]] = {}

    def note(self, run: Run) -> None:
        """The run failed once more."""
        times = self._failures.get(run, (0, 0.0))[0]
        rest_s = min(FIRST_REST_S * 2**times, LONGEST_REST_S)
        self._failures[run] = (times + 1, self._now_s() + rest_s)

    def forget(self, run: Run) -> None:
        """The run succeeded."""
        self._failures.pop(run, None)

    def rests(self, run: Run) -> bool:
        """True while the run is not to be tried again by itself."""
        return run in self._failures and self._now_s() < self._failures[run][1]

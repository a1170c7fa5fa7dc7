"""The wall clock."""

from __future__ import annotations

import time


class SystemClock:
    """Milliseconds since 1970, as the operating system has them."""

    def now_ms(self) -> int:
        return time.time_ns() // 1_000_000

"""How the commands say how much would be injected."""

from __future__ import annotations

from collections.abc import Iterable

from st_bme.read.recall import PASSAGE


def injected(types: Iterable[str]) -> str:
    """Of items of these types: "2 memories", "1 memory and 3 quotes"."""
    is_quote = [name == PASSAGE for name in types]
    quotes = sum(is_quote)
    counts = (_counted(len(is_quote) - quotes, "memory", "memories"), _counted(quotes, "quote", "quotes"))
    return " and ".join(counts if quotes else counts[:1])


def _counted(count: int, one: str, many: str) -> str:
    return f"{count} {one if count == 1 else many}"

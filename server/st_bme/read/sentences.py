"""Where sentences end."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

REMEMBERED = 2_000  # texts: a chat's likely quotes are looked at turn after turn

_SENTENCE_END = re.compile(
    r"(?<=[.!?…])\s+|(?<=[.!?…][\"'”’)*])\s+|\n\s*|(?<=[。！？])(?![。！？”’」』）])|(?<=[。！？][”’」』）])"
)


@lru_cache(maxsize=REMEMBERED)
def sentences(text: str) -> Sequence[str]:
    """The sentences of a text, each with the blanks after it."""
    found: list[str] = []
    start = 0
    for end in _SENTENCE_END.finditer(text):
        if end.end() > start:
            found.append(text[start : end.end()])
            start = end.end()
    return (*found, text[start:]) if start < len(text) else tuple(found)

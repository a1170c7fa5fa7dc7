"""Where sentences end."""

from __future__ import annotations

import re

_SENTENCE_END = re.compile(
    r"(?<=[.!?…])\s+|(?<=[.!?…][\"'”’)*])\s+|\n\s*|(?<=[。！？])(?![。！？”’」』）])|(?<=[。！？][”’」』）])"
)


def sentences(text: str) -> list[str]:
    """The sentences of a text, each with the blanks after it."""
    found: list[str] = []
    start = 0
    for end in _SENTENCE_END.finditer(text):
        if end.end() > start:
            found.append(text[start : end.end()])
            start = end.end()
    return [*found, text[start:]] if start < len(text) else found

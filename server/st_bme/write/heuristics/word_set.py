"""Word lists written as blocks of text, blanks between the words."""

from __future__ import annotations

import re


def word_set(text: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(text.split())


def one_of(text: str) -> str:
    """A pattern for any word of a text, the longest first."""
    words = sorted(text.split(), key=lambda word: (-len(word), word))
    return f"(?:{'|'.join(map(re.escape, words))})"


def behind_one_of(text: str) -> str:
    """A pattern for a place behind any word of a text: a look-behind needs a fixed width each."""
    return f"(?:{'|'.join(f'(?<={re.escape(word)})' for word in text.split())})"

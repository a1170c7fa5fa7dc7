"""In which language a chat is told."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal

Language = Literal["en", "zh", "other"]

# Runs, of which there are a fifth as many as letters.
_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]+")
_KANA_OR_HANGUL = re.compile(r"[\u3040-\u30ff\uac00-\ud7af]+")
_LATIN = re.compile(r"[A-Za-z]+")
_LETTERS = re.compile(r"[^\W\d_]+")

_HAN_WEIGHT = 3
"""A Chinese character says about as much as three Latin letters."""


def detect_language(texts: Iterable[str]) -> Language:
    """`zh` or `en` by share of script, `other` where neither holds at least half or nothing is written."""
    text = "\n".join(texts)
    han = _HAN_WEIGHT * _count(_HAN, text)
    latin = _count(_LATIN, text)
    kana = _count(_KANA_OR_HANGUL, text)
    letters = _count(_LETTERS, text) + (han - han // _HAN_WEIGHT)
    if letters == 0 or kana * 10 > letters:
        return "other"
    if han * 2 >= letters:
        return "zh"
    return "en" if latin * 2 >= letters else "other"


def _count(runs: re.Pattern[str], text: str) -> int:
    """Characters of the text that belong to such runs."""
    return sum(map(len, runs.findall(text)))

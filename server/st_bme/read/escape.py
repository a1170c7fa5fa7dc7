"""Memory text made harmless: it can neither leave its cell, nor pose as our delimiter or a model's, nor run a macro."""

from __future__ import annotations

import re
from functools import lru_cache

_BREAKS = re.compile(r"\r\n|[\n\r\t\v\f\x1c-\x1f\x85\u2028\u2029]")
# Controls, marks that turn the direction of writing, and what is invisible and could stand inside a token.
_INVISIBLE = re.compile(r"[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]")
# Tags of every kind: our delimiters, <|im_start|>, </s>, <start_of_turn>, and SillyTavern's old macros <USER>, <BOT>.
_ANGLES = str.maketrans({"<": "‹", ">": "›", "＜": "‹", "＞": "›", "﹤": "‹", "﹥": "›"})
_BRACKETED = re.compile(
    r"\[(?=[\s/]*(?:inst|sys|user|assistant|human|available_tools|tool|memory|记忆))", re.IGNORECASE
)
_MACRO = re.compile(r"\{(?=\{)")
_PIPE = re.compile(r"(\\*)\|")
_REMEMBERED_CELLS = 16384  # the same memories are written turn after turn


@lru_cache(maxsize=_REMEMBERED_CELLS)
def safe_cell(text: str, limit: int) -> str:
    """The text as one cell of a Markdown table, of at most `limit` characters before it is escaped."""
    plain = _INVISIBLE.sub("", _BREAKS.sub(" ", text)).strip()[:limit]
    plain = _BRACKETED.sub("［", plain.translate(_ANGLES))
    plain = _MACRO.sub("{ ", plain)  # SillyTavern runs {{macros}} in extension prompts
    return _PIPE.sub(r"\1\1\\|", plain)

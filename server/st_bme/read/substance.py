"""How much a text can answer: what tells something can, what only asks or chats cannot."""

from __future__ import annotations

import math
import re

from st_bme.read.sentences import sentences
from st_bme.read.stop_words import telling
from st_bme.scoring.terms import terms

# In deviations of relevance; see `relevance.py` for where they come from.
_LITTLE = 2.0
_ASKS = 3.0
_ENOUGH_WORDS = 25  # who says more is not more to the point

_ASKING = re.compile(r"[?？][\"'”’」』）)*_\s]*$|[吗呢][。”’」』）)*\s]*$")


def substance(text: str) -> float:
    """0 for a text that tells something, down to -6.5 for one that tells nothing; 3 less where it ends by asking."""
    told = {term for part in sentences(text) if not _asks(part) for term in telling(terms(part))}
    lacking = math.log((1 + _ENOUGH_WORDS) / (1 + min(len(told), _ENOUGH_WORDS)))
    return -_LITTLE * lacking - _ASKS * _asks(text)


def _asks(text: str) -> bool:
    return bool(_ASKING.search(text))

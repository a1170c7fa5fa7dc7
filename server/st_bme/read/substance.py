"""How much a text can answer: what tells something can, what only asks or chats cannot."""

from __future__ import annotations

import math
import re

from st_bme.read.sentences import sentences
from st_bme.read.stop_words import telling
from st_bme.scoring.terms import terms

# In deviations of relevance; see `relevance.py` for where they come from.
_LITTLE = 2.0
_ASKS = 2.5
_ENOUGH_WORDS = 60  # about 400 characters; who says more is not more to the point

_ASKING = re.compile(r"[?？][!！\"'”’」』）)*_\s]*$|[吗呢][。!！”’」』）)*\s]*$")


def substance(text: str) -> float:
    """0 for a text that tells something, down to -8.2 for one that tells nothing; 2.5 less where it ends by asking."""
    told = {term for part in sentences(text) if not asks(part) for term in telling(terms(part))}
    lacking = math.log((1 + _ENOUGH_WORDS) / (1 + min(len(told), _ENOUGH_WORDS)))
    return -_LITTLE * lacking - _ASKS * asks(text)


def asks(text: str) -> bool:
    """True if a text ends by asking."""
    return bool(_ASKING.search(text))

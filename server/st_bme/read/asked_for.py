"""Whether a question wants to know a time or a number, and which texts give one: few do."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from st_bme.read.sentences import sentences
from st_bme.read.substance import asks


def _any(words: Iterable[str], *signs: str) -> re.Pattern[str]:
    """Finds one of these words, or a sign that needs no space around it."""
    return re.compile("|".join([rf"\b(?:{'|'.join(words)})\b", *signs]), re.IGNORECASE)


_ASKS_WHEN = _any(
    ["when", "how long", "(?:what|which) (?:day|date|year|month|week|hour|time|season)"],
    "什么时[候间]|何[时年月日]|多久|哪一?[天年月日]|几[天年月日点时]",
)
# In Chinese nearly every text has a numeral, so that to give one is no sign of an answer.
_ASKS_HOW_MANY = _any(["how (?:many|much|old|far|often)"])
_NUMBERS = "one two three four five six seven eight nine ten eleven twelve dozen hundred thousand twenty thirty forty"
_NUMBERS += " fifty sixty half once twice both first second third"
_TIMES = "yesterday today tomorrow tonight last next ago weeks? months? years? days? hours? minutes? morning evening"
_TIMES += " nights? noon midnight monday tuesday wednesday thursday friday saturday sunday january february march april"
_TIMES += " may june july august september october november december spring summer autumn fall winter recently since"
_TIMES += " until before after when"
_GIVES_NUMBER = _any(_NUMBERS.split(), r"\d")
_GIVES_TIME = _any(
    _TIMES.split(),
    r"\d|[昨今明前后][天日晚年夜]|[上下]周|[月年日春夏秋冬]|[早晚]上|清[晨早]|凌晨|傍晚|[中正上下]午|[半午]夜|星期|礼拜|周[一二三四五六日末]|小时|时辰|天[前后]|当年|以?从?前",
)


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a text gives, or asks for."""

    time: bool = False
    number: bool = False


def asked_for(text: str) -> Wanted:
    """What the questions in a text ask for."""
    asked = [sentence for sentence in sentences(text) if asks(sentence)]
    return Wanted(any(map(_ASKS_WHEN.search, asked)), any(map(_ASKS_HOW_MANY.search, asked)))


def given(text: str) -> Wanted:
    """What a text gives."""
    return Wanted(bool(_GIVES_TIME.search(text)), bool(_GIVES_NUMBER.search(text)))

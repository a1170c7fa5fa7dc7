"""People and places in Chinese text, by family names, foreign names and the words around them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from st_bme.write.heuristics.chinese_words import (
    AFTER_NAME,
    BEHIND_CUE,
    FUNCTION_CHARACTERS,
    HONORIFIC,
    NOT_NAMES,
    PLACE_BEFORE,
    PLACE_KIND,
    SURNAME,
    TRANSLITERATED,
    VERB_CHARACTERS,
)
from st_bme.write.heuristics.mentions import Mentions
from st_bme.write.heuristics.sentences import HAN

_GIVEN = f"(?:(?![{FUNCTION_CHARACTERS}])[{HAN}])"
_FULL_NAME = f"(?:{SURNAME}{_GIVEN}(?:(?![{VERB_CHARACTERS}]){_GIVEN})?|[{TRANSLITERATED}]{{2,5}})"
_BEGIN = rf"(?:(?<![{HAN}])|{BEHIND_CUE})"
_END = rf"(?=[^{HAN}]|$|{AFTER_NAME})"
_PEOPLE = re.compile(
    rf"[{TRANSLITERATED}]{{1,6}}·[{HAN}]{{1,6}}?{_END}"
    rf"|{_BEGIN}{_FULL_NAME}{_END}"
    rf"|{SURNAME}{_GIVEN}?{HONORIFIC}"
    rf"|(?<![{HAN}])[老小阿]{SURNAME}{_END}"
)
_POINTING = "(?:了|这个|那个|这|那|一个|一家|一座)?"
_PLACE = re.compile(rf"{PLACE_BEFORE}{_POINTING}(?P<place>{_GIVEN}{{0,5}}?{PLACE_KIND})(?![主长人民])")


def find_mentions(text: str, known: Sequence[str]) -> Mentions:
    """People and places named in a plain text. `known` are names that count wherever they stand."""
    mentions = Mentions()
    for name in known:
        if name in text:
            mentions.named += 1
            mentions.add_person(name)
    for match in _PEOPLE.finditer(text):
        name = match[0]
        if name not in NOT_NAMES and name[:2] not in NOT_NAMES:
            mentions.named += 1
            mentions.add_person(name)
    for match in _PLACE.finditer(text):
        mentions.add_place(match["place"])
    return mentions

"""People and places in Chinese text, by family names, foreign names and the words around them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from st_bme.write.heuristics.chinese_words import (
    AFTER_NAME,
    BEHIND_CUE,
    FUNCTION_CHARACTERS,
    GESTURE,
    HONORIFIC,
    NOT_NAMES,
    PLACE_BEFORE,
    PLACE_ENDING,
    PLACE_KIND,
    PLACE_POINTING,
    SURNAME,
    TRANSLITERATED,
    VERB_CHARACTERS,
)
from st_bme.write.heuristics.mentions import Mentions
from st_bme.write.heuristics.sentences import HAN

_GIVEN = f"(?:(?![{FUNCTION_CHARACTERS}])[{HAN}])"
_FAMILY = f"{SURNAME}(?!{GESTURE})"
_FULL_NAME = f"(?:{_FAMILY}{_GIVEN}(?:(?![{VERB_CHARACTERS}]|{GESTURE}){_GIVEN})?|[{TRANSLITERATED}]{{2,5}})"
_BEGIN = rf"(?:(?<![{HAN}])|{BEHIND_CUE})"
_END = rf"(?=[^{HAN}]|$|{AFTER_NAME}|{GESTURE})"
_PEOPLE = re.compile(
    rf"[{TRANSLITERATED}]{{1,6}}·[{HAN}]{{1,6}}?{_END}"
    rf"|(?P<titled>{SURNAME}){_GIVEN}?{HONORIFIC}"
    rf"|{_BEGIN}{_FULL_NAME}{_END}"
    rf"|(?<![{HAN}])[老小阿]{SURNAME}{_END}"
)
_PLACE_GIVEN = f"(?:{_GIVEN}|听(?![说见着到听]))"
_PLACE = re.compile(
    rf"{PLACE_BEFORE}{PLACE_POINTING}"
    rf"(?P<place>{_PLACE_GIVEN}{{0,5}}?{PLACE_KIND}|{_PLACE_GIVEN}{{1,5}}?{PLACE_ENDING})(?![主长人民])"
)


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
            mentions.add_person(_titled(match["titled"], known) or name)
    for match in _PLACE.finditer(text):
        mentions.add_place(match["place"])
    return mentions


def names_someone_first(text: str) -> bool:
    """True if a plain text begins with the name of a person."""
    match = _PEOPLE.match(text)
    return match is not None and match[0] not in NOT_NAMES and match[0][:2] not in NOT_NAMES


def _titled(surname: str | None, known: Sequence[str]) -> str:
    """The one known person of a family name, "" for none or several: 沈掌柜 is 沈月 where she is in the story."""
    family = {name for name in known if surname and name.startswith(surname)}
    return family.pop() if len(family) == 1 else ""

"""Words without their endings, so that a question about doors finds the door.

Rough on purpose: a stem is never shown, both sides of a search are cut alike, and two words that fall together cost
less than two forms of one word that stay apart.
"""

import re
from functools import lru_cache

# A stem keeps three letters; the longest ending that leaves them is cut.
_ENGLISH = re.compile(r"(\w{3,}?)(?:ingly|edly|ing|ed|es|ly|s)?")
_RUSSIAN = re.compile(
    r"(\w{3,}?)"
    r"(?:(?:"
    r"[иы]ями|[яа]ми|[ое]го|[ое]му|[ыи]ми|[ыиая]х|[ое]в|[ыиое]й|ая|яя|[ое]е|[ыи]е|ую|юю|[ыиоеая]м"
    r"|[ьи]?[аеиоуыьэюя]"  # nouns
    r"|[еи]шь|[еи]те|[еиуюая]т|[аеиыя]?ть|[аеиыя]?л[аои]?"  # verbs
    r")(?:с[яь])?)?"
)


_REMEMBERED = 16_384  # a story goes on with the words it began with
_LONGEST_REMEMBERED = 32


def stem(word: str) -> str:
    """The word without its English or Russian ending; a word of another alphabet, or a short one, as it is."""
    return _remembered(word) if len(word) <= _LONGEST_REMEMBERED else _cut(word)


def _cut(word: str) -> str:
    if word.isascii():
        return _english(word)
    russian = _RUSSIAN.fullmatch(word)
    return russian[1] if russian and "а" <= word[0] <= "я" else word


_remembered = lru_cache(_REMEMBERED)(_cut)


def _english(word: str) -> str:
    if len(word) > 4 and word.endswith(("ies", "ied")):
        return word[:-3] + "y"
    match = _ENGLISH.fullmatch(word)
    if match is None or word.endswith("ss"):
        return word
    shorter = match[1]
    is_doubled = shorter[-1] == shorter[-2] and shorter[-1] not in "ls"  # running, run; but fall, pass
    return shorter[:-1] if len(shorter) > 3 and (is_doubled or shorter[-1] == "e") else shorter

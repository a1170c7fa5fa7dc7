"""Words of a text, alike for what is indexed and what is asked."""

import re
import unicodedata
from collections.abc import Iterator
from typing import NamedTuple

from st_bme.scoring.stems import stem

# Scripts written without spaces, or (Hangul) with particles glued to the word: one token a character.
# Dictionary splitters break invented names, and invented names are what a story is made of.
_UNSPACED = (
    "\u0e00-\u0eff"  # Thai, Lao
    "\u1000-\u109f"  # Myanmar
    "\u1780-\u17ff"  # Khmer
    "\u3005\u3007\u3041-\u309f\u30a0-\u30fa\u30fc-\u30ff"  # kana with the long mark, without the middle dot
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"  # Han
    "\uac00-\ud7af"  # Hangul syllables
)
# A single letter after an apostrophe is an ending ('s, 't, 'd), not a word.
_WORD = rf"(?<!['’])[^\W_{_UNSPACED}]+|(?<=['’])[^\W_{_UNSPACED}]{{2,}}"
_RUN = re.compile(rf"([{_UNSPACED}]+)|({_WORD})")


class Run(NamedTuple):
    """A word, or a stretch of an unspaced script."""

    text: str
    start: int  # offset in `fold(text)`
    is_unspaced: bool


def fold(text: str) -> str:
    """The text with width, compatibility forms and case made equal, and ё written е as most Russian is."""
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold()).replace("ё", "е")


def runs(text: str) -> Iterator[Run]:
    """Folded words and stretches of unspaced script, in the order of the text."""
    for match in _RUN.finditer(fold(text)):
        yield Run(match[0], match.start(), match[1] is not None)


def tokens(text: str) -> list[tuple[str, int]]:
    """Words, and single characters of unspaced scripts, each with its offset in `fold(text)`."""
    found: list[tuple[str, int]] = []
    for match in _RUN.finditer(fold(text)):
        start = match.start()
        if match[2]:
            found.append((match[2], start))
        else:
            found.extend((character, start + i) for i, character in enumerate(match[1]))
    return found


def terms(text: str) -> list[str]:
    """Search terms in the order of the text, repeated as often as they occur.

    A spaced script gives its words without endings; an unspaced one gives each character and each pair of neighbours,
    so that a two-character name is found whole while a rephrased question still shares single characters.
    """
    found: list[str] = []
    for stretch, word in _RUN.findall(fold(text)):
        if word:
            found.append(stem(word))
        else:
            found.extend(stretch)
            found.extend(pairs(stretch))
    return found


def words(text: str) -> list[str]:
    """The words of spaced scripts as they are written, folded, in the order of the text."""
    return [word for _, word in _RUN.findall(fold(text)) if word]


def pairs(stretch: str) -> list[str]:
    """Each two neighbouring characters."""
    return [stretch[i : i + 2] for i in range(len(stretch) - 1)]

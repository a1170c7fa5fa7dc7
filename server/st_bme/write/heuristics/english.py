"""People and places in English text, by capitals and the words around them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from st_bme.write.heuristics.english_words import (
    ACTING,
    COMMON_PLACES,
    DOING,
    FUNCTION_WORDS,
    MOTION,
    NO_PLACE_AFTER,
    NOT_NAMES,
    ORIGIN,
    PERSON_BEFORE,
    PLACE_BEFORE,
    PLACE_KINDS,
    PLACE_OPENINGS,
    TITLES,
)
from st_bme.write.heuristics.mentions import Mentions
from st_bme.write.heuristics.word_set import one_of, word_set

_PART = r"(?:(?:Mr|Mrs|Ms|Dr|St|Mt)\.|(?:[A-Z][a-zà-ÿ]{1,30}|[A-Z]['’][A-Z][a-zà-ÿ]{1,30})(?:-?[A-Z]?[a-zà-ÿ]{1,30})?)"
_NAME = re.compile(rf"(?<![\w'’-]){_PART}(?: {_PART}){{0,3}}(?P<own>['’]s\b|['’](?!\w))?(?!\w)")
_TOWARDS = one_of("at in into inside to toward towards from near outside leave leaving left enters entered")
_COMMON_PLACE = re.compile(rf"\b{_TOWARDS} the ({one_of(COMMON_PLACES)})\b(?! of\b)")
_WORD = re.compile(r"[A-Za-zà-ÿ'’]+")
_DETERMINERS = word_set("the a an my our your his her their this that some every")
_INTRODUCED = (("name", "is"), ("call", "me"), ("calls", "me"), ("call", "him"), ("call", "her"))
_LOOK_BACK = 48
_WORDS_BEFORE = 4
_SHORTEST_NAME = 3
_SHORTEST_ADVERB = 5


@dataclass(frozen=True, slots=True)
class _Found:
    """A run of capitalised words with what stands around it."""

    words: tuple[str, ...]
    before: tuple[str, ...]
    after: str
    opens_sentence: bool
    is_owner: bool
    is_called: bool

    @property
    def name(self) -> str:
        return " ".join(self.words)


def find_mentions(text: str, known: Sequence[str]) -> Mentions:
    """People and places named in a plain text. `known` are full names that a part of stands for."""
    mentions = Mentions()
    by_part = {part: name for name in known for part in (_first_name(name), name)}
    found = [item for match in _NAME.finditer(text) if (item := _read(text, match))]
    inner = {item.words[0] for item in found if not item.opens_sentence}
    for item in found:
        if item.name in by_part:
            mentions.named += 1
            mentions.add_person(by_part[item.name])
        elif not item.opens_sentence or _is_sure_at_start(item, inner):
            mentions.named += 1
            _sort(item, mentions)
    for match in _COMMON_PLACE.finditer(text):
        mentions.add_place(match[1])
    mentions.places = [place for place in mentions.places if place not in mentions.people]
    return mentions


def _first_name(name: str) -> str:
    """The first word of a person's name; a name with a small word in it is a title and has none."""
    words = name.split(" ")
    return words[0] if all(word[:1].isupper() for word in words) else name


def _read(text: str, match: re.Match[str]) -> _Found | None:
    start = match.start()
    ahead = text[max(0, start - _LOOK_BACK) : start]
    trimmed = ahead.rstrip(" ")
    opens = not trimmed or (trimmed[-1] not in ",;" and not (trimmed[-1].isalnum() or trimmed[-1] in "'’&"))
    after = text[match.end() : match.end() + 16]
    end = match.end("own") if match["own"] else match.end()
    words = text[start : match.start("own") if match["own"] else end].split(" ")
    is_titled = len(words) > 1 and words[0].rstrip(".") in TITLES
    while words and _is_no_name(words[-1]) and words[-1] not in PLACE_KINDS:
        words.pop()
    while words and not is_titled and _is_no_name(words[0]) and not (len(words) > 1 and words[0] in PLACE_OPENINGS):
        words.pop(0)
        opens = False
    if not words or len(words[-1]) < _SHORTEST_NAME:
        return None
    following = _WORD.match(after.lstrip(" "))
    return _Found(
        words=tuple(words),
        before=tuple(word.lower() for word in _WORD.findall(ahead)[-_WORDS_BEFORE:]),
        after=following[0].lower() if following else "",
        opens_sentence=opens,
        is_owner=bool(match["own"]),
        is_called=trimmed[-1:] == "," and after[:1] in ("", ".", "!", "?", ",", "…"),
    )


def _is_no_name(word: str) -> bool:
    bare = word.rstrip(".")
    return bare in NOT_NAMES or bare.lower() in FUNCTION_WORDS or (bare.endswith("ly") and len(bare) > 4)


def _is_sure_at_start(item: _Found, inner: set[str]) -> bool:
    """A capital that opens a sentence says nothing by itself."""
    if item.words[0].rstrip(".") in TITLES and len(item.words) > 1:
        return True
    return item.words[0] in inner or item.after in ACTING


def _sort(item: _Found, mentions: Mentions) -> None:
    if _is_place(item):
        mentions.add_place(item.name)
    elif _is_person(item):
        mentions.add_person(item.name)


def _is_place(item: _Found) -> bool:
    if len(item.words) > 1 and (item.words[-1] in PLACE_KINDS or item.words[0] in PLACE_OPENINGS):
        return True
    before = item.before
    has_article = bool(before) and before[-1] in _DETERMINERS
    lead = before[:-1] if has_article else before
    if not lead or item.is_owner or not NO_PLACE_AFTER.isdisjoint(lead):
        return False
    match lead[-1]:
        case "to":
            return not MOTION.isdisjoint(lead)
        case "from":
            return not (MOTION | ORIGIN).isdisjoint(lead)
        case "at":
            return has_article
    return lead[-1] in PLACE_BEFORE


def _is_person(item: _Found) -> bool:
    if item.words[0].rstrip(".") in TITLES and len(item.words) > 1:
        return True
    if item.before[-2:] in _INTRODUCED:
        return True
    last = item.before[-1] if item.before else ""
    if last in _DETERMINERS:
        return False
    return last in PERSON_BEFORE or item.after in DOING or item.is_owner or item.is_called

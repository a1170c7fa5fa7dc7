"""Where scoring answers otherwise than the original ST-BME on purpose, and what it then answers.

Written by brute force and apart from the code it judges: every name is tried at every place of the message.
"""

import re
import unicodedata
from typing import Any, NamedTuple

_UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u30fa\u30fc-\u30ff\u3400-\u9fff\uac00-\ud7af]")


class _Place(NamedTuple):
    node: str
    name: str
    start: int
    end: int


def is_found_by_alias(given: dict[str, Any]) -> bool:
    """A node is named by an alias alone."""
    by_name = {place.node for place in _places(given, ("name", "title"))}
    return any(place.node not in by_name for place in _places(given, ("aliases",)))


def is_found_by_folding(given: dict[str, Any]) -> bool:
    """A name stands in the message, but in another case or width, or parted otherwise."""
    return any(place.name not in given["message"] for place in _places(given, ("name", "title")))


def is_inside_longer_name(given: dict[str, Any]) -> bool:
    """A name stands only inside a longer one."""
    places = _places(given, ("name", "title", "aliases"))
    return len({place.node for place in _longest(places)}) < len({place.node for place in places})


def is_inside_word(given: dict[str, Any]) -> bool:
    """A name of a spaced script stands only inside other words."""
    found = {place.node for place in _places(given, ("name", "title"))}
    return any(
        len(name) > 1 and name in given["message"] and node["id"] not in found
        for node in given["nodes"]
        for name in _names(node, ("name", "title"))
    )


def our_anchors(given: dict[str, Any], _recorded: list[dict[str, str]]) -> list[dict[str, str]]:
    """Nodes whose name, title or alias stands in the message as whole words, none inside a longer name."""
    by_start = sorted(_longest(_places(given, ("name", "title", "aliases"))), key=lambda place: place.start)
    first = {place.node: place.name for place in reversed(by_start)}
    return [{"nodeId": node["id"], "entity": first[node["id"]]} for node in given["nodes"] if node["id"] in first]


def _places(given: dict[str, Any], columns: tuple[str, ...]) -> list[_Place]:
    message = _tokens(given["message"])
    places = []
    for node in given["nodes"]:
        for name in _names(node, columns):
            words = _tokens(name)
            if len("".join(words)) < 2:
                continue
            starts = range(len(message) - len(words) + 1)
            hits = [start for start in starts if message[start : start + len(words)] == words]
            places.extend(_Place(node["id"], name, start, start + len(words)) for start in hits)
    return places


def _longest(places: list[_Place]) -> list[_Place]:
    def is_inside(one: _Place, other: _Place) -> bool:
        return other.start <= one.start and one.end <= other.end and other.end - other.start > one.end - one.start

    return [place for place in places if not any(is_inside(place, other) for other in places)]


def _names(node: dict[str, Any], columns: tuple[str, ...]) -> list[str]:
    found = []
    for column in columns:
        value = node["fields"].get(column) or []
        found.extend(value if isinstance(value, list) else [value])
    return found


def _tokens(text: str) -> list[str]:
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold()).replace("ё", "е")
    tokens, word, is_ending = [], "", False
    for character in folded + " ":
        is_unspaced = bool(_UNSPACED.match(character))
        if (character.isalnum() or is_unspaced) and not is_unspaced:
            word += character
            continue
        if word and not (is_ending and len(word) == 1):
            tokens.append(word)
        word, is_ending = "", character in "'’"
        if is_unspaced:
            tokens.append(character)
    return tokens

"""Edges as a state holds them: one text each, since a chat has thousands and every save of it writes them all.

The words are `fromId toId relation strength source invalidAt` of the edge as an object, those at the end left out that
are not there. An edge of which more is to be said stays an object.
"""

from __future__ import annotations

import orjson

from st_bme.errors import CorruptState
from st_bme.graph.json_reader import Json, JsonObject
from st_bme.model.edge import DEFAULT_STRENGTH

_NONE = "-"
_WORDS = ("fromId", "toId", "relation", "strength", "source", "invalidAt")
_NAMES = _WORDS[:3]
_IMPLIED: JsonObject = {"relation": "related", "strength": DEFAULT_STRENGTH}
_FEWEST = 4


def pack_edge(edge: JsonObject) -> Json:
    """The edge as one text where that says all of it and reads back the same."""
    words = [str((_IMPLIED | edge).get(name, _NONE)) for name in _WORDS]
    is_plain = edge.keys() <= set(_WORDS) and _NONE not in words[:2] and all(word.split() == [word] for word in words)
    while len(words) > _FEWEST and words[-1] == _NONE:
        words.pop()
    return " ".join(words) if is_plain else edge


def unpack_edge(edge: Json, where: str) -> Json:
    """The edge as an object again; what is no text stays as it is. Raises CorruptState."""
    if not isinstance(edge, str):
        return edge
    words = edge.split(" ")
    if not _FEWEST <= len(words) <= len(_WORDS):
        raise CorruptState(f"{where} has {len(words)} words, not {_FEWEST} to {len(_WORDS)}")
    return {name: _value(name, word, where) for name, word in zip(_WORDS, words, strict=False) if word != _NONE}


def _value(name: str, word: str, where: str) -> Json:
    if name in _NAMES:
        return word
    try:
        value: Json = orjson.loads(word)
    except orjson.JSONDecodeError:
        value = word
    if type(value) in (int, float):
        return value
    raise CorruptState(f"{where}: {name!r} is {word!r} and no number")

"""Edges as a state holds them: a chat has thousands, and every save of it writes and reads all of them.

An edge is one text, in a list of its relation and strength; one of which more is to be said stays an object.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator

import orjson

from st_bme.errors import CorruptState
from st_bme.graph.json_reader import Json, JsonObject
from st_bme.model.edge import DEFAULT_STRENGTH

_SHORT = 4
_NONE = "-"
_WORDS = ("fromId", "toId", "relation", "strength", "source", "invalidAt")
_NAMES = _WORDS[:3]
_SAID = frozenset(_WORDS)
_FEWEST = 4


class ShortIds:
    """Ids by their first characters, where no other of these ids begins so."""

    def __init__(self, ids: Collection[str]) -> None:
        starts = Counter(identity[:_SHORT] for identity in ids)
        self._full = {identity[:_SHORT]: identity for identity in ids if starts[identity[:_SHORT]] == 1}

    def short(self, identity: str) -> str:
        start = identity[:_SHORT]
        return start if self._full.get(start) == identity else identity

    def full(self, word: str) -> str:
        return self._full.get(word, word)


def kind_of(relation: str, strength: Json) -> str:
    """What edges of one list have in common."""
    return f"{relation} {strength}"


def pack_edge(edge: JsonObject, ids: ShortIds) -> tuple[str, Json]:
    """The kind of the edge, and the edge as one text where that says the rest of it."""
    start, end = str(edge["fromId"]), str(edge["toId"])
    ends = [ids.short(start), ids.short(end)]
    words = [*ends, str(edge.get("source", _NONE)), str(edge.get("invalidAt", _NONE))]
    while len(words) > len(ends) and words[-1] == _NONE:
        words.pop()
    packed = " ".join(words)
    is_read_back = _NONE not in ends and packed.split() == words and [*map(ids.full, ends)] == [start, end]
    kind = kind_of(str(edge.get("relation", "related")), edge.get("strength", DEFAULT_STRENGTH))
    return kind, packed if is_read_back and edge.keys() <= _SAID else edge


def in_lists(packed: Iterable[tuple[str, Json]]) -> JsonObject:
    """Packed edges in lists by their kind."""
    lists: dict[str, list[Json]] = {}
    for kind, edge in packed:
        lists.setdefault(kind, []).append(edge)
    return dict(lists)


def unpack_edges(edges: Json, where: str, ids: ShortIds) -> Iterator[tuple[Json, str]]:
    """The edges as objects again, each with its place; a list of them has no common parts. Raises CorruptState."""
    if isinstance(edges, list):
        places = [f"{where}[{number}]" for number in range(len(edges))]
        yield from ((_unpack_edge(edge, place), place) for edge, place in zip(edges, places, strict=True))
        return
    if not isinstance(edges, dict):
        raise CorruptState(f"{where} is neither a list nor an object of lists")
    for kind, alike in sorted(edges.items()):
        if not isinstance(alike, list):
            raise CorruptState(f"{where}[{kind}] is not a list")
        for number, edge in enumerate(alike):
            place = f"{where}[{kind}][{number}]"
            yield _unpack_edge(_with_kind(edge, kind, ids), place), place


def _with_kind(edge: Json, kind: str, ids: ShortIds) -> Json:
    if not isinstance(edge, str):
        return edge
    words = edge.split(" ")
    return " ".join([*map(ids.full, words[:2]), kind, *words[2:]])


def _unpack_edge(edge: Json, where: str) -> Json:
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

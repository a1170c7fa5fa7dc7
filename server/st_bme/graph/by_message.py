"""What of a graph each message brought: how a base is taken message by message (docs/storage.md, rule 35)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeVar

from st_bme.graph.ledgers import Ledgers
from st_bme.model.node import SET_BY_HAND, Node
from st_bme.model.story_time import Segment

WITHOUT_MESSAGE = ""

_T = TypeVar("_T")
_K = TypeVar("_K")
_V = TypeVar("_V")


def grouped(pairs: Iterable[tuple[str, _T]]) -> Mapping[str, tuple[_T, ...]]:
    groups: dict[str, list[_T]] = {}
    for key, item in pairs:
        groups.setdefault(key, []).append(item)
    return {key: tuple(items) for key, items in groups.items()}


def nodes_by_message(nodes: Iterable[Node]) -> Mapping[str, tuple[Node, ...]]:
    """Nodes by each of their sources, and those that stand without any `WITHOUT_MESSAGE`."""
    return grouped((key, node) for node in nodes for key in (*_without_source(node), *node.sources))


def _without_source(node: Node) -> tuple[str, ...]:
    """For a node that no message needs to be there for: without sources, or all of it written by the user."""
    is_by_hand = bool(node.fields) and all(node.setters.get(name) == SET_BY_HAND for name in node.fields)
    return (WITHOUT_MESSAGE,) if is_by_hand or not node.sources else ()


def ledgers_by_message(ledgers: Ledgers) -> Mapping[str, Ledgers]:
    """What each message said; a segment stands with each that told of it, by one name or another, or as now."""
    segments = _split(
        (key, (segment.id, segment)) for segment in ledgers.segments.values() for key in _told_by(segment)
    )
    knowledge = _split((said.source, item) for item in ledgers.knowledge.items() for said in item[1:])
    regions = _split((fact.source, item) for item in ledgers.regions.items() for fact in item[1:])
    variables = _split((said.source, item) for item in ledgers.variables.items() for said in item[1:])
    return {
        key: Ledgers(segments.get(key, {}), knowledge.get(key, {}), regions.get(key, {}), variables.get(key, {}))
        for key in {*segments, *knowledge, *regions, *variables}
    }


def _told_by(segment: Segment) -> tuple[str, ...]:
    now = () if segment.now_since is None else (segment.now_since,)
    return tuple(dict.fromkeys((segment.source, *segment.aliases.values(), *now)))


def _split(entries: Iterable[tuple[str, tuple[_K, _V]]]) -> dict[str, dict[_K, _V]]:
    split: dict[str, dict[_K, _V]] = {}
    for key, (name, value) in entries:
        split.setdefault(key, {})[name] = value
    return split

"""Which memories an extractor is shown, so that it goes on with them instead of making them anew."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from st_bme.model.message import Message
from st_bme.model.node import Node
from st_bme.model.schema import STORY_TYPES
from st_bme.ports import KnownNode
from st_bme.scoring.names import NameIndex
from st_bme.scoring.terms import terms

MOST_SHOWN = 12
_SHOWN_LENGTH = 200
_NAMED = 3.0
_OPEN = 1.0
_OPEN_TYPES = frozenset(("rule", "thread"))


def known_nodes(nodes: Sequence[Node], messages: Iterable[Message]) -> tuple[KnownNode, ...]:
    """The active nodes that the messages speak of, best first: those named, those that share words, what is open.

    Args:
        nodes: active nodes in fold order; of equals the newer one comes first.
        messages: the run and what stands before it, cleaned.
    Returns: at most `MOST_SHOWN`, with refs N1, N2, …
    """
    text = "\n".join(f"{message.name}\n{message.text}" for message in messages)
    names = NameIndex()
    for node in nodes:
        for name in (node.fields.get("name", ""), node.fields.get("title", ""), *node.former_names):
            names.add(name, node.id)
    named = {match.id for match in names.find(text)}
    said = set(terms(text))
    scored = [(_score(node, said, is_named=node.id in named), place, node) for place, node in enumerate(nodes)]
    best = sorted((entry for entry in scored if entry[0] > 0), key=lambda entry: (-entry[0], -entry[1]))
    return tuple(_shown(node, number) for number, (_, _, node) in enumerate(best[:MOST_SHOWN], 1))


def _score(node: Node, said: set[str], *, is_named: bool) -> float:
    words = set(terms(" ".join(node.fields.values())))
    shared = len(words & said) / len(words) if words else 0.0
    return shared + (_NAMED if is_named else 0.0) + (_OPEN if node.type in _OPEN_TYPES else 0.0)


def _shown(node: Node, number: int) -> KnownNode:
    columns = STORY_TYPES[node.type].columns if node.type in STORY_TYPES else tuple(node.fields)
    said = "; ".join(f"{column}: {node.fields[column]}" for column in columns if node.fields.get(column))
    return KnownNode(f"N{number}", node.id, node.type, node.name, said[:_SHOWN_LENGTH])

"""Which memories an extractor is shown, so that it goes on with them instead of making them anew."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from st_bme.graph.memory_graph import MemoryGraph
from st_bme.model.message import Message
from st_bme.model.node import Node
from st_bme.model.recall import Query
from st_bme.model.schema import columns_of
from st_bme.ports import KnownNode
from st_bme.read.index import RecallIndex, first_floors
from st_bme.read.options import RecallOptions
from st_bme.read.recall import rank
from st_bme.scoring.diffusion import DiffusionOptions

MOST_SHOWN = 12
_LONGEST_QUERY = 1_200
_SHOWN_LENGTH = 200
_NEWEST = 3
_OPEN_TYPES = ("thread", "rule")
# Limits of the original ST-BME for what it shows an extractor.
_OPTIONS = {
    language: RecallOptions(language=language, top_k=MOST_SHOWN, diffusion=DiffusionOptions(top_k=48), passage_tokens=0)
    for language in ("en", "zh")
}


@dataclass(frozen=True, slots=True)
class Seen:
    """The graph with the floors of its view, and the messages that are read: the run, and what stands before it."""

    graph: MemoryGraph
    floors: Sequence[int]
    run: Sequence[Message]
    context: Sequence[Message]
    language: str


class KnownMemories:
    """Finds what to show with the ranking of recall. It keeps its index: a run costs what changed since the last."""

    def __init__(self) -> None:
        self._index = RecallIndex()

    def find(self, seen: Seen) -> tuple[KnownNode, ...]:
        """Those named in the messages, those that recall would find for them, the newest, then threads and rules.

        Returns: at most `MOST_SHOWN`, with refs N1, N2, …
        """
        graph = seen.graph
        self._index.update(graph.nodes, graph.edges, first_floors(graph.view, seen.floors))
        found = list(dict.fromkeys(node.id for node in self._in_order(seen)))
        return tuple(_shown(graph.nodes[each], number) for number, each in enumerate(found[:MOST_SHOWN], 1))

    def _in_order(self, seen: Seen) -> Iterator[Node]:
        text = "\n".join(f"{message.name}\n{message.text}" for message in [*seen.context, *seen.run])
        for match in self._index.names.find(text):
            yield seen.graph.nodes[match.id]
        ranking = rank(self._index, _query(seen), _OPTIONS["zh" if seen.language == "zh" else "en"])
        for choice in ranking.chosen if ranking else ():
            yield self._index.nodes[choice.row]
        newest = [self._index.nodes[row] for row in reversed([*self._index.awake.values()])]
        yield from newest[:_NEWEST]
        yield from (node for node in newest if node.type in _OPEN_TYPES)


def _query(seen: Seen) -> Query:
    """What the run is about; of a long one its end, where it has got to."""
    return Query(
        text="\n".join(message.text for message in seen.run)[-_LONGEST_QUERY:],
        previous_assistant=_last_of(seen.context, "assistant"),
        previous_user=_last_of(seen.context, "user"),
    )


def _last_of(messages: Sequence[Message], role: str) -> str:
    return next((message.text for message in reversed(messages) if message.role == role), "")


def _shown(node: Node, number: int) -> KnownNode:
    columns = columns_of(node.type, node.fields)
    said = "; ".join(f"{column}: {node.fields[column]}" for column in columns if node.fields.get(column))
    return KnownNode(f"N{number}", node.id, node.type, node.name, said[:_SHOWN_LENGTH])

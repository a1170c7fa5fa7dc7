"""Which memories say nearly the same: by their words, and by meaning where both have a vector."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import takewhile

import numpy as np
import numpy.typing as npt

from st_bme.graph.memory_graph import MemoryGraph
from st_bme.model.node import Node
from st_bme.read.index import embedded_text
from st_bme.scoring.terms import terms

VectorOf = Callable[[str], npt.NDArray[np.float32] | None]


class Likeness:
    """Compares the active memories of one graph.

    `vector_of` gives the unit vector of a text, None where it has none yet.
    """

    def __init__(self, graph: MemoryGraph, vector_of: VectorOf) -> None:
        self._nodes = list(graph.active_nodes())
        self._vector_of = vector_of
        self._counts = {node.id: Counter(terms(embedded_text(node))) for node in self._nodes}
        spread = Counter(term for counts in self._counts.values() for term in counts)
        self._idf = {term: math.log1p(len(self._nodes) / count) for term, count in spread.items()}
        self._norms = {identity: self._norm(counts) for identity, counts in self._counts.items()}

    def nearest(self, node: Node, *, count: int) -> list[tuple[Node, float]]:
        """The memories told before this one that could be the same, most alike first; what shares nothing is left out.

        Told before, so that two memories are compared once, and the later goes into the earlier.
        """
        earlier = takewhile(lambda other: other.id != node.id, self._nodes)
        found = [(other, self.between(node, other)) for other in earlier if _could_be_one(node, other)]
        ranked = sorted((pair for pair in found if pair[1] > 0), key=lambda pair: (-pair[1], pair[0].id))
        return ranked[:count]

    def between(self, one: Node, other: Node) -> float:
        """0 to 1: the cosine of the weighted words, or of the vectors if that is higher."""
        return max(self._by_words(one.id, other.id), self._by_meaning(one, other))

    def _by_words(self, one: str, other: str) -> float:
        first, second = self._counts[one], self._counts[other]
        shared = sum(first[term] * second[term] * self._idf[term] ** 2 for term in first.keys() & second.keys())
        return shared / (self._norms[one] * self._norms[other]) if shared else 0.0

    def _by_meaning(self, one: Node, other: Node) -> float:
        first, second = self._vector_of(embedded_text(one)), self._vector_of(embedded_text(other))
        return float(first @ second) if first is not None and second is not None else 0.0

    def _norm(self, counts: Counter[str]) -> float:
        return math.sqrt(sum((count * self._idf[term]) ** 2 for term, count in counts.items()))


def _could_be_one(node: Node, other: Node) -> bool:
    """Of one type, one owner or region, and not told of different times of the story."""
    if node.type != other.type or node.scope.identity != other.scope.identity:
        return False
    if node.story_time is None or other.story_time is None:
        return True
    segments = [{time.segment_id, time.last_segment_id} - {""} for time in (node.story_time, other.story_time)]
    return not all(segments) or not segments[0].isdisjoint(segments[1])


def most_alike(pairs: Sequence[tuple[Node, float]]) -> float:
    """The highest likeness of some, 0 for none."""
    return pairs[0][1] if pairs else 0.0

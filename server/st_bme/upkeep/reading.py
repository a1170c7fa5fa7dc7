"""What an upkeep task reads, and the record that its decision becomes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from st_bme.graph.fold_state import node_digest
from st_bme.graph.memory_graph import MemoryGraph
from st_bme.graph.records import Stamp, Upkeep
from st_bme.graph.schedule import anchor_of
from st_bme.model.node import Node
from st_bme.model.operation import Operation


@dataclass(frozen=True, slots=True)
class Reading:
    """What a task condenses, rewrites or judges: nodes, or for summaries of messages the keys of a run.

    What is shown to a model for orientation only is not in it. A reading without nodes and run decides nothing.
    """

    task: str
    nodes: tuple[Node, ...] = ()
    run: tuple[str, ...] = ()

    @property
    def memo_key(self) -> str:
        """The memo key of a record of it."""
        return Upkeep(Stamp(0), self.task, self._reads, (), (), self.run).memo_key

    @property
    def _reads(self) -> dict[str, str]:
        return {node.id: node_digest(node) for node in self.nodes}

    def decide(self, graph: MemoryGraph, stamp: Stamp, operations: Sequence[Operation]) -> Upkeep:
        """The record of what came of it; without operations it says that there was nothing to do.

        `graph` is the one that was read: what was said since comes after the record.
        """
        covered = [place for place, owner in enumerate(graph.coverage.owners) if owner and not graph.pending[place]]
        anchor = anchor_of(graph.view[: covered[-1] + 1] if covered else ())
        return Upkeep(stamp, self.task, self._reads, anchor, tuple(operations), self.run)

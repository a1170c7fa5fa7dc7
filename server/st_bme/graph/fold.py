"""The fold: records and a view become a graph. Pure; nothing else goes in."""

from __future__ import annotations

from collections.abc import Sequence

from st_bme.graph.fold_state import FoldState
from st_bme.graph.ledgers import Ledgers
from st_bme.graph.memory_graph import MemoryGraph
from st_bme.graph.records import Mark, Origin, RecordSet
from st_bme.graph.schedule import Place, Schedule, plan_fold
from st_bme.graph.take import take_place
from st_bme.model.schema import SUMMARY

CHECKPOINT_EVERY = 16


def fold(view: Sequence[str], records: RecordSet) -> MemoryGraph:
    """The graph of these records over this view."""
    return Folder().fold(view, records)


class Folder:
    """Folds again and again as a chat grows, each time from the last checkpoint before the first changed place.

    Checkpoints lie ever farther apart towards the beginning. The result never depends on them.
    """

    def __init__(self) -> None:
        self._places: tuple[Place, ...] = ()
        self._checkpoints: dict[int, FoldState] = {}

    def copy(self) -> Folder:
        """One that goes on from the same checkpoints."""
        twin = Folder()
        twin._places, twin._checkpoints = self._places, dict(self._checkpoints)
        return twin

    def fold(self, view: Sequence[str], records: RecordSet) -> MemoryGraph:
        schedule = plan_fold(view, records)
        same = _common_prefix(self._places, schedule.places)
        self._checkpoints = {place: state for place, state in self._checkpoints.items() if place <= same}
        start = max(self._checkpoints, default=0)
        state = self._checkpoints[start].copy() if start else FoldState()
        self._walk(state, schedule, records, start)
        self._places = schedule.places
        return _result(view, state, schedule, records)

    def _walk(self, state: FoldState, schedule: Schedule, records: RecordSet, start: int) -> None:
        end = len(schedule.places)
        self._checkpoints = {place: kept for place, kept in self._checkpoints.items() if _is_checkpoint(place, end)}
        for position in range(start, end):
            if position not in self._checkpoints and _is_checkpoint(position, end):
                self._checkpoints[position] = state.copy()
            take_place(state, schedule.places[position], records)


def _is_checkpoint(place: int, end: int) -> bool:
    """Multiples of 16 near the end, of 32 farther off, then of 64, and so on: a change refolds few messages more
    than lie behind it, and what was near the end and no longer is leaves every other checkpoint in its place.
    """
    lowest_bit = place & -place
    return lowest_bit >= CHECKPOINT_EVERY and end - place <= 2 * lowest_bit


def _common_prefix(first: Sequence[Place], second: Sequence[Place]) -> int:
    for position, (one, other) in enumerate(zip(first, second, strict=False)):
        if one != other:
            return position
    return min(len(first), len(second))


def _result(view: Sequence[str], state: FoldState, schedule: Schedule, records: RecordSet) -> MemoryGraph:
    owning = {owner.answer_id for owner in schedule.coverage.owners if owner and owner.answer_id}
    live = frozenset(owning | set(state.live))
    asleep = (identity for _, identity, record in records.in_order() if not isinstance(record, Mark | Origin))
    return MemoryGraph(
        view=tuple(view),
        nodes={identity: node for identity, node in state.nodes.items() if node.type != SUMMARY},
        summaries={identity: node for identity, node in state.nodes.items() if node.type == SUMMARY},
        edges=dict(state.edges),
        coverage=schedule.coverage,
        live=live,
        dormant=frozenset(asleep) - live,
        withheld=frozenset(state.withheld),
        condensed=schedule.condensed,
        drops=(*state.drops, *(drop for drops in state.waiting.values() for drop in drops)),
        ledgers=_ledgers(state),
    )


def _ledgers(state: FoldState) -> Ledgers:
    """A base may know something of a node that does not show."""
    known = {key: said for key, said in state.knowledge.items() if said.node_id in state.nodes}
    return Ledgers(dict(state.segments), known, dict(state.regions), dict(state.variables))

"""The fold: records and a view become a graph. Pure; nothing else goes in."""

from __future__ import annotations

from collections.abc import Sequence

from st_bme.graph.base import WITHOUT_MESSAGE, take_base
from st_bme.graph.fold_state import FoldState, node_digest
from st_bme.graph.memory_graph import MemoryGraph
from st_bme.graph.operations import apply_operations
from st_bme.graph.records import Answer, Base, Mark, Record, RecordSet, Upkeep, UserEdit
from st_bme.graph.records import Origin as RecordOrigin
from st_bme.graph.schedule import Place, Schedule, Step, plan_fold
from st_bme.graph.targets import Origin, find_target

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
            key, steps = schedule.places[position]
            for step in steps:
                record = records.get(step.record_id)
                if record is not None:
                    _take(state, step, record, schedule, (key, position))


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


def _take(state: FoldState, step: Step, record: Record, schedule: Schedule, place: tuple[str, int]) -> None:
    key, position = place
    match record:
        case Answer():
            index = step.cite if step.kind == "cited" else None
            cited = [entry for entry in enumerate(record.operations) if entry[1].cite == index]
            apply_operations(state, Origin(step.record_id, "model", (key,), related=record.related), cited)
        case UserEdit():
            origin = Origin(step.record_id, "user", (), memo=step.record_id)
            apply_operations(state, origin, list(enumerate(record.operations)))
            state.live.append(step.record_id)
        case Upkeep():
            _take_upkeep(state, step.record_id, record, schedule.places[: position + 1])
        case Base():
            take_base(state, step.record_id, record, key if step.kind == "base" else WITHOUT_MESSAGE)
        case _:
            pass


def _take_upkeep(state: FoldState, identity: str, record: Upkeep, before: Sequence[Place]) -> None:
    """Apply an upkeep record if all that it read still stands here; otherwise all of it sleeps."""
    if not _reads_stand(state, record, before) or _touches_the_users(state, identity, record):
        state.dormant.append(identity)
        return
    read = [key for node_id in sorted(record.reads) for key in state.nodes[node_id].sources]
    sources = tuple(dict.fromkeys([*read, *record.run]))
    origin = Origin(identity, "upkeep", sources, memo=record.memo_key)
    apply_operations(state, origin, list(enumerate(record.operations)))
    state.live.append(identity)


def _reads_stand(state: FoldState, record: Upkeep, before: Sequence[Place]) -> bool:
    nodes = state.nodes
    if any(node_id not in nodes or node_digest(nodes[node_id]) != said for node_id, said in record.reads.items()):
        return False
    size = len(record.run)
    return size == 0 or any(
        tuple(key for key, _ in before[end - size : end]) == record.run
        for end in range(len(before), size - 1, -1)
        if before[end - 1][0] == record.run[-1]
    )


def _touches_the_users(state: FoldState, identity: str, record: Upkeep) -> bool:
    """Upkeep leaves alone what the user pinned, locked or edited."""
    for operation in record.operations:
        if operation.action in ("link", "unlink"):
            continue
        for target in (operation.target, operation.to if operation.action == "merge" else None):
            node = state.nodes.get(find_target(state, identity, target)) if target else None
            if node is not None and (node.pinned or node.locked or node.user_edited):
                return True
    return False


def _result(view: Sequence[str], state: FoldState, schedule: Schedule, records: RecordSet) -> MemoryGraph:
    owning = {owner.answer_id for owner in schedule.coverage.owners if owner and owner.answer_id}
    live = frozenset(owning | set(state.live))
    asleep = (identity for _, identity, record in records.in_order() if not isinstance(record, Mark | RecordOrigin))
    return MemoryGraph(
        view=tuple(view),
        nodes=dict(state.nodes),
        edges=dict(state.edges),
        coverage=schedule.coverage,
        live=live,
        dormant=frozenset(asleep) - live,
        drops=tuple(state.drops),
    )

"""What happens at one place of the fold: records take effect, or wait for what they need.

docs/storage.md, rules 19 and 24 to 26.
"""

from __future__ import annotations

from collections.abc import Sequence

from st_bme.graph.base import take_base
from st_bme.graph.by_message import WITHOUT_MESSAGE
from st_bme.graph.fold_state import FoldState, node_digest
from st_bme.graph.operation_versions import apply_version
from st_bme.graph.records import Answer, Base, RecordSet, Upkeep, UserEdit
from st_bme.graph.schedule import Place, Step
from st_bme.graph.targets import TARGET_MISSING, Origin, find_target


def take_place(state: FoldState, place: Place, records: RecordSet) -> None:
    """Take the steps of one message, then what waited for what they brought."""
    key, steps = place
    known = _known_by_name(state)
    for step in steps:
        _take(state, step, key, records)
    while True:
        if state.waiting and known != _known_by_name(state):
            state.roused.extend(state.waiting)
            known = _known_by_name(state)
        if not state.roused:
            return
        _take_roused(state, records)


def _known_by_name(state: FoldState) -> tuple[int, int]:
    """Grows with each node and each name, which is all that a user record can wait for."""
    return len(state.nodes), len(state.names)


def _take(state: FoldState, step: Step, key: str, records: RecordSet) -> None:
    match records.get(step.record_id):
        case Answer() as answer:
            index = step.cite if step.kind == "cited" else None
            cited = [entry for entry in enumerate(answer.operations) if entry[1].cite == index]
            if cited:
                origin = Origin(step.record_id, "model", (key,), related=answer.related)
                apply_version(answer.stamp.version, state, origin, cited)
        case UserEdit() as edit:
            state.live.append(step.record_id)
            _take_edit(state, step.record_id, edit, range(len(edit.operations)))
        case Upkeep() as upkeep if step.kind == "undone":
            if _unlike_read(state, upkeep) == "":
                state.withheld.append(step.record_id)
        case Upkeep() as upkeep:
            _take_upkeep(state, step.record_id, upkeep)
        case Base() as base:
            take_base(state, step.record_id, base, key if step.kind == "base" else WITHOUT_MESSAGE)
        case _:
            pass


def _take_roused(state: FoldState, records: RecordSet) -> None:
    """Try once more what waited, in the order of records."""
    roused, state.roused = set(state.roused), []
    found = ((record.stamp.n, identity, record) for identity in roused if (record := records.get(identity)))
    for _, identity, record in sorted(found, key=lambda entry: entry[:2]):
        if isinstance(record, UserEdit):
            _take_edit(state, identity, record, [drop.index for drop in state.waiting.pop(identity)])
        elif isinstance(record, Upkeep):
            _take_upkeep(state, identity, record)


def _take_edit(state: FoldState, identity: str, record: UserEdit, indexes: Sequence[int]) -> None:
    """Do what the user did; what finds no target waits for it."""
    so_far = len(state.drops)
    operations = [(index, record.operations[index]) for index in indexes]
    apply_version(record.stamp.version, state, Origin(identity, "user", (), memo=identity), operations)
    dropped = state.drops[so_far:]
    waiting = tuple(drop for drop in dropped if drop.refusal.code == TARGET_MISSING)
    if waiting:
        state.waiting[identity] = waiting
        state.drops[so_far:] = [drop for drop in dropped if drop.refusal.code != TARGET_MISSING]


def _take_upkeep(state: FoldState, identity: str, record: Upkeep) -> None:
    """Apply an upkeep record if all that it read stands; otherwise all of it sleeps until that does."""
    unlike = _unlike_read(state, record)
    if unlike:
        state.asleep[unlike] = (*state.asleep.get(unlike, ()), identity)
        return
    if _touches_the_users(state, identity, record):
        state.withheld.append(identity)
        return
    read = [key for node_id in sorted(record.reads) for key in state.nodes[node_id].rests_on]
    sources = tuple(dict.fromkeys([*read, *record.run]))
    origin = Origin(identity, "upkeep", sources, memo=record.memo_key)
    apply_version(record.stamp.version, state, origin, list(enumerate(record.operations)))
    state.live.append(identity)


def _unlike_read(state: FoldState, record: Upkeep) -> str:
    """A node that is not as the record read it, "" where all are. That its run stands is seen to by the schedule."""
    for node_id, said in record.reads.items():
        node = state.nodes.get(node_id)
        if node is None or node_digest(node) != said:
            return node_id
    return ""


def _touches_the_users(state: FoldState, identity: str, record: Upkeep) -> bool:
    """Upkeep leaves alone what the user pinned, locked or edited."""
    for operation in record.operations:
        if operation.action in ("link", "unlink", "know"):
            continue
        for target in (operation.target, operation.to if operation.action == "merge" else None):
            node = state.nodes.get(find_target(state, identity, target)) if target else None
            if node is not None and (node.pinned or node.locked or node.user_edited):
                return True
    return False

"""Steps that turn one state into another, so that a turn sends what changed and not the whole.

A step is ["set", path, value], ["delete", path] or ["splice", path, start, delete count, items].
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from st_bme.graph.json_reader import Json, JsonObject

Step: TypeAlias = "list[Json]"


def diff_states(old: JsonObject, new: JsonObject) -> list[Step]:
    """The steps from `old` to `new`: lists and long texts by splices, everything else whole."""
    steps: list[Step] = [["delete", [key]] for key in old if key not in new]
    for key, value in new.items():
        before = old.get(key)
        if before == value and key in old:
            continue
        if isinstance(before, list) and isinstance(value, list):
            steps.extend(_splice_lists([key], before, value))
        elif key == "known" and isinstance(before, str) and isinstance(value, str):
            steps.append(_splice_texts([key], before, value))
        else:
            steps.append(["set", [key], value])
    return steps


def _identity(item: Json) -> Json:
    """What tells an item from its neighbours: the id of a node, the ends of an edge, else the whole item."""
    if isinstance(item, dict):
        if "id" in item:
            return item["id"]
        if "fromId" in item:
            return [item["fromId"], item.get("toId"), item.get("relation"), item.get("source")]
    return item


def _common_start(old: Sequence[Json], new: Sequence[Json]) -> int:
    length = 0
    for one, other in zip(old, new, strict=False):
        if one != other:
            break
        length += 1
    return length


def _splice_lists(path: list[Json], old: Sequence[Json], new: Sequence[Json]) -> list[Step]:
    """Walk what differs of both lists: what stays in order is kept, a changed item replaced, the rest deleted or
    inserted.
    """
    start = _common_start(old, new)
    end = _common_start(old[start:][::-1], new[start:][::-1])
    old, new = old[start : len(old) - end], new[start : len(new) - end]
    steps: list[Step] = []
    old_ids, new_ids = [repr(_identity(item)) for item in old], [repr(_identity(item)) for item in new]
    still_old = _counts(old_ids)
    still_new = _counts(new_ids)
    source = target = 0
    while source < len(old) or target < len(new):
        if source < len(old) and target < len(new) and old_ids[source] == new_ids[target]:
            if old[source] != new[target]:
                _add(steps, path, start + target, 1, new[target])
            still_old[old_ids[source]] -= 1
            still_new[new_ids[target]] -= 1
            source, target = source + 1, target + 1
        elif source < len(old) and (target == len(new) or still_old.get(new_ids[target], 0) > 0):
            still_old[old_ids[source]] -= 1
            steps.append(["splice", path, start + target, 1, []])
            source += 1
        else:
            _add(steps, path, start + target, 0, new[target])
            still_new[new_ids[target]] -= 1
            target += 1
    return _merged(steps)


def _counts(ids: Sequence[str]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for identity in ids:
        counts[identity] = counts.get(identity, 0) + 1
    return counts


def _add(steps: list[Step], path: list[Json], start: int, delete: int, item: Json) -> None:
    steps.append(["splice", path, start, delete, [item]])


def _merged(steps: Sequence[Step]) -> list[Step]:
    """Neighbouring splices as one: deletions at one place, insertions or replacements in a row."""
    merged: list[Step] = []
    for step in steps:
        if merged and _continues(merged[-1], step):
            last = merged[-1]
            merged[-1] = ["splice", step[1], last[2], _int(last[3]) + _int(step[3]), [*_list(last[4]), *_list(step[4])]]
        else:
            merged.append(step)
    return merged


def _continues(last: Step, step: Step) -> bool:
    return _int(step[2]) == _int(last[2]) + len(_list(last[4]))


def _int(value: Json) -> int:
    assert isinstance(value, int)
    return value


def _list(value: Json) -> list[Json]:
    assert isinstance(value, list)
    return value


def _splice_texts(path: list[Json], old: str, new: str) -> Step:
    start = _common_start(old, new)
    end = _common_start(old[start:][::-1], new[start:][::-1])
    return ["splice", path, start, len(old) - start - end, new[start : len(new) - end]]


def apply_steps(state: JsonObject, steps: Sequence[Step]) -> JsonObject:
    """The state after the steps; the mirror of what the page does, for tests and the command line."""
    result = dict(state)
    for step in steps:
        _STEPS[str(step[0])](result, step)
    return result


def _key(step: Step) -> str:
    return str(_list(step[1])[0])


def _set(state: JsonObject, step: Step) -> None:
    value = step[2]
    if step[1]:
        state[_key(step)] = value
    elif isinstance(value, dict):
        state.clear()
        state |= value


def _delete(state: JsonObject, step: Step) -> None:
    state.pop(_key(step), None)


def _splice(state: JsonObject, step: Step) -> None:
    start, count, items, value = _int(step[2]), _int(step[3]), step[4], state[_key(step)]
    if isinstance(value, str) and isinstance(items, str):
        state[_key(step)] = value[:start] + items + value[start + count :]
    elif isinstance(value, list) and isinstance(items, list):
        state[_key(step)] = [*value[:start], *items, *value[start + count :]]


_STEPS: dict[str, Callable[[JsonObject, Step], None]] = {"set": _set, "delete": _delete, "splice": _splice}

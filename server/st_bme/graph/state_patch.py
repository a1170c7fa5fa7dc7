"""Steps that turn one state into another, so that a turn sends what changed and not the whole.

A step is ["set", path, value], ["delete", path] or ["splice", path, start, delete count, items].
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import orjson

from st_bme.graph.json_reader import Json, JsonObject

Step: TypeAlias = "list[Json]"


def diff_states(old: JsonObject, new: JsonObject) -> list[Step]:
    """The steps from `old` to `new`: lists and long texts by splices, an object by what changed in it where that is
    shorter than the object, everything else whole.
    """
    return _diff_objects([], old, new)


def _diff_objects(path: list[Json], old: JsonObject, new: JsonObject) -> list[Step]:
    steps: list[Step] = [["delete", [*path, key]] for key in old if key not in new]
    for key, value in new.items():
        before, place = old.get(key), [*path, key]
        if before == value and key in old:
            continue
        if isinstance(before, list) and isinstance(value, list):
            steps.extend(_splice_lists(place, before, value))
        elif isinstance(before, dict) and isinstance(value, dict):
            steps.extend(_shorter(_diff_objects(place, before, value), [["set", place, value]]))
        elif place == ["known"] and isinstance(before, str) and isinstance(value, str):
            steps.append(_splice_texts(place, before, value))
        else:
            steps.append(["set", place, value])
    return steps


def _change_item(path: list[Json], place: int, old: Json, new: Json) -> list[Step]:
    """Steps from one item of a list to the next: the whole item, unless naming what changed in it is shorter."""
    whole: list[Step] = [["splice", path, place, 1, [new]]]
    if not (isinstance(old, dict) and isinstance(new, dict)):
        return whole
    return _shorter(_diff_objects([*path, place], old, new), whole)


def _shorter(parts: list[Step], whole: list[Step]) -> list[Step]:
    return parts if len(orjson.dumps(parts)) < len(orjson.dumps(whole)) else whole


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
                steps.extend(_change_item(path, start + target, old[source], new[target]))
            still_old[old_ids[source]] -= 1
            still_new[new_ids[target]] -= 1
            source, target = source + 1, target + 1
        elif source < len(old) and (target == len(new) or still_old.get(new_ids[target], 0) > 0):
            still_old[old_ids[source]] -= 1
            steps.append(["splice", path, start + target, 1, []])
            source += 1
        else:
            steps.append(["splice", path, start + target, 0, [new[target]]])
            still_new[new_ids[target]] -= 1
            target += 1
    return _merged(steps)


def _counts(ids: Sequence[str]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for identity in ids:
        counts[identity] = counts.get(identity, 0) + 1
    return counts


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
    return (
        last[0] == step[0] == "splice" and last[1] == step[1] and _int(step[2]) == _int(last[2]) + len(_list(last[4]))
    )


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
    root: JsonObject = {"": state}
    for step in steps:
        path = ["", *_list(step[1])]
        parent: Json = root
        for part in path[:-1]:
            parent = _own_child(parent, part)
        _STEPS[str(step[0])](parent, path[-1], step)
    result = root[""]
    assert isinstance(result, dict)
    return result


def _own_child(parent: Json, part: Json) -> Json:
    """The container at a part of the path, as a copy of its own."""
    child = _get(parent, part)
    copy: Json = dict(child) if isinstance(child, dict) else list(_list(child))
    _put(parent, part, copy)
    return copy


def _get(parent: Json, part: Json) -> Json:
    return parent[str(part)] if isinstance(parent, dict) else _list(parent)[_int(part)]


def _put(parent: Json, part: Json, value: Json) -> None:
    if isinstance(parent, dict):
        parent[str(part)] = value
    else:
        _list(parent)[_int(part)] = value


def _set(parent: Json, part: Json, step: Step) -> None:
    _put(parent, part, step[2])


def _delete(parent: Json, part: Json, _: Step) -> None:
    if isinstance(parent, dict):
        del parent[str(part)]
    else:
        del _list(parent)[_int(part)]


def _splice(parent: Json, part: Json, step: Step) -> None:
    start, count, items, value = _int(step[2]), _int(step[3]), step[4], _get(parent, part)
    if isinstance(value, str) and isinstance(items, str):
        _put(parent, part, value[:start] + items + value[start + count :])
    elif isinstance(value, list) and isinstance(items, list):
        _put(parent, part, [*value[:start], *items, *value[start + count :]])


_STEPS: dict[str, Callable[[Json, Json, Step], None]] = {"set": _set, "delete": _delete, "splice": _splice}

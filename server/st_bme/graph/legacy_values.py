"""Values of a state of the original ST-BME, which wrote whatever a model gave it: numbers as texts, lists as fields.

Each function gives what the value can be read as, else the default. `Mended` counts what had to be put right.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Mapping
from typing import TypeAlias, TypeVar, cast, get_args

from st_bme.graph.json_reader import Json, JsonObject
from st_bme.model.scope import OBJECTIVE, OwnerType, Scope
from st_bme.model.story_time import Confidence, StoryTime, Tense, TimeRelation

Mended: TypeAlias = "Counter[str]"
_Word = TypeVar("_Word", bound=str)


def number(value: Json) -> float | None:
    """A finite number, also one that is written as a text; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None
    try:
        found = float(value)
    except (ValueError, OverflowError):
        return None
    return found if math.isfinite(found) else None


def number_between(value: Json, default: float, limits: tuple[float, float], mended: Mended) -> float:
    found = number(value)
    if found is None or isinstance(value, str):
        mended["numbers"] += value is not None
    low, high = limits
    return default if found is None else min(max(found, low), high)


def floor(value: Json) -> int | None:
    """A floor, None where there is none."""
    found = number(value)
    return int(found) if found is not None and 0 <= found <= 2**53 else None


def text(value: Json) -> str:
    """Anything as a text: a list by its items, an object as JSON. Half characters become U+FFFD."""
    match value:
        case None:
            said = ""
        case bool() | dict():
            said = json.dumps(value, ensure_ascii=False)
        case float() if value.is_integer():
            said = str(int(value))
        case list():
            said = ", ".join(part for part in map(text, value) if part)
        case _:
            said = str(value)
    return said.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def texts(value: Json) -> tuple[str, ...]:
    """The texts of a list, each once; a single text counts as a list of one."""
    items = value if isinstance(value, list) else [value]
    return tuple(dict.fromkeys(said for said in (text(item).strip() for item in items) if said))


def entries(value: Json) -> JsonObject:
    """An object, or an empty one."""
    return value if isinstance(value, dict) else {}


def items(value: Json) -> list[Json]:
    return value if isinstance(value, list) else []


def fields(value: Json) -> Mapping[str, str]:
    """The columns that say something."""
    said = {text(name): text(item) for name, item in entries(value).items()}
    return {name: item for name, item in said.items() if item}


def scope(value: Json, node_type: str = "") -> Scope:
    """A point of view whose owner nobody knows stays a point of view: it must not become what everyone knows."""
    said = entries(value)
    regions = (
        text(said.get("regionPrimary")).strip(),
        texts(said.get("regionPath")),
        texts(said.get("regionSecondary")),
    )
    if said.get("layer") != "pov" and node_type != "pov_memory":
        return Scope("objective", "", "", "", *regions) if any(regions) else OBJECTIVE
    owner_type = cast(OwnerType, _word(said.get("ownerType"), get_args(OwnerType), ""))
    name = text(said.get("ownerName")).strip()
    owner = text(said.get("ownerId")).strip() or name
    return (
        Scope("pov", owner_type, owner, name or owner, *regions) if owner_type else Scope("pov", "", "", "", *regions)
    )


def story_time(point: Json, span: Json) -> StoryTime | None:
    """The point, else the span."""
    said, between = entries(point), entries(span)
    label = text(said.get("label")).strip()
    if not label:
        start, end = text(between.get("startLabel")).strip(), text(between.get("endLabel")).strip()
        label = start or end
        return StoryTime(label, end_label=end if end != label else "") if label else None
    return StoryTime(
        label,
        tense=_word(said.get("tense"), get_args(Tense), "unknown"),
        relation=time_relation(said.get("relation")),
        anchor_label=text(said.get("anchorLabel")).strip(),
        confidence=_word(said.get("confidence"), get_args(Confidence), "medium"),
    )


def time_relation(value: Json) -> TimeRelation:
    return _word(value, get_args(TimeRelation), "unknown")


def _word(value: Json, allowed: tuple[_Word, ...], default: _Word) -> _Word:
    return next((word for word in allowed if word == value), default)

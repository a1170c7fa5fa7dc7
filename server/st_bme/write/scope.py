"""Whose memory an answer says it is, and where."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Literal

from st_bme.model.scope import OBJECTIVE, Scope

_SEPARATOR = re.compile(r"[,，/\\、；;|\n>＞→]")
_NAME_KEYS = ("name", "title", "label", "value", "text")


def parse_scope(value: object) -> Scope:
    """The scope that a JSON value describes; what is no object is the objective scope.

    Only a point of view has an owner, known by id, else by name. A region of several words is a path, from the
    widest to the place itself. Names that differ in case only are one.
    """
    if not isinstance(value, Mapping):
        return OBJECTIVE
    primary = list(_each_once(_regions(value.get("regionPrimary"))))
    path = list(_each_once(_regions(value.get("regionPath"))))
    if len(primary) > 1 and not path:
        path = primary
    region = primary[-1] if primary else path[-1] if path else ""
    if path and region:
        path = list(_each_once((*path, region)))
    taken = {region.casefold(), *(part.casefold() for part in path)}
    secondary = [part for part in _each_once(_regions(value.get("regionSecondary"))) if part.casefold() not in taken]
    owner_type, owner_id, owner_name = _owner(value)
    return Scope(
        layer="pov" if _text(value.get("layer")) == "pov" else "objective",
        owner_type=owner_type,
        owner_id=owner_id,
        owner_name=owner_name,
        region_primary=region,
        region_path=tuple(path),
        region_secondary=tuple(secondary),
    )


def owned(scope: Scope, user_name: str) -> Scope:
    """The point of view with its right owner: who goes by the user's name is the user, whatever the answer says."""
    if user_name and folded_name(scope.owner_name) == folded_name(user_name):
        return replace(scope, owner_type="user")
    return scope


def folded_name(name: str) -> str:
    """Names that differ in case, width and punctuation only are one."""
    folded = unicodedata.normalize("NFKC", name).casefold()
    return "".join(character for character in folded if character.isalnum())


def _owner(value: Mapping[object, object]) -> tuple[Literal["", "character", "user"], str, str]:
    if _text(value.get("layer")) != "pov":
        return "", "", ""
    owner_name = _text(value.get("ownerName"))
    owner_id = _text(value.get("ownerId")) or owner_name
    match _text(value.get("ownerType")):
        case "character":
            return "character", owner_id, owner_name
        case "user":
            return "user", owner_id, owner_name
    return "", "", ""


def _regions(value: object) -> Iterator[str]:
    if isinstance(value, Mapping):
        yield from _regions(next((value[key] for key in _NAME_KEYS if value.get(key) is not None), None))
    elif isinstance(value, list):
        for item in value:
            yield from _regions(item)
    else:
        yield from (part.strip() for part in _SEPARATOR.split(_text(value)) if part.strip())


def _text(value: object) -> str:
    if isinstance(value, str):
        return value.strip()
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return str(value) if is_number else ""


def _each_once(names: Iterable[str]) -> Iterator[str]:
    seen: set[str] = set()
    for name in names:
        if name.casefold() not in seen:
            seen.add(name.casefold())
            yield name

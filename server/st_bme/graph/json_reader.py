"""Reading stored JSON strictly: whatever does not have the promised form is named, never guessed."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TypeAlias

import orjson

from st_bme.errors import CorruptState

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"
JsonObject: TypeAlias = "dict[str, Json]"

LARGEST = 2**53
"""Of a number with decimals: one beyond is no weight of anything, and as a whole number it would not fit into JSON."""


def parse_json(text: str | bytes, where: str) -> Json:
    """The value that a JSON text says.

    Raises CorruptState where it is none, or one that could not be written again: so deep that no code follows it.
    """
    try:
        value: Json = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise CorruptState(f"{where} cannot be read: {error}") from None
    json_bytes(value, where)
    return value


def json_bytes(value: Json, where: str) -> bytes:
    """The value as JSON. Raises CorruptState where it is nested too deep, or has half a surrogate pair."""
    try:
        return orjson.dumps(value)
    except orjson.JSONEncodeError as error:
        raise CorruptState(f"{where} cannot be written as JSON: {error}") from None


class JsonReader:
    """A JSON object read key by key; `where` names it in errors.

    Raises CorruptState with the place, the key and the wanted type.
    """

    def __init__(self, value: Json, where: str) -> None:
        if not isinstance(value, dict):
            raise CorruptState(f"{where} is no JSON object")
        self._value = value
        self.where = where

    def has(self, key: str) -> bool:
        return key in self._value

    def names(self) -> Collection[str]:
        return self._value.keys()

    def is_list(self, key: str) -> bool:
        return isinstance(self._value.get(key), list)

    def value(self, key: str, default: Json) -> Json:
        """What is there, in whatever form."""
        return self._value.get(key, default)

    def _wrong(self, key: str, wanted: str) -> CorruptState:
        return CorruptState(f"{self.where}: {key!r} is not {wanted}")

    def text(self, key: str, default: str | None = "") -> str:
        """A text; without a default (None) it must be there."""
        value = self._value.get(key, default)
        if not isinstance(value, str):
            raise self._wrong(key, "a text")
        return value

    def choice(self, key: str, allowed: Collection[str], default: str | None = None) -> str:
        value = self.text(key, default)
        if value not in allowed:
            raise self._wrong(key, f"one of {', '.join(sorted(allowed))}")
        return value

    def integer(self, key: str, default: int | None = 0) -> int:
        value = self._value.get(key, default)
        if isinstance(value, bool) or not isinstance(value, int):
            raise self._wrong(key, "a whole number")
        return value

    def number(self, key: str) -> float | None:
        value = self._value.get(key)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise self._wrong(key, "a number")
        if abs(value) > LARGEST:
            raise self._wrong(key, f"a number from -{LARGEST} to {LARGEST}")
        return float(value)

    def flag(self, key: str, default: bool = False) -> bool:
        value = self._value.get(key, default)
        if not isinstance(value, bool):
            raise self._wrong(key, "true or false")
        return value

    def texts(self, key: str) -> tuple[str, ...]:
        if key not in self._value:
            return ()
        value = self._value[key]
        if not isinstance(value, list):
            raise self._wrong(key, "a list of texts")
        found = []
        for item in value:
            if not isinstance(item, str):
                raise self._wrong(key, "a list of texts")
            found.append(item)
        return tuple(found)

    def integers(self, key: str) -> tuple[int, ...]:
        if key not in self._value:
            return ()
        value = self._value[key]
        if not isinstance(value, list):
            raise self._wrong(key, "a list of whole numbers")
        found = []
        for item in value:
            if isinstance(item, bool) or not isinstance(item, int):
                raise self._wrong(key, "a list of whole numbers")
            found.append(item)
        return tuple(found)

    def text_map(self, key: str) -> Mapping[str, str]:
        value = self._value.get(key, {})
        if not isinstance(value, dict) or not all(isinstance(item, str) for item in value.values()):
            raise self._wrong(key, "an object of texts")
        return {name: str(item) for name, item in value.items()}

    def items(self, key: str) -> list[Json]:
        value = self._value.get(key, [])
        if not isinstance(value, list):
            raise self._wrong(key, "a list")
        return value

    def objects(self, key: str) -> list[JsonReader]:
        return [JsonReader(item, f"{self.where} {key}[{index}]") for index, item in enumerate(self.items(key))]

    def object(self, key: str) -> JsonReader | None:
        value = self._value.get(key)
        return None if value is None else JsonReader(value, f"{self.where} {key}")

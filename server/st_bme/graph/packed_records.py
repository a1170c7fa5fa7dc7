"""Records as the tail of a state holds them: the messages of an anchor are named by their places in `known`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from st_bme.errors import CorruptState
from st_bme.graph.json_reader import Json, JsonObject


def pack_record(record: JsonObject, places: Mapping[str, int]) -> JsonObject:
    """The record with places for the keys of its anchor, where they are known."""
    anchor = record.get("anchor")
    if not isinstance(anchor, list):
        return record
    return {**record, "anchor": [places.get(str(key), key) for key in anchor]}


def unpack_record(record: Json, keys: Sequence[str], where: str) -> Json:
    """The record as it was packed. Raises CorruptState."""
    anchor = record.get("anchor") if isinstance(record, dict) else None
    if not isinstance(record, dict) or not isinstance(anchor, list):
        return record
    return {**record, "anchor": [_key_at(keys, place, where) for place in anchor]}


def _key_at(keys: Sequence[str], place: Json, where: str) -> Json:
    if type(place) is not int:
        return place
    if not 0 <= place < len(keys):
        raise CorruptState(f"{where}: 'anchor' names message {place}, but {len(keys)} are known")
    return keys[place]

"""States in files, for the tests of the commands that read them."""

from __future__ import annotations

from pathlib import Path

import orjson

from read.stories import keys_of, records_of
from st_bme.graph.fold import fold
from st_bme.graph.json_reader import JsonObject
from st_bme.graph.state import Placement, encode_state


def state_of(*messages: str) -> JsonObject:
    """The state of a chat whose messages say in brackets what is remembered."""
    records = records_of(*messages)
    placement = Placement("lineage", "Harbour", "", 3, records.head, range(len(messages)), "AAAAAAAA", 0)
    return encode_state(fold(keys_of(*messages), records), records, placement)


def write_state(folder: Path, state: object) -> str:
    path = folder / "state.json"
    path.write_bytes(orjson.dumps(state))
    return str(path)


def write_chat(folder: Path, metadata: object) -> str:
    """A chat file of SillyTavern with this metadata."""
    path = folder / "chat.jsonl"
    lines = [{"user_name": "User", "chat_metadata": metadata}, {"mes": "hello", "is_user": True, "name": "User"}]
    path.write_bytes(b"\n".join(map(orjson.dumps, lines)))
    return str(path)

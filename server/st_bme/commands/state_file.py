"""A state in a file: alone, or in the header of a chat file of SillyTavern."""

from __future__ import annotations

from pathlib import Path

import orjson

from st_bme.errors import BadRequest
from st_bme.graph.json_reader import Json
from st_bme.graph.state import DecodedState, decode_state

METADATA_KEY = "st_bme_graph"


def read_state_file(path: Path) -> DecodedState:
    """Our state in a file. Raises: BadRequest: no state is in it. CorruptState, NewerState: it is not one to read."""
    return decode_state(read_state(path))


def read_state(path: Path) -> Json:
    """The state in a file, whoever wrote it. Raises: BadRequest: no state is in it."""
    try:
        content = path.read_bytes().removeprefix(b"\xef\xbb\xbf")
    except OSError as error:
        raise BadRequest(f"cannot read {path}: {error.strerror}") from None
    return _state_in(content, path)


def _state_in(content: bytes, path: Path) -> Json:
    """The whole file, or what the first line of a chat file carries."""
    try:
        value: Json = orjson.loads(content)
    except orjson.JSONDecodeError:
        value = _json(content.partition(b"\n")[0], path)
    match value:
        case {"chat_metadata": {"st_bme_graph": state}}:
            return state
        case {"chat_metadata": _}:
            raise BadRequest(f"{path} is a chat file without memory: its chat_metadata has no {METADATA_KEY}")
        case {"version": _}:
            return value
    raise BadRequest(f"{path} holds neither a state (with 'version') nor a chat with chat_metadata.{METADATA_KEY}")


def _json(line: bytes, path: Path) -> Json:
    try:
        value: Json = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        raise BadRequest(f"{path} holds no valid JSON: {error.msg}") from None
    return value

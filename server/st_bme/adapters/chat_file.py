"""Chat files of SillyTavern, old and new: a header line, then one message a line."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from st_bme.errors import BadRequest
from st_bme.graph.json_reader import Json, JsonObject
from st_bme.history.keys import is_blank, message_key, well_formed
from st_bme.history.view import Slot
from st_bme.model.message import ListedMessage, Role

NAME_LIMIT = 1_000  # as much of a name as the page sends

# Notes of SillyTavern itself, told apart by `extra.type`; the page skips the same ones.
NOTES = frozenset(
    (
        "comment",
        "help",
        "welcome",
        "welcome_prompt",
        "empty",
        "generic",
        "group_generate",
        "slash_commands",
        "formatting",
        "hotkeys",
        "macros",
        "assistant_note",
    )
)


@dataclass(frozen=True, slots=True)
class ChatFile:
    """A chat as it was read: who talks, the metadata, and per floor the slot and the raw text."""

    name: str
    user_name: str
    character_name: str
    metadata: Mapping[str, Json]
    slots: tuple[Slot, ...]
    texts: tuple[str, ...]


def read_chat_file(path: Path) -> ChatFile:
    """Read a chat file.

    Raises: BadRequest: it cannot be read, or a line is no JSON object; the message names the line.
    """
    try:
        lines = path.read_bytes().removeprefix(b"\xef\xbb\xbf").splitlines()
    except OSError as error:
        raise BadRequest(f"cannot read {path}: {error.strerror}") from None
    objects = [_object(line, path, number) for number, line in enumerate(lines, 1) if line.strip()]
    if not objects:
        raise BadRequest(f"{path} is empty; a chat file has a header line and one message a line")
    has_header = "mes" not in objects[0]
    header, messages = (objects[0], objects[1:]) if has_header else ({}, objects)
    listed = [_listed(message, floor) for floor, message in enumerate(messages)]
    metadata = header.get("chat_metadata")
    return ChatFile(
        name=path.stem,
        user_name=_text(header, "user_name"),
        character_name=_text(header, "character_name"),
        metadata=metadata if isinstance(metadata, dict) else {},
        slots=tuple(slot for slot, _ in listed),
        texts=tuple(text for _, text in listed),
    )


def _object(line: bytes, path: Path, number: int) -> JsonObject:
    try:
        # The standard library's reader: it takes half a surrogate pair, which chat files have where a reply was cut.
        value: Json = json.loads(line)
    except ValueError as error:
        raise BadRequest(f"{path}, line {number}: no valid JSON ({error})") from None
    except RecursionError:
        raise BadRequest(f"{path}, line {number}: nested too deep to be read") from None
    if not isinstance(value, dict):
        raise BadRequest(f"{path}, line {number}: not a JSON object")
    return value


def _text(value: Mapping[str, Json], key: str) -> str:
    text = value.get(key)
    return well_formed(text) if isinstance(text, str) else ""


def _listed(message: JsonObject, floor: int) -> tuple[Slot, str]:
    """The slot of a message and its text; None where it does not count."""
    text = _text(message, "mes")
    extra = message.get("extra")
    kind = _text(extra, "type") if isinstance(extra, dict) else ""
    is_tool = isinstance(extra, dict) and bool(extra.get("tool_invocations"))
    if is_blank(text) or is_tool or kind in NOTES:
        return None, text
    role: Role = "user" if message.get("is_user") else "narrator" if kind == "narrator" else "assistant"
    hidden = message.get("is_system") is True
    name = _text(message, "name")[:NAME_LIMIT]
    return ListedMessage(floor, message_key(role, text), role, name, hidden), text

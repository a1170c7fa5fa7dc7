"""The part of a chat that a model reads, and how it is written down for it."""

from __future__ import annotations

import json
from collections.abc import Iterable

from st_bme.model.message import Message
from st_bme.ports import MessageForm


def transcript(messages: Iterable[Message]) -> str:
    """Messages as a model reads them, one paragraph each."""
    return "\n\n".join(transcript_line(message) for message in messages if message.text)


def transcript_line(message: Message) -> str:
    """`#floor [role|name]: text`."""
    speaker = f"{message.role}|{message.name}" if message.name else message.role
    return f"#{message.floor} [{speaker}]: {message.text}"


def written(messages: Iterable[Message], form: MessageForm) -> str:
    """Messages in the form that the user chose. A list beside the transcript says who speaks, not the texts again."""
    spoken = [message for message in messages if message.text]
    match form:
        case "transcript":
            return transcript(spoken)
        case "structured":
            return "\n".join(_row(message, text=message.text) for message in spoken)
        case "both":
            return "\n\n".join(part for part in ("\n".join(map(_row, spoken)), transcript(spoken)) if part)


def _row(message: Message, **more: str) -> str:
    speaker = {"name": message.name} if message.name else {}
    return json.dumps({"floor": message.floor, "role": message.role, **speaker, **more}, ensure_ascii=False)

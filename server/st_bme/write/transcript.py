"""The part of a chat that a model reads, and how it is written down for it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from st_bme.model.message import Message


def window(messages: Sequence[Message], run: range, *, context_turns: int) -> Sequence[Message]:
    """Messages before a run that a model reads for orientation: two a turn."""
    return messages[max(0, run.start - 2 * context_turns) : run.start]


def transcript(messages: Iterable[Message]) -> str:
    """Messages as a model reads them, one paragraph each."""
    return "\n\n".join(transcript_line(message) for message in messages if message.text)


def transcript_line(message: Message) -> str:
    """`#floor [role|name]: text`."""
    speaker = f"{message.role}|{message.name}" if message.name else message.role
    return f"#{message.floor} [{speaker}]: {message.text}"

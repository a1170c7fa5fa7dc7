"""Room for messages in a prompt: a long run is read in parts, and a message that alone is too long is shortened."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from st_bme.model.message import Message

_GAP = "\n[…]\n"


def divide(run: Sequence[Message], most_chars: int) -> list[Sequence[Message]]:
    """The run in parts that end with a reply and have at most so many characters; one exchange is never parted."""
    parts: list[list[Message]] = [[]]
    taken = 0
    for exchange in _exchanges(run):
        length = _length(exchange)
        if parts[-1] and taken + length > most_chars:
            parts.append([])
            taken = 0
        parts[-1] += exchange
        taken += length
    return list(parts)


def fit(
    context: Sequence[Message], run: Sequence[Message], most_chars: int
) -> tuple[Sequence[Message], Sequence[Message]]:
    """Both within so many characters together: first the oldest of the context go, then the longest are shortened."""
    left = most_chars - _length(run)
    if left < 0:
        longest = _longest_allowed([len(message.text) for message in run], most_chars)
        return (), [_shortened(message, longest) for message in run]
    kept: list[Message] = []
    for message in reversed(context):
        left -= len(message.text)
        if left < 0:
            break
        kept.insert(0, message)
    return kept, run


def _exchanges(run: Sequence[Message]) -> list[list[Message]]:
    """What was said up to each reply; what follows the last one goes along with it."""
    exchanges: list[list[Message]] = [[]]
    for place, message in enumerate(run):
        exchanges[-1].append(message)
        if message.role == "assistant" and any(later.role == "assistant" for later in run[place + 1 :]):
            exchanges.append([])
    return exchanges


def _length(messages: Sequence[Message]) -> int:
    return sum(len(message.text) for message in messages)


def _longest_allowed(lengths: Sequence[int], most_chars: int) -> int:
    """The length to which the longer ones are cut, so that all have room and the shorter ones stay whole."""
    left = most_chars
    for place, length in enumerate(sorted(lengths)):
        share = left // (len(lengths) - place)
        if length > share:
            return share
        left -= length
    return most_chars


def _shortened(message: Message, most: int) -> Message:
    """Beginning and end of a message that is longer than allowed."""
    if len(message.text) <= most:
        return message
    half = max(0, most - len(_GAP)) // 2
    return replace(message, text=message.text[:half] + _GAP + message.text[len(message.text) - half :])

"""Messages of a chat and their place in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

Role = Literal["user", "assistant", "narrator"]
ROLES: tuple[Role, ...] = get_args(Role)


class ListedMessage(NamedTuple):
    """One message of the chat array that counts as a message, without its text.

    `raw` is the hash of its role and raw text, `floor` its index in SillyTavern's chat array.
    A tuple, since opening a long chat makes and compares tens of thousands.
    """

    floor: int
    raw: str
    role: Role
    name: str
    hidden: bool = False


@dataclass(frozen=True, slots=True)
class Message:
    """A message with its text. `key` is what everything inside points to."""

    key: str
    role: Role
    name: str
    text: str
    floor: int
    hidden: bool = False

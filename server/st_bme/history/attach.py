"""Which lineage a chat that was just opened belongs to (docs/storage.md, rules 40 to 44)."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Literal

from st_bme.graph.state import VERSION
from st_bme.ports import ChatName

AttachKind = Literal["birth", "follow", "restore", "fork", "set_aside", "read_only"]


@dataclass(frozen=True, slots=True)
class CopyClaim:
    """What the copy in the chat file says of itself."""

    version: int
    lineage: str
    chat: ChatName
    rev: int
    head: str


@dataclass(frozen=True, slots=True)
class AttachDecision:
    """What opening the chat means.

    birth: a new lineage. follow: the stored lineage goes on. restore: the store lacks it, the copy brings it back.
    fork: the records of `parent` in a lineage of their own. set_aside: the copy cannot be ours; keep its bytes, then
    birth or follow. read_only: a newer program wrote the copy; leave everything as it is.
    `lineage` is the one to open, "" for a new one. `needs_copy`: the copy holds, or may hold, records that the store
    lacks.
    """

    kind: AttachKind
    lineage: str = ""
    parent: str = ""
    needs_copy: bool = False


def decide_attach(
    chat: ChatName, copy: CopyClaim | None, stored: Mapping[str, Collection[str]], same_name: str
) -> AttachDecision:
    """Decide what opening `chat` means.

    Args:
        chat: the chat that was opened.
        copy: what its metadata says, None without any.
        stored: heads that the store committed, by lineage; only the copy's lineage and `same_name` are asked for.
        same_name: a stored lineage last seen under this chat's name that shares messages with it, "" for none.
    """
    if copy is None:
        return AttachDecision("follow", same_name) if same_name else AttachDecision("birth")
    if copy.version > VERSION:
        return AttachDecision("read_only")
    if copy.version < VERSION or not copy.lineage:
        return AttachDecision("set_aside", same_name, needs_copy=True)
    is_stored = copy.lineage in stored
    news = not is_stored or copy.head not in stored[copy.lineage]
    if copy.chat != chat:
        # A branch that is opened again before SillyTavern saved its copy goes on in the lineage that it got at first.
        return AttachDecision("fork", same_name, copy.lineage, needs_copy=news)
    return AttachDecision("follow" if is_stored else "restore", copy.lineage, needs_copy=news)

"""What opening a chat means: its lineage, a lost chat, a list without its front (docs/storage.md, rules 40 to 44)."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from st_bme.graph.state import VERSION
from st_bme.history.view import Slot
from st_bme.ports import ChatName

# A chat of so many messages has none but the greeting.
BARE = 1
# So many messages that are missing in front were not deleted one by one: a page showed only the end of the chat.
FRONT_AT_LEAST = 20
# What two lists must share to be taken for parts of one chat.
_SHARED_AT_LEAST = 2

AttachKind = Literal["birth", "follow", "restore", "fork", "set_aside", "read_only"]


@dataclass(frozen=True, slots=True)
class CopyClaim:
    """What the copy in the chat file says of itself. `length`: messages that it knows.

    `owner_gone`: the character that it names is no more in SillyTavern. `chat_gone`: the chat that it names is no more,
    and the opened one bears its mark, which a branch does not.
    """

    version: int
    lineage: str
    chat: ChatName
    rev: int
    head: str
    length: int = 0
    owner_gone: bool = False
    chat_gone: bool = False


@dataclass(frozen=True, slots=True)
class StoredClaim:
    """What the store says of a lineage: its chat, the heads that it committed, and the messages in its list."""

    chat: ChatName
    heads: Collection[str]
    length: int


@dataclass(frozen=True, slots=True)
class AttachDecision:
    """What opening the chat means.

    birth: a new lineage. follow: the stored lineage goes on. restore: the store lacks it, the copy brings it back.
    fork: the records of `parent` in a lineage of their own. set_aside: the copy cannot be ours; keep its bytes, then
    birth or follow. read_only: a newer program wrote the copy; leave everything as it is.
    `lineage` is the one to open, "" for a new one. `needs_copy`: the copy holds, or may hold, records that the store
    lacks. `left`: the lineage of the copy, which this chat does not go on with, since it came back without messages.
    """

    kind: AttachKind
    lineage: str = ""
    parent: str = ""
    needs_copy: bool = False
    left: str = ""


@dataclass(frozen=True, slots=True)
class OpenedChat:
    """The chat that was opened, and how many messages its list has."""

    chat: ChatName
    length: int

    @property
    def is_bare(self) -> bool:
        return self.length <= BARE


def decide_attach(
    opened: OpenedChat, copy: CopyClaim | None, stored: Mapping[str, StoredClaim], same_name: str
) -> AttachDecision:
    """Decide what opening a chat means.

    Args:
        opened: the chat.
        copy: what its metadata says, None without any.
        stored: what the store has, by lineage; only the copy's lineage and `same_name` are asked for.
        same_name: a stored lineage last seen under this chat's name that shares messages with it, "" for none.
    """
    if copy is None:
        return AttachDecision("follow", same_name) if same_name else AttachDecision("birth")
    if copy.version > VERSION:
        return AttachDecision("read_only")
    if copy.version < VERSION or not copy.lineage:
        return AttachDecision("set_aside", same_name, needs_copy=True)
    kept = stored.get(copy.lineage)
    news = kept is None or copy.head not in kept.heads
    if not _is_same_chat(opened.chat, copy, kept):
        # A branch that is opened again before SillyTavern saved its copy goes on in the lineage that it got at first.
        return AttachDecision("fork", same_name, copy.lineage, needs_copy=news)
    if opened.is_bare and (kept.length if kept else copy.length) > BARE:
        own = same_name if same_name != copy.lineage else ""
        return AttachDecision("follow" if own else "birth", own, needs_copy=news, left=copy.lineage)
    return AttachDecision("follow" if kept else "restore", copy.lineage, needs_copy=news)


def _is_same_chat(chat: ChatName, copy: CopyClaim, kept: StoredClaim | None) -> bool:
    """Whether the copy was written for this chat, and not for one that it was copied from.

    A renamed character takes its chats along under their names. The store heard of it, or it was not there: then the
    character of old is gone, which that of a copied chat is not. So it is with a renamed chat; but where the store has
    seen its memory under another name since, that chat has it, and this one is a second copy.
    """
    chats = (copy.chat, kept.chat if kept else copy.chat)
    if copy.chat_gone and chat.owner == copy.chat.owner and chats[1] == copy.chat:
        return True
    return chat in chats or (copy.owner_gone and chat.name in {each.name for each in chats})


def kept_front(stored: Sequence[Slot], listed: Sequence[Slot]) -> int:
    """How many of the first stored messages a list lacks that begins inside the stored one; 0 where it does not.

    Such a list is that of a page which holds only the end of a long chat: what is in front stays in the view.
    """
    if not listed:
        return 0
    has, wants = [_said(slot) for slot in stored], [_said(slot) for slot in listed]
    for front in range(FRONT_AT_LEAST, len(has) - _SHARED_AT_LEAST + 1):
        shared = len(has) - front
        if has[front] == wants[0] and has[front:] == wants[:shared] and shared <= len(wants):
            return front
    return 0


def _said(slot: Slot) -> tuple[str, str] | None:
    return None if slot is None else (slot.raw, slot.role)


def shared_length(one: Sequence[str], other: Sequence[str]) -> int:
    """How many keys two views have in common from the start: where a branch was cut."""
    length = 0
    while length < min(len(one), len(other)) and one[length] == other[length]:
        length += 1
    return length

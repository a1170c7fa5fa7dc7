"""The chat as it stands: its list of messages, and the view, the keys of those that count."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from st_bme.history.keys import EMPTY_CHAIN, SEPARATOR, chain_of, chain_step
from st_bme.model.message import ListedMessage, Role

Slot = ListedMessage | None
"""What stands at a floor: a message, or nothing that counts as one (None)."""

NO_FLOOR = -1


@dataclass(frozen=True, slots=True)
class View:
    """The messages that count, in chat order: their keys, floors, roles and names, position by position."""

    keys: tuple[str, ...]
    floors: tuple[int, ...]
    roles: tuple[Role, ...]
    names: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.keys)


EMPTY_VIEW = View((), (), (), ())


def view_of(slots: Sequence[Slot], aliases: Mapping[str, str], *, include_hidden: bool) -> View:
    """The view of a chat; a raw hash in `aliases` stands for an older key with the same cleaned text."""
    listed = [slot for slot in slots if slot is not None and (include_hidden or not slot.hidden)]
    return View(
        keys=tuple(aliases.get(message.raw, message.raw) for message in listed),
        floors=tuple(message.floor for message in listed),
        roles=tuple(message.role for message in listed),
        names=tuple(message.name for message in listed),
    )


def row_entry(slot: Slot) -> str:
    """What one floor adds to the digest of a list."""
    if slot is None:
        return ""
    return SEPARATOR.join((slot.raw, slot.role, "1" if slot.hidden else "0", slot.name))


def list_digest(slots: Sequence[Slot]) -> str:
    """Digest of a list of messages: equal digests, equal lists."""
    return chain_of(row_entry(slot) for slot in slots)


def list_digests(slots: Sequence[Slot], start: str = EMPTY_CHAIN) -> list[str]:
    """Digest after each prefix: entry i is that of the first i floors, behind what `start` is the digest of."""
    digests = [start]
    for slot in slots:
        digests.append(chain_step(digests[-1], row_entry(slot)))
    return digests


def view_chain(view: View) -> str:
    """The chain over role, name and text of the view: compares copies of one chat (rule 5)."""
    return chain_of(SEPARATOR.join(entry) for entry in zip(view.keys, view.names, strict=True))

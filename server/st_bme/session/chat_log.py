"""The messages of one chat as the page reported them: the list, the texts, and what texts count as one."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import orjson

from st_bme.errors import BadRequest, CorruptState, ViewMismatch
from st_bme.graph.ids import digest
from st_bme.graph.json_reader import Json
from st_bme.history.keys import message_key
from st_bme.history.view import Slot, View, list_digests, view_of
from st_bme.model.message import ROLES, ListedMessage, Message, Role
from st_bme.ports import StoredText
from st_bme.protocol.wire import MessageList, Row, Text
from st_bme.write.cleaning import clean_message

_ROLE_BY_NAME: Mapping[str, Role] = {role: role for role in ROLES}


@dataclass(frozen=True, slots=True)
class TakenTexts:
    """What new texts brought: texts to store, and raw hashes that now stand for a known key."""

    stored: tuple[StoredText, ...]
    aliases: Mapping[str, str]


class ChatLog:
    """List, texts and aliases of one chat. Synchronous, in memory."""

    def __init__(self, lineage: str) -> None:
        self._lineage = lineage
        self.slots: tuple[Slot, ...] = ()
        self.front = 0  # so many of the first slots are not in the page's list, whose floors begin behind them
        self._digests: list[str] = list_digests(())
        self.texts: dict[str, str] = {}
        self.aliases: dict[str, str] = {}
        self._by_cleaned: dict[str, str] = {}
        # Asked for at every recall, and known until the list, a text or an alias changes.
        self._needed: tuple[int, ...] | None = None
        self._hidden: frozenset[str] | None = None

    def restore(self, slots: bytes, texts: Sequence[StoredText], aliases: Mapping[str, str]) -> None:
        """Take over what the store has."""
        self._set_slots(slots_from_json(slots))
        self.learn(texts, aliases)

    def learn(self, texts: Sequence[StoredText], aliases: Mapping[str, str]) -> Mapping[str, str]:
        """Take over texts and aliases; what is known keeps its meaning. Returns the aliases that were taken."""
        for stored in texts:
            self.texts.setdefault(stored.key, stored.text)
            if stored.cleaned:
                self._by_cleaned.setdefault(stored.cleaned, stored.key)
        taken = new_aliases(aliases, {*self.texts, *self.aliases})
        self.aliases |= taken
        self._needed = self._hidden = None
        return taken

    def _set_slots(self, slots: Sequence[Slot], *, kept: int = 0) -> None:
        """`kept` are the floors of the page's list that are as they were."""
        self.slots = tuple(slots)
        self._digests[kept:] = list_digests(self.slots[self.front + kept :], start=self._digests[kept])
        self._needed = self._hidden = None

    def keep_front(self, front: int) -> None:
        """Take the page's lists for the messages behind the first `front` ones, which stay."""
        if front != self.front:
            self.front = front
            self._set_slots(self.slots)

    def take_list(self, messages: MessageList) -> bool:
        """Follow the page's list; True if it differs from the one before. Raises as `patched` does."""
        slots = self.patched(messages)
        if slots == self.slots:
            return False
        self._set_slots(slots, kept=messages.keep)
        return True

    def patched(self, messages: MessageList) -> tuple[Slot, ...]:
        """The list that a page's patch leads to.

        Raises ViewMismatch if it patches another list than ours, BadRequest if it names a name it does not give.
        """
        if messages.keep >= len(self._digests) or self._digests[messages.keep] != messages.base:
            raise ViewMismatch(self._lineage)
        kept = self.slots[: self.front + messages.keep]
        return (*kept, *listed_slots(messages, from_floor=len(kept)))

    def goes_on(self, messages: MessageList, *, include_hidden: bool) -> bool:
        """Whether the page's list has the view as it stands, and at most more behind it. Raises as `patched` does."""
        keys = self.view(include_hidden=include_hidden).keys
        return view_of(self.patched(messages), self.aliases, include_hidden=include_hidden).keys[: len(keys)] == keys

    def take_texts(self, texts: Sequence[Text]) -> TakenTexts:
        """Take texts of listed messages; what is not in the list, or known, is passed over.

        Raises BadRequest where a text does not belong to its key.
        """
        if not texts:
            return TakenTexts((), {})
        self._needed = self._hidden = None
        by_raw = {slot.raw: slot for slot in self.slots if slot is not None}
        stored: list[StoredText] = []
        aliases: dict[str, str] = {}
        for text in texts:
            slot = by_raw.get(text.key)
            if slot is None or text.key in self.texts or text.key in self.aliases:
                continue
            if message_key(slot.role, text.text) != text.key:
                raise BadRequest(f"the text at floor {text.floor} does not belong to key {text.key}; send both anew")
            cleaned = _cleaned_digest(slot.role, text.text)
            known = self._by_cleaned.get(cleaned) if cleaned else None
            if known is not None:
                aliases[text.key] = self.aliases[text.key] = known
                continue
            self.texts[text.key] = text.text
            if cleaned:
                self._by_cleaned[cleaned] = text.key
            stored.append(StoredText(text.key, cleaned, text.text))
        return TakenTexts(tuple(stored), aliases)

    def present(self) -> frozenset[str]:
        """Keys of the listed messages, hidden ones included."""
        raws = {slot.raw for slot in self.slots if slot is not None}
        return frozenset(raws | {self.aliases[raw] for raw in raws if raw in self.aliases})

    def forget(self, keys: Collection[str]) -> None:
        """Let texts go, with all that stands for them."""
        gone = frozenset(keys)
        self.texts = {key: text for key, text in self.texts.items() if key not in gone}
        self.aliases = {raw: key for raw, key in self.aliases.items() if key not in gone}
        self._by_cleaned = {cleaned: key for cleaned, key in self._by_cleaned.items() if key not in gone}
        self._needed = self._hidden = None

    def needed(self) -> list[int]:
        """Floors of the page whose text is not known, newest first: what is near the end is wanted first."""
        if self._needed is None:
            self._needed = tuple(
                slot.floor - self.front
                for slot in reversed(self.slots[self.front :])
                if slot is not None and slot.raw not in self.texts and slot.raw not in self.aliases
            )
        return list(self._needed)

    def hidden(self) -> frozenset[str]:
        """Keys of the messages that the user hid from the prompt."""
        if self._hidden is None:
            raws = (slot.raw for slot in self.slots if slot is not None and slot.hidden)
            self._hidden = frozenset(self.aliases.get(raw, raw) for raw in raws)
        return self._hidden

    def view(self, *, include_hidden: bool) -> View:
        return view_of(self.slots, self.aliases, include_hidden=include_hidden)

    def message(self, view: View, position: int) -> Message | None:
        """The message at a position of the view with its raw text, None while that has not arrived."""
        text = self.texts.get(view.keys[position])
        if text is None:
            return None
        return Message(view.keys[position], view.roles[position], view.names[position], text, view.floors[position])


def listed_slots(messages: MessageList, *, from_floor: int = 0) -> list[Slot]:
    """The rows of a page's list. Raises BadRequest if one names a name that the list does not give."""
    return [
        None if row is None else _listed(row, messages.names, from_floor + index)
        for index, row in enumerate(messages.rows)
    ]


def _listed(row: Row, names: Sequence[str], floor: int) -> ListedMessage:
    if row.name >= len(names):
        raise BadRequest(f"row at floor {floor} names name {row.name}, but only {len(names)} names were given")
    return ListedMessage(floor, row.key, ROLES[row.role], names[row.name], row.hidden)


def _cleaned_digest(role: Role, text: str) -> str:
    """Digest of what a text tells; "" where it tells nothing, so that no two of those are taken for one."""
    cleaned = clean_message(Message("", role, "", text, 0)).text
    return digest("cleaned", role, cleaned) if cleaned else ""


def new_aliases(aliases: Mapping[str, str], known: Collection[str]) -> dict[str, str]:
    """Those of these aliases that do not change what a known hash stands for."""
    return {raw: key for raw, key in aliases.items() if raw not in known}


def slots_to_json(slots: Sequence[Slot]) -> bytes:
    """The list for the store."""
    rows = [None if slot is None else [slot.raw, slot.role, slot.name, slot.hidden] for slot in slots]
    return orjson.dumps(rows)


def slots_from_json(body: bytes) -> list[Slot]:
    """Raises CorruptState where the bytes are no list of ours."""
    try:
        rows: Json = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise CorruptState(f"the stored message list cannot be read: {error.msg}") from None
    if not isinstance(rows, list):
        raise CorruptState("the stored message list is no list")
    return [_slot_from_json(row, floor) for floor, row in enumerate(rows)]


def _slot_from_json(row: Json, floor: int) -> Slot:
    if row is None:
        return None
    # Not by patterns of `match`, which take three times as long, and long chats have ten thousand rows.
    if isinstance(row, list) and len(row) == 4:
        raw, named_role, name, hidden = row
        role = _ROLE_BY_NAME.get(named_role) if isinstance(named_role, str) else None
        if role and isinstance(raw, str) and isinstance(name, str) and isinstance(hidden, bool):
            return ListedMessage(floor, raw, role, name, hidden)
    raise CorruptState(f"the stored message list is damaged at floor {floor}")

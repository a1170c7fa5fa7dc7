"""Several keys of one endpoint, used in turn; one that must wait is left out until then."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class EndpointKeys:
    """Keys and the origin that alone may see them. The keys are in no printed form."""

    origin: str
    keys: tuple[str, ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True)
class KeyTurn:
    """Which key is next, when it may be used, and why not before."""

    index: int
    key: str = field(repr=False)
    free_at_s: float
    reason: str


class KeyRing:
    """Round robin over keys. Without any key there is one turn with an empty key: local servers need none."""

    def __init__(self, keys: Sequence[str]) -> None:
        self._keys = tuple(keys) or ("",)
        self._free_at_s = [0.0] * len(self._keys)
        self._reasons = [""] * len(self._keys)
        self._next = 0

    def __len__(self) -> int:
        return len(self._keys)

    @property
    def is_empty(self) -> bool:
        return self._keys == ("",)

    def take(self, now_s: float, *, refused: frozenset[int] = frozenset()) -> KeyTurn | None:
        """The next key in turn that may be used now, else the one that may be soonest; None if all are refused."""
        order = [(self._next + step) % len(self._keys) for step in range(len(self._keys))]
        usable = [index for index in order if index not in refused]
        if not usable:
            return None
        index = min(usable, key=lambda index: max(self._free_at_s[index], now_s))
        self._next = (index + 1) % len(self._keys)
        return KeyTurn(index, self._keys[index], max(self._free_at_s[index], now_s), self._reasons[index])

    def hold(self, index: int, until_s: float, reason: str) -> None:
        self._free_at_s[index] = until_s
        self._reasons[index] = reason

    def hide(self, text: str) -> str:
        """The text without any of the keys, which some endpoints repeat in their errors."""
        for key in self._keys:
            if key:
                text = text.replace(key, "[hidden]")
        return text

"""What fits into the prompt: items packed into sections under one token budget."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Item:
    """Something that may be injected."""

    id: str
    tokens: int
    score: float


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the injection with a share of its own."""

    name: str
    items: Sequence[Item]
    cap_tokens: int  # most it may take, heading included
    heading_tokens: int = 0  # paid once, by the first item


@dataclass(frozen=True, slots=True)
class PackedSection:
    """What of a section is taken and what is left over, both best first."""

    name: str
    taken: tuple[Item, ...]
    left: tuple[Item, ...]
    tokens: int


def pack(sections: Sequence[Section], budget_tokens: int) -> list[PackedSection]:
    """Fill sections in the order given, each by score, within its cap and what the earlier ones left.

    An item too long for what remains is passed over, and a shorter one of lower score may take the room. Tokens of a
    section never exceed its cap, and all together never exceed the budget.

    Returns: one entry a section, in the same order; equal scores keep the order in which they came.
    """
    remaining = max(budget_tokens, 0)
    packed = []
    for section in sections:
        filled = _fill(section, min(section.cap_tokens, remaining))
        remaining -= filled.tokens
        packed.append(filled)
    return packed


def _fill(section: Section, room: int) -> PackedSection:
    taken: list[Item] = []
    left: list[Item] = []
    used = section.heading_tokens
    for item in sorted(section.items, key=lambda item: -item.score):
        if used + item.tokens <= room:
            taken.append(item)
            used += item.tokens
        else:
            left.append(item)
    return PackedSection(section.name, tuple(taken), tuple(left), used if taken else 0)

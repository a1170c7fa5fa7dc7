"""What is known beside memories: who knows what, where things are, what variables hold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

Stance = Literal["known", "partial", "mistaken", "hidden"]
STANCES: tuple[Stance, ...] = get_args(Stance)

RegionRelation = Literal["within", "beside", "at"]


@dataclass(frozen=True, slots=True)
class Knowledge:
    """How a character or the user stands to one memory.

    `owner` is their key; `visibility`, 0 to 1, is how much of the memory they know; `belief` what they believe instead
    where they are mistaken. `source` is the key of the message that said so, "" where the user did.
    """

    owner: str
    owner_name: str
    node_id: str
    stance: Stance
    source: str
    visibility: float = 1.0
    belief: str = ""


@dataclass(frozen=True, slots=True)
class RegionFact:
    """`place` lies within or beside `other`; or someone, the scene itself where `other` is "", is at `place`."""

    relation: RegionRelation
    place: str
    other: str
    source: str


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable of the user with its value and the message that set it, "" where the user did."""

    name: str
    value: str
    source: str

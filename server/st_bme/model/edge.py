"""A relation between two memories."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from st_bme.model.scope import OBJECTIVE, Scope

Relation = Literal[
    "related", "involved_in", "occurred_at", "advances", "updates", "contradicts", "evolves", "temporal_update"
]
RELATIONS: tuple[Relation, ...] = get_args(Relation)

_BY_NAME: dict[str, Relation] = {relation: relation for relation in RELATIONS}


def as_relation(word: str) -> Relation:
    """The relation of this name; an unknown one is `related`."""
    return _BY_NAME.get(word, "related")


DEFAULT_STRENGTH = 0.8
INHIBITORY = 255
ENDED_BY_HAND = "hand"


@dataclass(frozen=True, slots=True)
class Edge:
    """A directed relation.

    `source` is the key of the message that made it, "" where the user did; `ended` of the one that ended it.
    """

    id: str
    from_id: str
    to_id: str
    relation: Relation
    strength: float
    source: str
    edge_type: int = 0
    scope: Scope = OBJECTIVE
    ended: str = ""

    @property
    def is_current(self) -> bool:
        return self.ended == ""

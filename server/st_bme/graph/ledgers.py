"""What is folded beside nodes and edges: the story's timeline, who knows what, where everyone is, variables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from st_bme.graph.ids import fold_name
from st_bme.model.ledger import Knowledge, RegionFact, RegionRelation, Variable
from st_bme.model.scope import OwnerType
from st_bme.model.story_time import Segment

KnowledgeKey = tuple[str, str]
"""(owner key, node id)."""

RegionKey = tuple[str, str, str]
"""(relation, folded place, folded other); what one fact of a kind replaces has the same key."""

SCENE = ""
"""Stands for the scene itself among those who are at a place."""


def owner_key(owner_type: OwnerType, name: str) -> str:
    """By what a character or the user is known in the ledgers, "" for nobody."""
    folded = fold_name(name)
    return f"{owner_type}:{folded}" if owner_type and folded else ""


def region_key(relation: RegionRelation, place: str, other: str) -> RegionKey:
    """Everyone is at one place, a place lies within one other, and beside is said both ways."""
    if relation == "at":
        return (relation, other, "")
    if relation == "within":
        return (relation, fold_name(place), "")
    first, second = sorted((fold_name(place), fold_name(other)))
    return (relation, first, second)


@dataclass(frozen=True, slots=True)
class Ledgers:
    """Immutable like the graph. A later statement replaces an earlier one about the same thing."""

    segments: Mapping[str, Segment] = field(default_factory=dict)
    knowledge: Mapping[KnowledgeKey, Knowledge] = field(default_factory=dict)
    regions: Mapping[RegionKey, RegionFact] = field(default_factory=dict)
    variables: Mapping[str, Variable] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.segments or self.knowledge or self.regions or self.variables)

    def timeline(self) -> Sequence[Segment]:
        """Segments from the earliest to the latest; those side by side by id."""
        return sorted(self.segments.values(), key=lambda segment: (segment.order, segment.id))

    @property
    def active_segment(self) -> Segment | None:
        """Where the story stands now."""
        return next((segment for segment in self.segments.values() if segment.is_now), None)

    def active_region(self, owner: str = SCENE) -> str:
        """Where the scene is, or, with their key, where a character or the user is; "" where nobody said."""
        fact = self.regions.get(("at", owner, ""))
        return fact.place if fact else ""

    def adjacent_to(self, place: str) -> Sequence[str]:
        """What lies beside a place, by name."""
        wanted = fold_name(place)
        beside = (fact for (relation, *_), fact in self.regions.items() if relation == "beside")
        pairs = ((fold_name(fact.place), fold_name(fact.other), fact) for fact in beside)
        found = [
            fact.other if first == wanted else fact.place for first, second, fact in pairs if wanted in (first, second)
        ]
        return sorted(found)

    def parents_of(self, place: str) -> Sequence[str]:
        """The places that hold a place, from the nearest to the widest."""
        found: list[str] = []
        while (fact := self.regions.get(("within", fold_name(place), ""))) is not None and fact.other not in found:
            place = fact.other
            found.append(place)
        return found


NOTHING_SAID = Ledgers()

"""What a text names."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(slots=True)
class Mentions:
    """People and places in order of appearance, each once; `named` counts all proper names seen."""

    people: list[str] = field(default_factory=list)
    places: list[str] = field(default_factory=list)
    named: int = 0

    def add_person(self, name: str) -> None:
        if name not in self.people:
            self.people.append(name)

    def add_place(self, name: str) -> None:
        if name not in self.places:
            self.places.append(name)

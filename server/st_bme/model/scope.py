"""Whose memory it is, and where."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Layer = Literal["objective", "pov"]
OwnerType = Literal["", "character", "user"]


@dataclass(frozen=True, slots=True)
class Scope:
    """Scope of a memory: objective in a region, or the point of view of one owner."""

    layer: Layer = "objective"
    owner_type: OwnerType = ""
    owner_id: str = ""
    owner_name: str = ""
    region_primary: str = ""
    region_path: tuple[str, ...] = ()
    region_secondary: tuple[str, ...] = ()

    @property
    def identity(self) -> str:
        """What tells two memories of one name apart: the owner of a point of view, else the region."""
        if self.layer == "pov":
            return f"pov:{self.owner_type}:{self.owner_id.casefold()}"
        return f"objective:{self.region_primary.casefold()}"


OBJECTIVE = Scope()

"""How memories rank, as marks of their lines: tier, kind and place before, score and reason after."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from st_bme.model.scope import Scope
from st_bme.read.ages import lives_of
from st_bme.read.escape import safe_cell
from st_bme.read.index import RecallIndex
from st_bme.read.inject import Mark
from st_bme.read.options import RecallOptions
from st_bme.read.select import Choice, timed
from st_bme.scoring.lifecycle import Tier, tiers_of

_LETTERS = {Tier.CORE: "C", Tier.WORKING: "W", Tier.PERIPHERAL: "P"}
_LONGEST_PLACE = 60


def marks_of(index: RecallIndex, choices: Sequence[Choice], options: RecallOptions, now_ms: int) -> Mapping[str, Mark]:
    """By memory `[tier][type:scope] … (score, reason)`; of one that is given twice the last.

    The score is a share of the best that could be, and never above it.
    """
    rows = np.array([choice.row for choice in choices], np.int64)
    tiers = tiers_of(lives_of(timed(index, rows, now_ms), options.clock)).tolist()
    marks: dict[str, Mark] = {}
    for choice, tier in zip(choices, tiers, strict=True):
        node = index.nodes[choice.row]
        before = f"[{_LETTERS[Tier(tier)]}][{node.type}:{_place(node.scope)}] "
        marks[node.id] = Mark(before, f" ({min(1.0, max(0.0, choice.score)):.0%}, {choice.reason})")
    return marks


def _place(scope: Scope) -> str:
    """Whose view it is, else where it belongs."""
    name = scope.owner_name if scope.layer == "pov" else scope.region_primary
    return safe_cell(name, _LONGEST_PLACE) if name else "global"

"""Oracles O1 and O3 to O11 with the real tasks of upkeep on, over a scripted model."""

from __future__ import annotations

from random import Random

import pytest

from scenarios.real_upkeep import keep_up
from scenarios.test_kept_memory import KeptMemoryWalk
from scenarios.walk import as_test
from scenarios.world import World

WEATHER = ("rain", "sun", "rain and cold", "sun and wind")


class RealUpkeepWalk(KeptMemoryWalk):
    """Events often say nearly the same, so that some are merged and some change how others are understood."""

    def new_world(self) -> World:
        return World({}, tend=keep_up)

    def tell(self, token: str, chance: Random) -> str:
        return f"{token} {chance.choice(WEATHER)}"


TestRealUpkeep = pytest.mark.slow(as_test(RealUpkeepWalk, share=0.3, step_limit_s=1.0))

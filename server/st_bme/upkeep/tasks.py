"""All tasks of upkeep, in the order in which they are done behind an extraction."""

from __future__ import annotations

from st_bme.upkeep.compression import COMPRESSION
from st_bme.upkeep.consolidation import CONSOLIDATION
from st_bme.upkeep.forgetting import FORGETTING
from st_bme.upkeep.reflection import REFLECTION, SYNOPSES
from st_bme.upkeep.repeats import REPEATS
from st_bme.upkeep.situation import Task
from st_bme.upkeep.summaries import SUMMARIES
from st_bme.upkeep.tidying import TIDYING

TASKS: tuple[Task, ...] = (
    CONSOLIDATION,
    REPEATS,
    TIDYING,
    SUMMARIES,
    SYNOPSES,
    REFLECTION,
    FORGETTING,
    COMPRESSION,
)

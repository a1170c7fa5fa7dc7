"""The real tasks of upkeep over a scripted model, in the place of the scripted doubles."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial

from scenarios.memory_model import Memory
from scenarios.scripted_upkeep import MAX_DECISIONS, SUMMARISE_EVERY
from st_bme.adapters.scripted_upkeep import scripted_upkeep
from st_bme.ports import ChatPrompt
from st_bme.settings import Values
from st_bme.upkeep.compression import COMPRESSION, Window, due_compressions
from st_bme.upkeep.consolidation import CONSOLIDATION
from st_bme.upkeep.forgetting import FORGETTING, due_forgetting
from st_bme.upkeep.reflection import REFLECTION, SYNOPSES
from st_bme.upkeep.schedule import Batch
from st_bme.upkeep.situation import Job, Situation, Task
from st_bme.upkeep.summaries import SUMMARIES
from st_bme.upkeep.tidying import TIDYING

SETTINGS = Values(
    {
        "smallSummaryEveryNExtractions": SUMMARISE_EVERY,
        "summaryRollupFanIn": 2,
        "evoConsolidateEvery": 5,
        "synopsisEveryN": 3,
        "reflectEveryN": 2,
        "sleepEveryN": 3,
        "forgetThreshold": 1.0,
        "compressionEveryN": 1,
    }
)
WINDOWS = dict.fromkeys(("event", "reflection"), Window(Batch(size=2, above=4, keep_newest=2), deepest=3))
TASKS: tuple[Task, ...] = (
    CONSOLIDATION,
    TIDYING,
    SUMMARIES,
    SYNOPSES,
    REFLECTION,
    replace(FORGETTING, due=partial(due_forgetting, turns_a_unit=4)),
    replace(COMPRESSION, due=partial(due_compressions, windows=WINDOWS)),
)
_TOKEN = re.compile(r"tok\d+x|hand\d+")


def keep_up(memory: Memory, texts: Mapping[str, str], follow: Callable[[], object]) -> None:
    """Decide on all that is due, as a session does; see `scenarios.scripted_upkeep.keep_up`."""
    jobs = 0
    for task in TASKS:
        while job := _next(task, memory, texts):
            graph = memory.graph
            for reading, operations in job.decide(_answer(job.prompt) if job.prompt else ""):
                memory.records.add(reading.decide(graph, memory.stamp(reading.task), operations))
            follow()
            jobs += 1
            assert jobs < MAX_DECISIONS, "upkeep finds no end"


def _next(task: Task, memory: Memory, texts: Mapping[str, str]) -> Job | None:
    situation = Situation(memory.graph, memory.records, memory.roles, SETTINGS, texts.__getitem__)
    return next(task.due(situation), None)


def _answer(prompt: ChatPrompt) -> str:
    """What the scripted model says; of a summary the tokens alone; of each memory that is kept, a changed old one."""
    said = json.loads(scripted_upkeep(prompt))
    if prompt.task in ("summarise", "roll_up"):
        said["summary"] = " ".join(_TOKEN.findall(said["summary"])) or "nothing"
    for verdict in said.get("results", ()):
        for link in verdict.get("links", ()):
            both = " + ".join(_told(prompt, ref) for ref in (link["target"], verdict["memory"]))
            verdict["changes"] = [{"target": link["target"], "understanding": both, "tags": ["seen"]}]
    return json.dumps(said)


def _told(prompt: ChatPrompt, ref: str) -> str:
    """All tokens of a memory that was shown."""
    found = re.search(rf"^{ref}\. \[\w+\] (.*?)(?: ←.*)?$", prompt.user, re.MULTILINE)
    assert found is not None
    return " ".join(_TOKEN.findall(found[1]))

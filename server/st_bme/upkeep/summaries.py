"""Summaries of messages, and of summaries: together they tell the whole story once, whatever its length."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from st_bme.model.node import Node
from st_bme.model.operation import Operation, Target
from st_bme.model.schema import SUMMARY
from st_bme.ports import ChatPrompt
from st_bme.prompts.upkeep import SummaryAnswer, read_summary, upkeep_prompt
from st_bme.upkeep.reading import Reading
from st_bme.upkeep.schedule import Batch, batch_to_condense, next_undecided, runs_to_summarise
from st_bme.upkeep.situation import Decision, Job, Situation, Task
from st_bme.write.plan import PlanRules

SUMMARISE = "summarise"
SMALL_LENGTH = ("80", "220")
ROLLED_LENGTH = ("120", "260")

_LONGEST_RUN = 16_000
"""Characters of a run that a model is shown; of each message its beginning and its end."""

_SHOWN_BEFORE = 2
_MADE = "made"


def due_summaries(situation: Situation) -> Iterator[Job]:
    """Runs of messages first, then levels with more summaries than may stand side by side."""
    settings, graph = situation.settings, situation.graph
    rules = PlanRules(every=settings.int("smallSummaryEveryNExtractions"), flush=situation.now)
    for reading in runs_to_summarise(SUMMARISE, graph, situation.roles, situation.records, rules):
        if next_undecided([reading], situation.records):
            yield _job(reading, _small_prompt(situation, reading))
    fan_in = settings.int("summaryRollupFanIn")
    for level in sorted({summary.level for summary in graph.frontier()}):
        alike = tuple(summary for summary in graph.frontier() if summary.level == level)
        batch = Batch(size=fan_in, above=fan_in)
        rolled = batch_to_condense(Reading(SUMMARISE, alike), batch, graph, situation.records)
        if rolled is not None:
            yield _job(rolled, _rolled_prompt(situation, rolled))


def _job(reading: Reading, prompt: ChatPrompt) -> Job:
    def decide(answer: str) -> Sequence[Decision]:
        made = Operation("create", type=SUMMARY, fields={"summary": read_summary(answer)}, ref=_MADE)
        return [(reading, [made, *put_away(reading.nodes, _MADE)])]

    return Job((reading,), decide, prompt)


def put_away(nodes: Sequence[Node], ref: str) -> list[Operation]:
    """Archive nodes below the one that was made under this ref."""
    return [Operation("archive", target=Target(id=node.id), to=Target(ref=ref)) for node in nodes]


def _small_prompt(situation: Situation, reading: Reading) -> ChatPrompt:
    texts = [text for key in reading.run if (text := situation.text_of(key))]
    room = _LONGEST_RUN // max(1, len(texts))
    values = {
        "before": "\n".join(summary.name for summary in situation.graph.frontier()[-_SHOWN_BEFORE:]),
        "messages": "\n\n".join(_shortened(text, room) for text in texts),
        "least": SMALL_LENGTH[0],
        "most": SMALL_LENGTH[1],
    }
    return upkeep_prompt("summarise", situation.language, values, SummaryAnswer)


def _rolled_prompt(situation: Situation, reading: Reading) -> ChatPrompt:
    values = {
        "summaries": "\n\n".join(node.name for node in reading.nodes),
        "least": ROLLED_LENGTH[0],
        "most": ROLLED_LENGTH[1],
    }
    return upkeep_prompt("roll_up", situation.language, values, SummaryAnswer)


def _shortened(text: str, most: int) -> str:
    """A text of at most so many characters: what it begins and ends with."""
    half = max(1, most // 2)
    return text if len(text) <= most else f"{text[:half]} … {text[-half:]}"


SUMMARIES = Task(SUMMARISE, ("enableHierarchicalSummary",), due_summaries)

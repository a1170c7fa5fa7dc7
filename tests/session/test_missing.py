"""What an answer leaves out is asked for once more: by the settings, within what a reply may cost."""

import json

import pytest

from session.desk import Page, serving
from st_bme.adapters.model_extractor import ModelExtractor
from st_bme.adapters.scripted_upkeep import scripted_upkeep
from st_bme.adapters.testing import ScriptedChatModel

TOLD = "Ann let the lantern fall and ran across the frozen harbour while the ice broke behind her. " * 4
ANN = {"action": "create", "type": "character", "fields": {"name": "Ann", "state": "out of breath"}}
SPELL = {"action": "create", "type": "spell", "fields": {"name": "Emberhand"}}
FLED = {"action": "create", "type": "event", "fields": {"summary": "Ann fled over the ice"}}
SUMMARISED_AT_ONCE = {"smallSummaryEveryNExtractions": 1, "summaryRollupFanIn": 2}


def writing(first, second):
    """A model that answers so when it is asked for everything, so when for what is missing; upkeep has its script."""
    said = {"extract": first, "extract_missing": second}
    return ScriptedChatModel(
        lambda prompt: json.dumps({"operations": said[prompt.task]}) if prompt.task in said else scripted_upkeep(prompt)
    )


async def test_both_answers_become_memories_of_one_record(tmp_path):
    model = writing([ANN], [FLED, SPELL])
    async with serving(tmp_path, ModelExtractor, model) as desk:
        page = Page(desk, enableForceUpdate=True, nodeTypeSchema="spell*: name")
        await page.attach()
        await page.turn("Run!", TOLD)
        session = desk.session(page.lineage)

        names = sorted(node.name for node in session.graph.active_nodes())
        assert names == ["Ann", "Ann fled over the ice", "Emberhand"]
        assert [prompt.task for prompt in model.prompts] == ["extract", "extract_missing"]


@pytest.mark.parametrize(
    ("is_on", "tasks"),
    [(False, ["extract", "summarise", "roll_up"]), (True, ["extract", "extract_missing", "summarise"])],
)
async def test_the_call_is_one_of_those_that_a_reply_may_cost(tmp_path, is_on, tasks):
    model = writing([ANN], [FLED])
    async with serving(tmp_path, ModelExtractor, model) as desk:
        page = Page(desk, enableForceUpdate=is_on, maxCallsPerTurn=3, **SUMMARISED_AT_ONCE)
        await page.attach()
        for place in range(3):
            begin = len(model.prompts)
            await page.turn(f"Run {place}!", TOLD)

        assert [prompt.task for prompt in model.prompts[begin:]] == tasks

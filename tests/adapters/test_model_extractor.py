from __future__ import annotations

import asyncio

import pytest

from st_bme.adapters.model_extractor import ModelExtractor
from st_bme.adapters.testing import ScriptedChatModel
from st_bme.errors import AnswerUnusable, ModelFailed
from st_bme.model.message import Message
from st_bme.model.operation import Operation, Target
from st_bme.ports import ChatPrompt, ChatReply, ExtractionInput, KnownNode

GOOD = '{"operations":[{"action":"update","nodeId":"N1","fields":{"state":"tired"},"cite":"#7"}]}'
REQUEST = ExtractionInput(
    run=[Message("k6", "user", "Sam", "Are you tired?", 6), Message("k7", "assistant", "Iris", "Very.", 7)],
    context=[Message("k5", "assistant", "Iris", "Evening came.", 5)],
    known=[KnownNode("N1", "id-iris", "character", "Iris", "Iris")],
    user_name="Sam",
    character_name="Iris",
    language="en",
)


async def test_answer_becomes_operations():
    model = ScriptedChatModel([GOOD])
    extraction = await ModelExtractor(model).extract(REQUEST)

    target = Target(id="id-iris", type="character", name="Iris")
    assert extraction.operations == (Operation("update", 1, fields={"state": "tired"}, target=target),)
    assert (extraction.refused, extraction.model) == ((), "scripted")
    prompt = model.prompts[0].user
    assert prompt.index("#5 [assistant|Iris]: Evening came.") < prompt.index("#6 [user|Sam]: Are you tired?")


async def test_no_operations_is_an_answer():
    extraction = await ModelExtractor(ScriptedChatModel(['{"operations":[]}'])).extract(REQUEST)

    assert extraction.operations == ()


@pytest.mark.parametrize(
    ("bad", "told"),
    [
        ("I cannot help with that.", "no list of operations"),
        (
            '{"operations":[{"action":"create","type":"spaceship","fields":{"name":"x"}}]}',
            "unknown node type",
        ),
    ],
)
async def test_an_unusable_answer_is_asked_again_with_its_problem(bad, told):
    model = ScriptedChatModel([bad, GOOD])
    extraction = await ModelExtractor(model).extract(REQUEST)

    assert len(extraction.operations) == 1
    assert told not in model.prompts[0].user
    assert told in model.prompts[1].user


async def test_three_unusable_answers_are_a_failure():
    model = ScriptedChatModel(["no"] * 5)
    with pytest.raises(AnswerUnusable, match="3 tries"):
        await ModelExtractor(model).extract(REQUEST)

    assert len(model.prompts) == 3


async def test_a_failed_call_is_passed_on():
    with pytest.raises(ModelFailed, match="key"):
        await ModelExtractor(ScriptedChatModel([ModelFailed("wrong key")])).extract(REQUEST)


async def test_the_time_limit_holds_for_all_tries():
    class Slow:
        name = "slow"

        async def complete(self, prompt: ChatPrompt, *, timeout_s: float) -> ChatReply:
            await asyncio.sleep(0.03)
            return ChatReply("no", self.name)

    with pytest.raises(ModelFailed, match="within"):
        await ModelExtractor(Slow(), time_limit_s=0.05).extract(REQUEST)

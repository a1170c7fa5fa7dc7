from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from st_bme.adapters.model_extractor import ModelExtractor
from st_bme.adapters.testing import ScriptedChatModel
from st_bme.errors import AnswerUnusable, ModelFailed, ModelTimeout
from st_bme.model.message import Message
from st_bme.model.operation import Operation, Target
from st_bme.model.scope import Scope
from st_bme.ports import Asking, Background, ChatPrompt, ChatReply, ExtractionInput, KnownNode, TrackedVariable

GOOD = '{"operations":[{"action":"update","nodeId":"N1","fields":{"state":"tired"},"cite":"#7"}]}'
REQUEST = ExtractionInput(
    run=[Message("k6", "user", "Sam", "Are you tired?", 6), Message("k7", "assistant", "Iris", "Very.", 7)],
    context=[Message("k5", "assistant", "Iris", "Evening came.", 5)],
    known=[KnownNode("N1", "id-iris", "character", "Iris", "Iris")],
    user_name="Sam",
    character_name="Iris",
    language="en",
)


def within(limit_s: float) -> ExtractionInput:
    return replace(REQUEST, asking=replace(REQUEST.asking, time_limit_s=limit_s))


class Slow:
    """Takes its time over each answer, and before that waits for its turn."""

    name = "slow"

    def __init__(self, text: str, *, seconds: float, waits_s: float = 0.0) -> None:
        self._text = text
        self._seconds = seconds
        self._waits_s = waits_s
        self.limits: list[float] = []

    async def complete(self, prompt: ChatPrompt, *, timeout_s: float) -> ChatReply:
        self.limits.append(timeout_s)
        await asyncio.sleep(self._waits_s)
        if self._seconds > timeout_s:
            raise ModelTimeout(f"no answer within {timeout_s} s")
        return ChatReply(self._text, self.name, seconds=self._seconds)


def staged(stages: str, **asking: bool) -> ExtractionInput:
    return replace(REQUEST, asking=Asking(stages=stages, **asking))


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
    with pytest.raises(AnswerUnusable, match=r"^the model gave no usable answer in 3 tries: "):
        await ModelExtractor(model).extract(REQUEST)

    assert len(model.prompts) == 3


async def test_a_failed_call_is_passed_on():
    with pytest.raises(ModelFailed, match="key"):
        await ModelExtractor(ScriptedChatModel([ModelFailed("wrong key")])).extract(REQUEST)


async def test_the_time_limit_holds_for_all_tries():
    model = Slow("no", seconds=0.03)
    with pytest.raises(ModelTimeout, match="within") as failure:
        await ModelExtractor(model).extract(within(0.05))

    assert [round(limit, 2) for limit in model.limits] == [0.05, 0.02]
    assert (failure.value.calls, failure.value.tokens) == (2, 0)


async def test_waiting_for_a_turn_takes_nothing_of_the_time():
    model = Slow(GOOD, seconds=0.0, waits_s=0.05)
    extraction = await ModelExtractor(model).extract(within(0.01))

    assert len(extraction.operations) == 1


async def test_an_empty_reply_is_asked_again():
    model = ScriptedChatModel([AnswerUnusable("answered without text (ended by length)"), GOOD])
    extraction = await ModelExtractor(model).extract(REQUEST)

    assert (len(extraction.operations), extraction.calls) == (1, 2)


async def test_calls_are_counted_though_no_tokens_are_told():
    extraction = await ModelExtractor(ScriptedChatModel(["no", GOOD])).extract(REQUEST)

    assert (extraction.calls, extraction.tokens) == (2, 0)


async def test_a_closed_gate_in_the_same_call_is_an_empty_answer():
    extraction = await ModelExtractor(ScriptedChatModel(['{"has_key_information": false}'])).extract(REQUEST)

    assert (extraction.operations, extraction.refused, extraction.calls) == ((), (), 1)


async def test_a_closed_gate_saves_the_second_call_and_keeps_variables():
    background = Background(variables=(TrackedVariable("mood", "how Iris feels"),))
    request = replace(staged("gate_then_extract"), background=background)
    model = ScriptedChatModel(['{"has_key_information": false, "variables": {"mood": "weary"}}'])
    extraction = await ModelExtractor(model).extract(request)

    assert [prompt.task for prompt in model.prompts] == ["extract_gate"]
    assert extraction.operations == (Operation("set", fields={"mood": "weary"}),)


async def test_an_open_gate_is_followed_by_the_extraction():
    model = ScriptedChatModel(['{"has_key_information": true}', GOOD])
    extraction = await ModelExtractor(model).extract(staged("gate_then_extract"))

    assert [prompt.task for prompt in model.prompts] == ["extract_gate", "extract"]
    assert "variables" not in str(model.prompts[0].schema)
    assert (len(extraction.operations), extraction.calls) == (1, 2)


async def test_a_gate_that_says_neither_yes_nor_no_is_asked_again():
    model = ScriptedChatModel(["Hm.", '{"thought": "hm"}', '{"has_key_information": "否"}'])
    extraction = await ModelExtractor(model).extract(staged("gate_then_extract"))

    assert (extraction.operations, extraction.calls) == ((), 3)


HAPPENED = '{"operations":[{"action":"create","type":"event","fields":{"summary":"Iris lay down"},"cite":"#7"}]}'
SEEN = (
    '{"operations":[{"action":"create","type":"pov_memory","fields":{"summary":"Sam worries"},"cite":"#6",'
    '"scope":{"layer":"pov","ownerType":"character","ownerName":"Sam"},"links":[{"target":"op0"}]}],'
    '"cognitionUpdates":[{"cite":"#7","ownerName":"Iris","knownRefs":["op0","N1"]}]}'
)


async def test_views_are_asked_for_apart_and_name_what_happened():
    model = ScriptedChatModel([HAPPENED, SEEN])
    extraction = await ModelExtractor(model).extract(staged("objective_then_pov"))

    assert [prompt.task for prompt in model.prompts] == ["extract", "extract_pov"]
    assert "pov_memory" not in model.prompts[0].system
    assert "op0 [event] Iris lay down" in model.prompts[1].user
    happened, seen, link, *known = extraction.operations
    assert (happened.type, happened.ref) == ("event", "op0")
    assert seen.scope == Scope("pov", "user", "Sam", "Sam")
    assert (link.action, link.to) == ("link", Target(ref="op0"))
    assert [(each.action, each.target, each.cite) for each in known] == [
        ("know", Target(ref="op0"), 1),
        ("know", Target(id="id-iris", type="character", name="Iris"), 1),
    ]
    assert extraction.refused == ()


async def test_a_failed_second_step_keeps_what_the_first_made():
    model = ScriptedChatModel([HAPPENED, ModelTimeout("too slow")])
    extraction = await ModelExtractor(model).extract(staged("objective_then_pov"))

    assert [operation.type for operation in extraction.operations] == ["event"]
    assert [refusal.code for refusal in extraction.refused] == ["step_failed"]
    assert extraction.calls == 2


@pytest.mark.parametrize(("first", "calls"), [('{"operations":[]}', 2), ('{"has_key_information":false}', 1)])
async def test_views_are_asked_for_unless_there_was_nothing_at_all(first, calls):
    model = ScriptedChatModel([first, '{"operations":[]}'])
    extraction = await ModelExtractor(model).extract(staged("objective_then_pov"))

    assert (extraction.operations, extraction.calls) == ((), calls)

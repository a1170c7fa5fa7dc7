"""A type that something is to be noted of, and an answer that leaves it out: one more call, and what becomes of it."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from st_bme.adapters.model_extractor import ModelExtractor
from st_bme.adapters.testing import ScriptedChatModel
from st_bme.errors import ModelFailed, ModelTimeout
from st_bme.model.message import Message
from st_bme.model.operation import Operation, Target
from st_bme.ports import Asking, ChatPrompt, ChatReply, ExtractionInput, KnownNode
from st_bme.settings.node_types import own_types

TOLD = "Iris let the lantern fall and ran across the frozen harbour while the ice broke behind her. " * 4
REQUEST = ExtractionInput(
    run=[Message("k6", "user", "Sam", "Run!", 6), Message("k7", "assistant", "Iris", TOLD, 7)],
    context=[],
    known=[KnownNode("N1", "id-iris", "character", "Iris", "Iris"), KnownNode("N2", "id-ice", "event", "", "Ice came")],
    user_name="Sam",
    character_name="Iris",
    language="en",
    asking=Asking(asks_for_missing=True),
)


def answer(*operations: dict[str, object], **beside: object) -> str:
    return json.dumps({**beside, "operations": operations})


def event(summary: str) -> dict[str, object]:
    return {"action": "create", "type": "event", "fields": {"summary": summary}, "cite": "#7"}


TIRED = {"action": "update", "nodeId": "N1", "fields": {"state": "tired"}, "cite": "#7"}
IS_TIRED = Operation("update", 1, fields={"state": "tired"}, target=Target(id="id-iris", type="character", name="Iris"))
NOTHING = answer()
SECRET = {"action": "create", "type": "secret", "fields": {"text": "The ice is hollow"}, "cite": "#7"}


def saying(text: str) -> ExtractionInput:
    return replace(REQUEST, run=[REQUEST.run[0], Message("k7", "assistant", "Iris", text, 7)])


def with_types(text: str, **asking: object) -> ExtractionInput:
    return replace(REQUEST, asking=replace(REQUEST.asking, types=own_types(text), **asking))


def tasks(model: ScriptedChatModel) -> list[str]:
    return [prompt.task for prompt in model.prompts]


async def test_an_event_that_was_left_out_is_asked_for_once_more():
    model = ScriptedChatModel([answer(TIRED), answer({**event("Iris fled over the ice"), "links": ["N1"]})])
    extraction = await ModelExtractor(model).extract(REQUEST)

    tired, fled, link = extraction.operations
    assert tired == IS_TIRED
    assert (fled.type, fled.fields, fled.cite) == ("event", {"summary": "Iris fled over the ice"}, 1)
    assert (link.to, link.target) == (IS_TIRED.target, Target(ref=fled.ref))
    assert (extraction.calls, extraction.refused) == (2, ())
    asked = model.prompts[1]
    assert (asked.task, asked.schema["properties"]["operations"]["items"]["properties"]["type"]["enum"]) == (
        "extract_missing",
        ["event"],
    )
    assert "N1 [] tired" in asked.user


@pytest.mark.parametrize(
    "first",
    [
        answer(event("Iris fled"), TIRED),
        answer({"action": "update", "nodeId": "N2", "fields": {"summary": "It broke"}, "cite": "#7"}),
        NOTHING,
        answer(has_key_information=False),
        answer(regionUpdates={"cite": "#7", "activeRegionHint": "Harbour"}),
    ],
)
async def test_an_answer_with_an_event_or_with_nothing_is_enough(first):
    model = ScriptedChatModel([first])
    await ModelExtractor(model).extract(REQUEST)

    assert tasks(model) == ["extract"]


async def test_an_event_without_its_action_is_taken_too():
    model = ScriptedChatModel([answer(TIRED), '{"events":[{"fields":{"summary":"Iris fled"},"cite":"#7"}]}'])
    extraction = await ModelExtractor(model).extract(REQUEST)

    assert [operation.fields for operation in extraction.operations] == [{"state": "tired"}, {"summary": "Iris fled"}]


async def test_key_information_without_any_operation_is_asked_for():
    model = ScriptedChatModel([answer(has_key_information=True), answer(event("Iris fled"))])
    extraction = await ModelExtractor(model).extract(REQUEST)

    assert [operation.type for operation in extraction.operations] == ["event"]


@pytest.mark.parametrize(
    "request_",
    [
        replace(REQUEST, asking=Asking()),
        saying(TOLD[:270]),
        saying("她跑过结冰的港口，冰裂开了。" * 2),
    ],
    ids=["switched off", "three sentences", "two sentences in Chinese"],
)
async def test_nothing_more_is_asked_where_it_is_off_or_little_was_said(request_):
    model = ScriptedChatModel([answer(TIRED)])
    extraction = await ModelExtractor(model).extract(request_)

    assert (extraction.operations, extraction.calls) == ((IS_TIRED,), 1)
    assert len(ModelExtractor(model).prompts(request_)) == 1


@pytest.mark.parametrize(
    ("second", "refused"),
    [
        (NOTHING, []),
        (answer(has_key_information=False), []),
        ("I cannot help with that.", ["step_failed"]),
        (ModelTimeout("too slow"), ["step_failed"]),
        (ModelFailed("wrong key"), ["step_failed"]),
        (answer({"action": "create", "type": "event", "fields": {}, "cite": "#7"}), ["missing_field"]),
        (answer({"action": "delete", "nodeId": "N1", "cite": "#7"}), []),
        (answer({"action": "update", "nodeId": "N1", "fields": {"state": "dead"}, "cite": "#7"}), []),
        (answer({"action": "create", "type": "character", "fields": {"name": "Iris", "state": "dead"}}), []),
        (answer(variables={"mood": "dead"}, batchStoryTime={"label": "never"}), []),
    ],
)
async def test_whatever_the_second_answer_is_the_first_stands_and_nobody_asks_again(second, refused):
    model = ScriptedChatModel([answer(TIRED), second])
    extraction = await ModelExtractor(model).extract(REQUEST)

    assert extraction.operations == (IS_TIRED,)
    assert [refusal.code for refusal in extraction.refused] == refused
    assert (tasks(model), extraction.calls) == (["extract", "extract_missing"], 2)


class Metered:
    """Every answer takes a second and thirty tokens."""

    name = "metered"

    def __init__(self) -> None:
        self.limits: list[float] = []

    async def complete(self, prompt: ChatPrompt, *, timeout_s: float) -> ChatReply:
        self.limits.append(timeout_s)
        said = answer(TIRED) if prompt.task == "extract" else NOTHING
        return ChatReply(said, self.name, seconds=1.0, prompt_tokens=20, completion_tokens=10)


@pytest.mark.parametrize(("limit", "limits"), [(5.0, [5.0, 4.0]), (1.0, [1.0])])
async def test_the_second_call_takes_its_time_and_tokens_from_the_same_run(limit, limits):
    model = Metered()
    asked = replace(REQUEST, asking=replace(REQUEST.asking, time_limit_s=limit))
    extraction = await ModelExtractor(model).extract(asked)

    assert model.limits == limits
    assert (extraction.calls, extraction.tokens) == (len(limits), 30 * len(limits))
    assert extraction.operations == (IS_TIRED,)


async def test_a_type_of_the_users_own_may_be_asked_for_too():
    model = ScriptedChatModel([answer(event("Iris fled")), answer(SECRET)])
    extraction = await ModelExtractor(model).extract(with_types("secret* (what nobody says): text\nplace: name"))

    assert [operation.type for operation in extraction.operations] == ["event", "secret"]
    listed = model.prompts[1].system.partition("TYPES")[2].partition("RELATIONS")[0]
    assert listed.strip() == "secret (what nobody says): text*"


async def test_all_that_is_missing_is_asked_for_in_one_call():
    model = ScriptedChatModel([answer(TIRED), answer(SECRET)])
    extraction = await ModelExtractor(model).extract(with_types("secret*: text"))

    assert [operation.type for operation in extraction.operations] == ["", "secret"]
    assert tasks(model) == ["extract", "extract_missing"]


@pytest.mark.parametrize(
    ("stages", "answers", "asked"),
    [
        (
            "gate_then_extract",
            ['{"has_key_information": true}', answer(TIRED), answer(event("Iris fled"))],
            ["extract_gate", "extract", "extract_missing"],
        ),
        (
            "objective_then_pov",
            [answer(TIRED), answer(event("Iris fled")), NOTHING],
            ["extract", "extract_missing", "extract_pov"],
        ),
    ],
)
async def test_it_is_one_step_more_of_any_way_to_ask(stages, answers, asked):
    model = ScriptedChatModel(answers)
    extractor = ModelExtractor(model)
    request_ = with_types("", stages=stages)
    extraction = await extractor.extract(request_)

    assert [operation.action for operation in extraction.operations] == ["update", "create"]
    assert tasks(model) == asked
    assert [prompt.task for prompt in extractor.prompts(request_)] == asked


async def test_views_are_asked_for_with_what_was_added():
    model = ScriptedChatModel([answer(TIRED), answer(event("Iris fled")), NOTHING])
    await ModelExtractor(model).extract(with_types("", stages="objective_then_pov"))

    assert "op1 [event] Iris fled" in model.prompts[2].user


async def test_a_chinese_chat_is_asked_in_chinese():
    model = ScriptedChatModel([answer(TIRED), NOTHING])
    await ModelExtractor(model).extract(replace(REQUEST, language="zh"))

    assert model.prompts[1].system.startswith("你负责")
    assert TOLD.strip() in model.prompts[1].user

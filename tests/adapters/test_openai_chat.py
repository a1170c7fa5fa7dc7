"""The chat model over real sockets: answer formats, what was learned, answers that are none."""

import asyncio
import json
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from adapters.endpoints import answering, completion, scripted, silent
from st_bme.adapters.endpoint import Endpoint, parse_endpoint
from st_bme.adapters.key_ring import EndpointKeys
from st_bme.adapters.openai_chat import OpenAiChatModel
from st_bme.adapters.scripted_endpoint import RecordedRequest, ScriptedEndpoint, ScriptedReply
from st_bme.errors import AnswerUnusable, ModelTimeout, RequestRefused
from st_bme.ports import ChatPrompt, ChatReply

SCHEMA = {"type": "object", "properties": {"operations": {"type": "array"}}}
PROMPT = ChatPrompt("extract", "Answer in JSON.", "Alice hid the key.", 500, 0.2, SCHEMA)


@pytest_asyncio.fixture
async def endpoint() -> AsyncIterator[ScriptedEndpoint]:
    async with scripted() as endpoint:
        yield endpoint


def _model(endpoint: Endpoint) -> OpenAiChatModel:
    return OpenAiChatModel("story-model", endpoint, EndpointKeys(endpoint.origin))


async def _complete(model: OpenAiChatModel, *prompts: ChatPrompt, timeout_s: float = 10) -> list[ChatReply]:
    try:
        return [await model.complete(prompt, timeout_s=timeout_s) for prompt in prompts]
    finally:
        await model.close()


def _formats(endpoint: ScriptedEndpoint) -> list[str]:
    return [_format(request) for request in endpoint.requests]


def _format(request: RecordedRequest) -> str:
    response_format = request.body.get("response_format")
    return str(response_format["type"]) if isinstance(response_format, dict) else "text"


async def test_the_answer_comes_with_its_model_and_its_cost(endpoint: ScriptedEndpoint):
    endpoint.enqueue('{"operations": []}')
    model = _model(parse_endpoint(endpoint.url))

    (reply,) = await _complete(model, PROMPT)

    assert (reply.text, reply.model) == ('{"operations": []}', "scripted-model")
    assert reply.prompt_tokens > reply.completion_tokens > 0
    request = endpoint.requests[0]
    assert request.messages == [("system", "Answer in JSON."), ("user", "Alice hid the key.")]
    assert (request.body["model"], request.body["max_tokens"], request.body["temperature"]) == ("story-model", 500, 0.2)
    assert model.name == "story-model"


@pytest.mark.parametrize(
    ("understood", "asked"),
    [
        ({"json_schema"}, ["json_schema", "json_schema"]),
        ({"json_object"}, ["json_schema", "json_object", "json_object"]),
        ({"text"}, ["json_schema", "json_object", "text", "text"]),
    ],
)
@pytest.mark.parametrize("status", [400, 422])
async def test_the_answer_format_is_found_once(
    endpoint: ScriptedEndpoint, understood: set[str], asked: list[str], status: int
):
    refusal = ScriptedReply("response_format is not supported", status=status)
    endpoint.script = lambda request: ScriptedReply("{}") if _format(request) in understood else refusal

    await _complete(_model(parse_endpoint(endpoint.url)), PROMPT, PROMPT)

    assert _formats(endpoint) == asked


async def test_a_refusal_for_another_reason_teaches_nothing(endpoint: ScriptedEndpoint):
    model = _model(parse_endpoint(endpoint.url))
    endpoint.script = lambda _: ScriptedReply("the prompt is too long", status=400)
    with pytest.raises(RequestRefused, match="too long"):
        await model.complete(PROMPT, timeout_s=10)
    endpoint.reset()

    await _complete(model, PROMPT)

    assert _formats(endpoint) == ["json_schema"]


async def test_an_unknown_model_is_refused_without_further_tries(endpoint: ScriptedEndpoint):
    endpoint.script = lambda _: ScriptedReply("no such model", status=404)

    with pytest.raises(RequestRefused, match="no such model"):
        await _complete(_model(parse_endpoint(endpoint.url)), PROMPT)

    assert len(endpoint.requests) == 1


async def test_a_model_that_sets_its_own_temperature_and_counts_otherwise_is_learned(endpoint: ScriptedEndpoint):
    def reply(request: RecordedRequest) -> ScriptedReply:
        if "max_tokens" in request.body:
            return ScriptedReply("Unsupported: 'max_tokens'. Use 'max_completion_tokens' instead.", status=400)
        if "temperature" in request.body:
            return ScriptedReply("Unsupported value: 'temperature'", status=400)
        return ScriptedReply("{}")

    endpoint.script = reply

    await _complete(_model(parse_endpoint(endpoint.url)), PROMPT, PROMPT)

    assert len(endpoint.requests) == 4
    assert _formats(endpoint) == ["json_schema"] * 4
    assert endpoint.requests[-1].body["max_completion_tokens"] == 500


async def test_free_text_is_asked_for_without_a_format(endpoint: ScriptedEndpoint):
    await _complete(_model(parse_endpoint(endpoint.url)), ChatPrompt("summarize", "Be short.", "Alice left.", 100))

    assert _formats(endpoint) == ["text"]


async def test_a_bare_answer_without_model_and_usage_is_enough():
    async with answering(completion("Yes.")) as endpoint:
        (reply,) = await _complete(_model(endpoint), PROMPT)

    assert reply == ChatReply("Yes.", "story-model")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("Yes.", "Yes."),
        ([{"type": "thinking", "thinking": []}, {"type": "text", "text": "Ye"}, None, {"text": "s."}], "Yes."),
        ("half \ud83d", "half \ufffd"),
    ],
    ids=["text", "parts", "half a character"],
)
async def test_the_text_of_an_answer_is_taken_as_providers_write_it(content: object, said: str):
    body = json.dumps({"choices": [{"message": {"content": content}}]})
    async with answering(body.encode()) as endpoint:
        (reply,) = await _complete(_model(endpoint), PROMPT)

    assert reply.text == said


@pytest.mark.parametrize(
    "beside",
    [
        {"usage": None},
        {"usage": [1, 2]},
        {"usage": {"prompt_tokens": "12", "completion_tokens": None}},
        {"usage": {"prompt_tokens": 1.5, "completion_tokens": True}},
        {"usage": {"prompt_tokens": float("nan"), "completion_tokens": float("inf")}},
        {"model": 5},
        {"model": None},
        {"id": [], "object": 7, "created": "yesterday"},
    ],
    ids=json.dumps,
)
async def test_what_stands_beside_the_text_costs_no_answer(beside: dict[str, object]):
    body = json.dumps({"choices": [{"message": {"content": "Yes."}, "finish_reason": 3}], **beside})
    async with answering(body.encode()) as endpoint:
        (reply,) = await _complete(_model(endpoint), PROMPT)

    assert reply == ChatReply("Yes.", "story-model")


async def test_bytes_that_are_no_text_cost_no_answer():
    body = json.dumps({"choices": [{"message": {"content": "Yes. X"}}]}).encode().replace(b"X", b"\xff")
    async with answering(b"\xef\xbb\xbf" + body) as endpoint:
        (reply,) = await _complete(_model(endpoint), PROMPT)

    assert reply.text == "Yes. \ufffd"


async def test_the_name_that_an_endpoint_gives_its_model_is_cut():
    body = json.dumps({"choices": [{"message": {"content": "Yes."}}], "model": "m" * 5_000})
    async with answering(body.encode()) as endpoint:
        (reply,) = await _complete(_model(endpoint), PROMPT)

    assert reply.model == "m" * 200


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"<html>Welcome</html>", "no chat completion"),
        (b"", "no chat completion"),
        (b'{"choices": null}', "no chat completion"),
        (b'{"choices": [{"message": {"content": "cut', "no chat completion"),
        (b'{"choices": []}', "without text"),
        (b'{"choices": [{"message": null}]}', "without text"),
        (b'{"choices": [{"message": {"content": 5}}]}', "without text"),
        (b'{"choices": ' + b"[" * 3_000 + b"]" * 3_000 + b"}", "no chat completion"),
        (b'{"choices": [{"message": {"content": null}, "finish_reason": "content_filter"}]}', "content_filter"),
        (b'{"choices": [{"message": {"content": ""}}]}', "without text"),
    ],
)
async def test_what_is_no_answer_is_said_to_be_none(body: bytes, said: str):
    async with answering(body) as endpoint:
        with pytest.raises(AnswerUnusable, match=said):
            await _complete(_model(endpoint), PROMPT)


async def test_the_time_limit_holds_over_all_formats(endpoint: ScriptedEndpoint):
    endpoint.script = lambda _: ScriptedReply("no such format", status=400, delay_s=0.8)
    model = _model(parse_endpoint(endpoint.url))

    with pytest.raises(ModelTimeout):
        await _complete(model, PROMPT, timeout_s=1.5)


async def test_a_silent_endpoint_is_given_up():
    async with silent() as (server, endpoint):
        with pytest.raises(ModelTimeout):
            await _complete(_model(endpoint), PROMPT, timeout_s=2)

        await asyncio.wait_for(server.ended.wait(), 2)

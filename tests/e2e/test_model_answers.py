"""What models answer when they are asked to extract, as they really answer it, and what they are asked."""

import ast
import json
import re
from collections.abc import Mapping

import pytest

from st_bme.adapters.scripted_endpoint import RecordedRequest, Script, ScriptedEndpoint, ScriptedReply

from .bridge import Bridge
from .chat_page import ChatPage, OpenPage, wait_until
from .marks import E2E
from .memory import Memory
from .sillytavern import PROMPT_MARK, Api, Setup

pytestmark = E2E

FACT = "Yelena keeps bees in Ostrava."
SAID = "My sister Yelena keeps bees in Ostrava."
CARD = "Mira mends clocks and limps."
LORE = "Ostrava lies on the Ostravice."
TOO_LATE = "bme.trouble.model_timeout"
TOLD = {(401, True): "host_key_wrong", (401, False): "key_wrong", (429, True): "rate_limited"}  # by is_relayed

THOUGHT = (
    "<think>One event {maybe}. Let me write it down.</think>\nHere is the JSON you asked for:\n```json\n@\n```\nDone."
)


def answered(shape: str, request: RecordedRequest) -> str:
    """One memory in the shape in which a model gave it."""
    cite = f"#{re.findall(r'#([0-9]+) ', request.prompt)[-1]}"
    event = {"action": "create", "type": "event", "fields": {"title": "Bees", "summary": FACT}, "cite": cite}
    text = json.dumps({"thought": "Sam's sister keeps bees.", "operations": [event]}, indent=2)
    if shape == "cut":
        return text.replace("\n  ]\n}", ',\n    {\n      "action": "create",\n      "type": "chara')
    if shape == "printed by python":
        return repr(json.loads(text))
    return THOUGHT.replace("@", text)


def answering(shape: str) -> Script:
    def reply(request: RecordedRequest) -> ScriptedReply:
        if PROMPT_MARK in request.prompt:
            return ScriptedReply("She smiles.")
        return ScriptedReply(answered(shape, request))

    return reply


def without_json_mode(request: RecordedRequest) -> ScriptedReply:
    """An endpoint that knows no response format."""
    if PROMPT_MARK not in request.prompt and "response_format" in request.body:
        return ScriptedReply("response_format is not supported", status=400)
    return answering("thought")(request)


def busy_at_first() -> Script:
    """An endpoint that asks to come back after a second, once."""
    asked = 0

    def reply(request: RecordedRequest) -> ScriptedReply:
        nonlocal asked
        if PROMPT_MARK in request.prompt:
            return ScriptedReply("She smiles.")
        asked += 1
        if asked == 1:
            return ScriptedReply("slow down", status=429, headers={"Retry-After": "1"})
        return ScriptedReply(answered("thought", request))

    return reply


def answering_with_mood(request: RecordedRequest) -> ScriptedReply:
    reply = answering("printed by python")(request)
    if PROMPT_MARK in request.prompt:
        return reply
    return ScriptedReply(json.dumps({**ast.literal_eval(reply.text), "variables": {"mood": "glad"}}))


def refusing(status: int) -> Script:
    def reply(request: RecordedRequest) -> ScriptedReply:
        if PROMPT_MARK in request.prompt:
            return ScriptedReply("She smiles.")
        return ScriptedReply("Unauthorized: bad key" if status == 401 else "Too many requests", status=status)

    return reply


def remembering(bridge: Bridge, settings: Mapping[str, object], *, is_streaming: bool = False) -> Setup:
    values = {"extractSettleS": 0, "embeddingSource": "none", **settings}
    extension = {"enabled": True, "serverUrl": bridge.url, "settings": values}
    return Setup(Api.CHAT_COMPLETION, is_streaming=is_streaming, extension_settings=extension)


def direct(endpoint: ScriptedEndpoint) -> dict[str, object]:
    return {"modelSource": "openai", "llm.baseURL": f"{endpoint.url}/v1", "llm.model": "story-model"}


async def open_chat(page: ChatPage) -> Memory:
    memory = Memory(page)
    await page.select_character(await page.create_character("Mira", description=CARD))
    await memory.wait_for_badge("green", "ready")
    return memory


@pytest.mark.parametrize(
    ("shape", "is_streaming"), [("thought", True), ("printed by python", False), ("cut", False)], ids=str
)
async def test_a_relayed_answer_is_salvaged(
    open_page: OpenPage, bridge: Bridge, endpoint: ScriptedEndpoint, shape: str, is_streaming: bool
) -> None:
    endpoint.script = answering(shape)
    page = await open_page(remembering(bridge, {}, is_streaming=is_streaming))
    memory = await open_chat(page)

    await page.send(SAID)

    await wait_until(lambda: memory.tells(FACT), "a memory out of this answer", timeout_s=30)
    assert len(extractions(endpoint)) == 1


async def test_an_endpoint_without_json_mode_is_asked_for_text_and_that_is_remembered(
    open_page: OpenPage, bridge: Bridge, endpoint: ScriptedEndpoint
) -> None:
    endpoint.script = without_json_mode
    page = await open_page(remembering(bridge, direct(endpoint)))
    memory = await open_chat(page)

    await page.send(SAID)
    await wait_until(lambda: memory.tells(FACT), "a memory without JSON mode", timeout_s=30)
    before = len(extractions(endpoint))
    await page.send("And honey?")
    await wait_until(lambda: has_asked(endpoint, before + 1), "a second extraction", timeout_s=30)

    formats = [request.body.get("response_format") for request in extractions(endpoint)]
    assert [entry["type"] if isinstance(entry, dict) else None for entry in formats] == [
        "json_schema",
        "json_object",
        None,
        None,
    ]


def extractions(endpoint: ScriptedEndpoint) -> list[RecordedRequest]:
    completions = (request for request in endpoint.requests if request.kind in ("chat", "text"))
    return [request for request in completions if PROMPT_MARK not in request.prompt]


async def has_asked(endpoint: ScriptedEndpoint, count: int) -> bool:
    return len(extractions(endpoint)) >= count


async def test_a_busy_endpoint_is_asked_again_when_it_said(
    open_page: OpenPage, bridge: Bridge, endpoint: ScriptedEndpoint
) -> None:
    endpoint.script = busy_at_first()
    page = await open_page(remembering(bridge, direct(endpoint)))
    memory = await open_chat(page)

    await page.send(SAID)
    await wait_until(lambda: memory.tells(FACT), "a memory after the pause", timeout_s=30)

    first, second = extractions(endpoint)
    assert second.received_at_s - first.received_at_s >= 1
    assert (await memory.badge())[0] == "green"


def hanging(request: RecordedRequest) -> ScriptedReply:
    """An endpoint that thinks far longer about memories than anyone waits."""
    if PROMPT_MARK in request.prompt:
        return ScriptedReply("She smiles.")
    return ScriptedReply(answered("thought", request), delay_s=60)


@pytest.mark.parametrize("is_relayed", [True, False], ids=["relayed", "direct"])
async def test_a_model_that_hangs_is_given_up_and_what_it_was_asked_is_read_later(
    open_page: OpenPage, bridge: Bridge, endpoint: ScriptedEndpoint, is_relayed: bool
) -> None:
    endpoint.script = hanging
    settings = {} if is_relayed else direct(endpoint)
    page = await open_page(remembering(bridge, {"modelTimeoutS": 5, **settings}))
    memory = await open_chat(page)

    await page.send(SAID)
    await memory.wait_for_badge("amber", TOO_LATE, timeout_s=30)
    endpoint.script = answering("thought")
    await page.run_slash_command("/bme-extract")

    await wait_until(lambda: memory.tells(FACT), "a memory once the model answers", timeout_s=30)
    await memory.wait_for_badge("green", "ready", timeout_s=10)


async def test_a_followed_value_becomes_a_variable_of_the_chat(
    open_page: OpenPage, bridge: Bridge, endpoint: ScriptedEndpoint
) -> None:
    endpoint.script = answering_with_mood
    wanted = {"trackedVariables": "mood: how Mira feels", "exportVariablesToChat": True}
    page = await open_page(remembering(bridge, wanted))
    memory = await open_chat(page)

    await page.send(SAID)
    await wait_until(lambda: memory.tells(FACT), "a memory", timeout_s=30)

    assert await page.run_slash_command("/getvar mood") == "glad"
    assert await page.run_slash_command("/pass {{getvar::mood}}") == "glad"


@pytest.mark.parametrize(
    ("status", "is_relayed"),
    TOLD,
    ids=["key relayed", "key direct", "busy relayed"],
)
async def test_a_refusal_is_told_and_nothing_is_lost(
    open_page: OpenPage, bridge: Bridge, endpoint: ScriptedEndpoint, status: int, is_relayed: bool
) -> None:
    endpoint.script = refusing(status)
    settings = {} if is_relayed else direct(endpoint)
    page = await open_page(remembering(bridge, settings))
    memory = await open_chat(page)

    await page.send(SAID)
    await memory.wait_for_badge("amber", f"bme.trouble.{TOLD[status, is_relayed]}", timeout_s=30)
    endpoint.script = answering("thought")
    await page.run_slash_command("/bme-extract")

    await wait_until(lambda: memory.tells(FACT), "a memory once it is accepted", timeout_s=30)
    await memory.wait_for_badge("green", "ready", timeout_s=10)


async def test_card_and_world_info_are_shown_to_the_extraction_where_they_are_wanted(
    open_page: OpenPage, bridge: Bridge, endpoint: ScriptedEndpoint
) -> None:
    endpoint.script = answering("thought")
    page = await open_page(remembering(bridge, {"extractIncludeCard": True, "extractIncludeWorldInfo": True}))
    memory = await open_chat(page)
    await page.run_slash_command(f'/getchatbook | /createentry file="{{{{pipe}}}}" key="Yelena" {LORE}')

    await page.send(SAID)
    await wait_until(lambda: memory.tells(FACT), "a memory", timeout_s=30)

    asked = extractions(endpoint)[0].prompt
    assert CARD in asked
    assert LORE in asked
    assert asked.index(LORE) < asked.index(SAID)

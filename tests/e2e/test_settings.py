"""The block in the extensions drawer: every setting can be changed there, is kept, and changes what it says."""

from typing import Any

import pytest

from st_bme.adapters.scripted_endpoint import RecordedRequest, ScriptedEndpoint, ScriptedReply

from .block import Block
from .bridge import Bridge
from .chat_page import ChatPage, OpenPage, wait_until
from .marks import E2E
from .memory import Memory, fill_context, remembering
from .prompts import Prompt, reply_prompts
from .sillytavern import PROMPT_MARK, Api, Setup

# There are many settings; the first limit of a test counts.
pytestmark = [pytest.mark.timeout(300, func_only=True), *E2E]

SAID = "My sister Yelena keeps bees in Ostrava."
KEY = "key-0123-wxyz"
# Where any other value is not as good as the next.
VALUES = {
    **dict.fromkeys(("llm.baseURL", "embeddingApiUrl", "rerankApiUrl"), "http://127.0.0.1:9/v1"),
    "nodeTypeSchema": "spell: name*, cost",
}
_ADD_PROFILE = """() => {
    const { extensionSettings, eventSource, eventTypes } = SillyTavern.getContext();
    const profile = { id: 'added', name: 'Added', mode: 'cc', api: 'custom', model: 'm', exclude: [] };
    extensionSettings.connectionManager.profiles.push(profile);
    return eventSource.emit(eventTypes.CONNECTION_PROFILE_CREATED, profile);
}"""


async def test_every_setting_can_be_changed_and_survives_a_reload(
    open_page: OpenPage, bridge: Bridge, endpoint: ScriptedEndpoint
) -> None:
    del endpoint
    page = await open_page(
        Setup(Api.CHAT_COMPLETION, extension_settings={"enabled": True, "serverUrl": bridge.url, "settings": {}})
    )
    await Memory(page).wait_for_badge("green", "no_chat")
    block = Block(page, bridge.url)
    await page.page.evaluate(_ADD_PROFILE)
    await block.show_all()
    specs = [spec for spec in await block.schema() if spec["key"] != "enabled"]
    wanted = await _change_all(block, specs)
    secrets = {spec["key"] for spec in specs if spec["kind"] == "secret"}
    plain = {key: value for key, value in wanted.items() if key not in secrets}
    defaults = {spec["key"]: spec["default"] for spec in specs}
    changed = {key: value for key, value in plain.items() if value != defaults[key]}
    answer = await block.settings_of_the_server()
    assert {key: value for key, value in answer["values"].items() if key != "enabled"} == changed
    assert answer["secrets"].keys() == secrets
    await page.page.wait_for_timeout(2500)  # SillyTavern keeps its settings a second after a change
    await page.reload()
    await Memory(page).wait_for_badge("green", "no_chat")

    async def shows_keys() -> bool:
        shown = await block.controls()
        return all(str(shown.get(key, "")).endswith(KEY[-4:]) for key in secrets)

    await wait_until(shows_keys, "the end of each key")
    assert await block.kept() == changed
    shown = await block.controls()
    assert {key: str(value) for key, value in shown.items() if key not in secrets} == {
        key: str(value) for key, value in plain.items() if key in shown
    }
    assert shown.keys() == {spec["key"] for spec in specs if _shows(spec, specs, wanted)}


async def _change_all(block: Block, specs: list[dict[str, Any]]) -> dict[str, object]:
    """Give every setting another value than its default, and say which."""
    wanted: dict[str, object] = {}
    for spec in specs:
        if spec["show_if"] is not None:
            parent, needed = spec["show_if"]
            if _as_text(wanted[parent]) != needed:
                wanted[parent] = needed == "true" if isinstance(wanted[parent], bool) else needed
                await block.change(parent, wanted[parent])
        value = _other_value(spec)
        await block.change(spec["key"], value)
        wanted[spec["key"]] = value
    return wanted


def _shows(spec: dict[str, Any], specs: list[dict[str, Any]], values: dict[str, object]) -> bool:
    """A setting may depend on another one, and that one on a third."""
    if spec["show_if"] is None:
        return True
    parent, needed = spec["show_if"]
    (other,) = [other for other in specs if other["key"] == parent]
    return _as_text(values[parent]) == needed and _shows(other, specs, values)


def _as_text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _other_value(spec: dict[str, Any]) -> object:
    """A value that differs from the default and is allowed."""
    match spec["kind"]:
        case "bool":
            return not spec["default"]
        case "int" | "float":
            return spec["maximum"] if spec["default"] == spec["minimum"] else spec["minimum"]
        case "secret":
            return KEY
        case "text" | "lines":
            return VALUES.get(spec["key"], "another")
        case _:
            offered = [choice["value"] for choice in spec["choices"]] + ["added"]
            return next(value for value in offered if value != spec["default"])


def _nothing_to_remember(request: RecordedRequest) -> ScriptedReply:
    return ScriptedReply("She smiles." if PROMPT_MARK in request.prompt else '{"operations": []}')


async def test_settings_of_recall_change_the_prompt(
    open_page: OpenPage, bridge: Bridge, endpoint: ScriptedEndpoint
) -> None:
    page = await open_page(remembering(Api.CHAT_COMPLETION, bridge.url))
    memory, block = Memory(page), Block(page, bridge.url)
    await page.select_character(await page.create_character("Mira"))
    await block.show_all()
    for text in (SAID, "My uncle Oskar builds boats in Gdynia."):
        await page.send(text)
    await fill_context(page)
    await memory.wait_until_told(SAID)

    async def ask() -> Prompt:
        await page.send("Where does Yelena keep her bees?")
        return reply_prompts(endpoint)[-1]

    whole = await ask()
    assert whole.memory.count(SAID) == 1
    await block.change("injectMaxTokens", 100)
    assert len((await ask()).memory) < len(whole.memory)
    await block.change("recallEnabled", False)
    assert (await ask()).memory == ""
    await block.change("recallEnabled", True)
    assert SAID in (await ask()).memory
    await memory.switch(on=False)
    assert (await ask()).memory == ""


async def test_a_model_is_tried_and_its_trouble_is_said(
    open_page: OpenPage, bridge: Bridge, endpoint: ScriptedEndpoint, second: ScriptedEndpoint
) -> None:
    del endpoint
    settings = {
        "modelSource": "openai",
        "llm.baseURL": f"{second.url}/v1",
        "llm.model": "second-model",
        "extractSettleS": 0,
    }
    page = await open_page(
        Setup(Api.CHAT_COMPLETION, extension_settings={"enabled": True, "serverUrl": bridge.url, "settings": settings})
    )
    memory = Memory(page)
    await page.select_character(await page.create_character("Mira"))
    await memory.wait_for_badge("green", "ready")

    assert "second-model" in await _press_test(page)
    refusals = set()
    for status, code in ((401, "key_wrong"), (404, "request_refused")):
        second.script = lambda _request, status=status: ScriptedReply("scripted refusal", status=status)  # type: ignore[misc]
        said = await _press_test(page)
        await page.send("Hello again.")
        await memory.wait_for_badge("amber", f"bme.trouble.{code}", timeout_s=30)
        refusals.add(said)

    assert len(refusals) == 2
    assert not any("answered" in said for said in refusals)

    second.script = _nothing_to_remember
    await page.send("And again.")
    await memory.wait_for_badge("green", "ready", timeout_s=30)


async def _press_test(page: ChatPage) -> str:
    """Press *Test extraction* and give what it says."""
    async with page.page.expect_response("**/v1/models/test"):
        await page.page.evaluate("() => document.querySelector('.st-bme-tests button').click()")
    await page.page.wait_for_function("() => !document.querySelector('.st-bme-tests button').disabled")
    said: str = await page.page.evaluate("() => document.querySelector('.st-bme-tests [role=status]').textContent")
    return said


async def test_without_a_connection_the_badge_says_so(
    open_page: OpenPage, bridge: Bridge, endpoint: ScriptedEndpoint
) -> None:
    del endpoint
    page = await open_page(
        Setup(Api.CHAT_COMPLETION, extension_settings={"enabled": True, "serverUrl": bridge.url, "settings": {}})
    )
    memory = Memory(page)
    await page.select_character(await page.create_character("Mira"))
    await memory.wait_for_badge("green", "ready")
    set_status = "async (status) => (await import('/script.js')).setOnlineStatus(status)"

    await page.page.evaluate(set_status, "no_connection")
    await memory.wait_for_badge("amber", "relay_offline")
    await page.page.wait_for_selector(".toast-warning", timeout=10_000)
    await page.page.evaluate(set_status, "scripted-model")

    await memory.wait_for_badge("green", "ready")
    await page.page.wait_for_selector(".toast-warning", state="detached")

"""Who answers the server's model calls: SillyTavern's connection, one of its profiles, or an endpoint of its own."""

import json
import re
from typing import Any

from st_bme.adapters.scripted_endpoint import RecordedRequest, Script, ScriptedEndpoint, ScriptedReply

from .bridge import Bridge
from .chat_page import ChatPage, OpenPage, wait_until
from .marks import E2E
from .memory import Memory
from .prompts import reply_prompts
from .sillytavern import PROMPT_MARK, Api, Setup

pytestmark = E2E

FACT = "Yelena keeps bees in Ostrava."
SAID = "My sister Yelena keeps bees in Ostrava."
REPLY_TOKENS = 200
OWN_KEY = "key-of-sillytavern"
SECOND_KEY = "key-of-the-server"
# What may not change while the server's calls go through the page.
_WATCH = """() => {
    const context = SillyTavern.getContext();
    const look = () => JSON.stringify({
        api: context.mainApi,
        profile: context.extensionSettings.connectionManager?.selectedProfile ?? null,
        chatPreset: context.chatCompletionSettings.preset_settings_openai,
        chatContext: context.chatCompletionSettings.openai_max_context,
        chatReply: context.chatCompletionSettings.openai_max_tokens,
        textPreset: context.textCompletionSettings.preset,
        textContext: document.querySelector('#max_context').value,
        textReply: document.querySelector('#amount_gen').value,
        url: context.chatCompletionSettings.custom_url,
        send: getComputedStyle(document.querySelector('#send_but')).display,
        stop: getComputedStyle(document.querySelector('#mes_stop')).display,
        generating: document.body.dataset.generating ?? '',
    });
    globalThis.seen = new Set([look()]);
    globalThis.watching = setInterval(() => seen.add(look()), 10);
}"""
_SHOWS_PROGRESS = r"""() => [...document.querySelectorAll('#st_bme_bridge .st-bme-note')]
    .some(note => /Extraction: \d+ of \d+/.test(note.textContent))"""
_PROFILE = """([url]) => {
    const { extensionSettings, saveSettingsDebounced, eventSource, eventTypes } = SillyTavern.getContext();
    const profile = {
        id: 'second', name: 'Second endpoint', mode: 'cc', api: 'custom', model: 'second-model', preset: 'Default',
        'api-url': url, exclude: [],
    };
    extensionSettings.connectionManager.profiles.push(profile);
    saveSettingsDebounced();
    return eventSource.emit(eventTypes.CONNECTION_PROFILE_CREATED, profile);
}"""


def extracting(*, delay_s: float = 0.0) -> Script:
    """Replies to the role-play, and for an extraction one memory cited from the newest message."""

    def reply(request: RecordedRequest) -> ScriptedReply:
        if PROMPT_MARK in request.prompt:
            return ScriptedReply("She smiles.")
        cite = f"#{re.findall(r'#([0-9]+) ', request.prompt)[-1]}"
        event = {"action": "create", "type": "event", "fields": {"title": "Bees", "summary": FACT}, "cite": cite}
        return ScriptedReply(json.dumps({"operations": [event]}), delay_s=delay_s)

    return reply


def extractions(endpoint: ScriptedEndpoint) -> list[RecordedRequest]:
    completions = (request for request in endpoint.requests if request.kind in ("chat", "text"))
    return [request for request in completions if PROMPT_MARK not in request.prompt]


def settled(api: Api, bridge: Bridge, **settings: object) -> Setup:
    """Memory on; nothing else is set but what a test names."""
    extension = {"enabled": True, "serverUrl": bridge.url, "settings": settings}
    return Setup(api, reply_tokens=REPLY_TOKENS, extension_settings=extension)


async def open_chat(page: ChatPage) -> Memory:
    memory = Memory(page)
    await page.select_character(await page.create_character("Mira"))
    await memory.wait_for_badge("green", "ready")
    return memory


async def test_the_connection_in_use_writes_memories_and_stays_as_it_is(
    api: Api, open_page: OpenPage, bridge: Bridge, endpoint: ScriptedEndpoint
) -> None:
    endpoint.script = extracting(delay_s=1.0)
    page = await open_page(settled(api, bridge))
    memory = await open_chat(page)

    await page.send(SAID)
    await page.page.evaluate(_WATCH)
    await page.page.wait_for_function(_SHOWS_PROGRESS)
    await wait_until(lambda: memory.tells(FACT), "a memory that the model wrote", timeout_s=30)

    seen: list[str] = await page.page.evaluate("() => { clearInterval(watching); return [...seen]; }")
    assert len(seen) == 1, seen
    request = extractions(endpoint)[0]
    assert "<memory>" not in request.prompt
    assert (
        int(str(request.body["max_tokens"])) > REPLY_TOKENS
    )  # an answer cut at the length of a reply would be no JSON
    assert not request.body.get("stream")
    assert await generations(page) == 1
    assert bridge.events()["GENERATION_AFTER_COMMANDS"] == 1


async def generations(page: ChatPage) -> int:
    events = await page.events()
    return sum(event.name == "GENERATION_STARTED" and event.args[2] is not True for event in events)


async def test_a_chosen_profile_is_asked_and_the_one_in_use_stays(
    open_page: OpenPage, bridge: Bridge, endpoint: ScriptedEndpoint, second: ScriptedEndpoint
) -> None:
    endpoint.script = second.script = extracting(delay_s=0.5)
    page = await open_page(settled(Api.CHAT_COMPLETION, bridge, extractSettleS=0))
    memory = await open_chat(page)
    await page.page.evaluate(_PROFILE, [f"{second.url}/v1"])
    await memory.change_setting("connectionProfile", "second")

    await page.send(SAID)
    await page.page.evaluate(_WATCH)
    await wait_until(lambda: memory.tells(FACT), "a memory that the profile's model wrote", timeout_s=30)

    seen: list[str] = await page.page.evaluate("() => { clearInterval(watching); return [...seen]; }")
    assert len(seen) == 1, seen
    assert json.loads(seen[0])["url"] == f"{endpoint.url}/v1"
    assert extractions(endpoint) == []
    assert {request.body["model"] for request in extractions(second)} == {"second-model"}
    assert reply_prompts(second) == []


async def test_each_endpoint_sees_only_its_own_key(
    open_page: OpenPage, bridge: Bridge, endpoint: ScriptedEndpoint, second: ScriptedEndpoint
) -> None:
    endpoint.script = second.script = extracting()
    page = await open_page(settled(Api.CHAT_COMPLETION, bridge, extractSettleS=0))
    memory = await open_chat(page)
    store = "async (key) => (await import('/scripts/secrets.js')).writeSecret('api_key_custom', key)"
    await page.page.evaluate(store, OWN_KEY)
    for key, value in (("modelSource", "openai"), ("llm.baseURL", f"{second.url}/v1"), ("llm.apiKey", SECOND_KEY)):
        await memory.change_setting(key, value)
    await memory.change_setting("llm.model", "second-model")
    endpoint.requests.clear()

    await page.send(SAID)
    await wait_until(lambda: memory.tells(FACT), "a memory that the second endpoint wrote", timeout_s=30)

    assert extractions(endpoint) == []
    assert authorizations(endpoint) == {f"Bearer {OWN_KEY}"}
    assert authorizations(second) == {f"Bearer {SECOND_KEY}"}
    assert {request.body["model"] for request in extractions(second)} == {"second-model"}
    await page.page.wait_for_timeout(1500)  # SillyTavern keeps its settings a second after a change
    assert SECOND_KEY not in (await kept_in_the_page(page))


def authorizations(endpoint: ScriptedEndpoint) -> set[str]:
    return {request.headers.get("Authorization", "") for request in endpoint.requests if request.kind is not None}


async def kept_in_the_page(page: ChatPage) -> str:
    kept: dict[str, Any] = await page.page.evaluate(
        """() => ({
            settings: SillyTavern.getContext().extensionSettings,
            storage: { ...localStorage },
            chat: SillyTavern.getContext().chatMetadata,
            shown: document.querySelector('#st_bme_bridge').outerHTML,
        })"""
    )
    return json.dumps(kept)


async def test_a_call_that_stop_took_down_is_made_again(
    api: Api, open_page: OpenPage, bridge: Bridge, endpoint: ScriptedEndpoint
) -> None:
    quick, slow = extracting(), extracting(delay_s=20)
    endpoint.script = lambda request: slow(request) if not extractions(endpoint)[1:] else quick(request)
    page = await open_page(settled(api, bridge, extractSettleS=0))
    memory = await open_chat(page)
    await page.send(SAID)

    async def is_asked() -> bool:
        return bool(extractions(endpoint))

    await wait_until(is_asked, "a relayed call")
    endpoint.enqueue(ScriptedReply("Too late.", delay_s=5))
    await page.start_sending("Are you there?")
    await page.page.wait_for_timeout(500)
    await page.stop()

    await wait_until(lambda: memory.tells(FACT), "a memory in spite of Stop", timeout_s=15)
    assert (await memory.badge())[0] == "green"

"""What memories cost the rest of the prompt: its cached beginning, its newest messages, and what macros make of it."""

import json
import re
from itertools import pairwise

import pytest

from st_bme.adapters.scripted_endpoint import RecordedRequest, Script, ScriptedEndpoint, ScriptedReply
from st_bme.adapters.token_counter import LocalTokenCounter

from .bridge import Bridge
from .chat_page import ChatPage, OpenPage
from .marks import E2E
from .memory import FILLERS, Memory, remembering
from .prompts import reply_prompts
from .sillytavern import PROMPT_MARK, Api, Setup

pytestmark = [pytest.mark.timeout(300, func_only=True), *E2E]

TURNS = 20
_LAW = re.compile(r"#(\d+) [^\n]*?\blaw of (\w+): ([^.\n]*)")
_DEED = re.compile(r"#(\d+) [^\n]*?(\w+ finds a \w+)")


def remembering_laws() -> Script:
    """A model that makes a rule of each law and an event of each find in the messages that it is to read."""

    def reply(request: RecordedRequest) -> ScriptedReply:
        if PROMPT_MARK in request.prompt:
            return ScriptedReply(f"The market goes on, and bell number {len(request.prompt) % 97} strikes.")
        read = request.prompt
        laws = [
            {"action": "create", "type": "rule", "fields": {"title": name, "constraint": text}, "cite": f"#{floor}"}
            for floor, name, text in _LAW.findall(read)
        ]
        deeds = [
            {"action": "create", "type": "event", "fields": {"summary": text}, "cite": f"#{floor}"}
            for floor, text in _DEED.findall(read)
        ]
        return ScriptedReply(json.dumps({"operations": laws + deeds}))

    return reply


def with_model(bridge: Bridge, endpoint: ScriptedEndpoint, **settings: object) -> dict[str, object]:
    values = {
        "modelSource": "openai",
        "llm.baseURL": f"{endpoint.url}/v1",
        "embeddingSource": "none",
        "extractSettleS": 0,
        **settings,
    }
    return {"enabled": True, "serverUrl": bridge.url, "settings": values}


async def told_chat(page: ChatPage) -> None:
    """A chat whose first messages are hidden from the prompt, and which then fills 8,000 tokens."""
    await page.select_character(await page.create_character("Mira"))
    laws = [f"The law of {name}: nobody may {deed} on a market day." for name, deed in _LAWS]
    finds = [f"Then {name} finds a {thing}." for name, thing in _FINDS]
    for text in (*laws, *finds):
        await page.run_slash_command(f"/send {text}")
    await page.run_slash_command(f"/hide 1-{len(laws) + len(finds)}")
    for number in range(24):
        await page.run_slash_command(f"/send Day {number}. {FILLERS[number % 2]}")
    await page.wait_idle()


_LAWS = (("Toll", "pass the bridge"), ("Curfew", "leave the inn"), ("Silence", "sing in the temple"))
_FINDS = (("Olaf", "lantern"), ("Petra", "sextant"), ("Sven", "compass"), ("Rosa", "crown"))


async def talk(page: ChatPage) -> None:
    for number in range(TURNS):
        name, thing = _FINDS[number % len(_FINDS)]
        await page.send(f"What did {name} find on the market, the {thing} or something else? Round {number}.")


def kept_tokens(endpoint: ScriptedEndpoint) -> tuple[int, int]:
    """Over all turns the tokens with which a prompt begins like the one before it, and the shortest prompt."""
    count = LocalTokenCounter()
    count.load()
    prompts = [prompt.text for prompt in reply_prompts(endpoint)]
    assert len(prompts) == TURNS
    kept = sum(count.count(later[: _common(earlier, later)]) for earlier, later in pairwise(prompts))
    return kept, min(map(count.count, prompts))


def _common(one: str, other: str) -> int:
    return next((place for place, pair in enumerate(zip(one, other, strict=False)) if pair[0] != pair[1]), len(one))


async def test_the_prompt_keeps_its_beginning(open_page: OpenPage, bridge: Bridge, endpoint: ScriptedEndpoint) -> None:
    kept = {}
    for has_memory in (False, True):
        endpoint.reset()
        endpoint.script = remembering_laws()
        settings = with_model(bridge, endpoint, injectDepth=1) if has_memory else {}
        page = await open_page(Setup(Api.CHAT_COMPLETION, context_tokens=32_000, extension_settings=settings))
        await told_chat(page)
        if has_memory:
            await Memory(page).command(bridge.url, "chat/extract", lineage=await lineage(page), whole=True)
        await talk(page)
        kept[has_memory], shortest = kept_tokens(endpoint)
        assert shortest >= 8_000
        await page.close()

    prompts = [prompt.text for prompt in reply_prompts(endpoint)]
    assert all("Toll" in prompt and "Curfew" in prompt and "Silence" in prompt for prompt in prompts)
    assert all(prompt.count("<memory>") == prompt.count("</memory>") == 2 for prompt in prompts)
    assert kept[True] / kept[False] >= 0.95


async def lineage(page: ChatPage) -> str:
    found: str = (await Memory(page).status())["chat"]["lineage"]
    return found


async def test_in_a_narrow_prompt_the_newest_messages_stay(
    api: Api, open_page: OpenPage, bridge: Bridge, endpoint: ScriptedEndpoint
) -> None:
    setup = remembering(api, bridge.url)
    page = await open_page(Setup(api, context_tokens=2_048, extension_settings=setup.extension_settings))
    await page.select_character(await page.create_character("Mira", description="A calm keeper of maps. " * 30))
    for name, thing in _FINDS * 5:
        await page.run_slash_command(f"/send In Telmar {name} found a {thing} that belonged to Queen Ilsabet of Varn.")
    for number in range(8):
        await page.run_slash_command(f"/send Day {number}. {FILLERS[0][:900]}")
    await page.wait_idle()
    await Memory(page).command(bridge.url, "chat/extract", lineage=await lineage(page))

    await page.send("What did Olaf and Petra find in Telmar?")

    prompt = reply_prompts(endpoint)[-1]
    newest = (await page.spoken())[-5:-1]  # without the reply
    assert "lantern" in prompt.memory
    assert [text in prompt.story for text in newest] == [True] * 4


async def test_macros_put_memories_where_the_user_wrote_them_and_memories_run_none(
    open_page: OpenPage, bridge: Bridge, endpoint: ScriptedEndpoint
) -> None:
    hidden = "Queen Ilsabet of Varn carved {{user}} and {{setvar::trap::sprung}} into the gate."
    setup = remembering(Api.CHAT_COMPLETION, bridge.url, injectPosition="macro", cacheMode=False)
    page = await open_page(setup)
    await page.page.evaluate(_WRITE_MAIN_PROMPT, _WITH_MACROS)
    await page.select_character(await page.create_character("Mira"))
    await page.page.evaluate(_ADD_MESSAGE, hidden)
    await page.run_slash_command("/hide 1")
    await Memory(page).wait_until_told("carved")

    await page.send("What did Queen Ilsabet carve into the gate of Varn?")

    prompt = reply_prompts(endpoint)[-1].text
    whole = re.search(r"Known: (.*?) End\. Parts: (.*?) Out\.", prompt, re.DOTALL)
    assert whole is not None
    assert "carved" in whole[1]
    assert whole[1].startswith("<memory>")
    assert "carved" in whole[2]
    assert "<memory>" not in whole[2]
    assert prompt.count("<memory>") == 1
    trap = await page.page.evaluate("() => SillyTavern.getContext().chatMetadata.variables?.trap ?? null")
    assert trap is None


_WITH_MACROS = PROMPT_MARK + " Known: {{bme}} End. Parts: {{bme::core}} {{bme::recalled}} {{bme::passages}} Out."
_WRITE_MAIN_PROMPT = """(text) => {
    const { chatCompletionSettings } = SillyTavern.getContext();
    chatCompletionSettings.prompts.find(({ identifier }) => identifier === 'main').content = text;
}"""
# As a message comes from an import: /send would run what is in it.
_ADD_MESSAGE = """async (text) => {
    const context = SillyTavern.getContext();
    const message = { name: 'Mira', is_user: false, is_system: false, send_date: Date.now(), mes: text, extra: {} };
    context.chat.push(message);
    context.addOneMessage(message);
    await context.eventSource.emit(context.eventTypes.MESSAGE_RECEIVED, context.chat.length - 1, 'extension');
    await context.saveChat();
}"""

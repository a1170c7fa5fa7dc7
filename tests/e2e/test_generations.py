"""Generations of every kind: which of them recall, and which of them are read."""

import json
from dataclasses import replace

from st_bme.adapters.scripted_endpoint import ScriptedEndpoint, ScriptedReply

from .bridge import Bridge
from .chat_page import ChatPage, OpenPage, wait_until
from .marks import E2E
from .memory import INTERCEPTOR, Memory, fill_context, remembering
from .prompts import reply_prompts
from .sillytavern import Api
from .truth import assert_true_to_the_chat

pytestmark = E2E

FACT = "My sister Yelena keeps bees in Ostrava."
QUESTION = "Where does Yelena keep her bees?"


async def told(page: ChatPage, endpoint: ScriptedEndpoint) -> Memory:
    """A chat whose first turn tells a fact and has left the context."""
    memory = Memory(page)
    await page.select_character(await page.create_character("Mira"))
    endpoint.enqueue("The kettle hums on the stove.")
    await page.send(FACT)
    await memory.wait_until_told(FACT)
    await fill_context(page)
    return memory


async def answers(memory: Memory) -> int:
    return sum(record["kind"] == "answer" for record in await memory.records())


async def test_quiet_and_raw_generations_hold_no_memory_and_are_not_read(
    api: Api, open_page: OpenPage, bridge: Bridge, endpoint: ScriptedEndpoint
) -> None:
    page = await open_page(remembering(api, bridge.url))
    memory = await told(page, endpoint)
    read_before = await answers(memory)
    asked_before = len(endpoint.requests)

    endpoint.enqueue("A quiet answer.", "A raw answer.")
    assert await page.run_slash_command(f"/gen {QUESTION}") == "A quiet answer."
    assert await page.run_slash_command(f"/genraw {QUESTION}") == "A raw answer."
    await page.wait_idle()

    background = [request for request in endpoint.requests[asked_before:] if request.kind in ("chat", "text")]
    assert len(background) == 2
    assert not any("<memory>" in request.prompt for request in background)
    assert (await memory.status())["interceptions"].get("background", 0) >= 1
    assert await answers(memory) == read_before
    assert not await memory.tells("A quiet answer")


async def test_a_streamed_reply_is_read_once_and_whole(
    api: Api, open_page: OpenPage, bridge: Bridge, endpoint: ScriptedEndpoint
) -> None:
    page = await open_page(replace(remembering(api, bridge.url), is_streaming=True))
    memory = await told(page, endpoint)
    read_before = await answers(memory)
    endpoint.enqueue(ScriptedReply("My cousin Ludmila tames wolves in Karelia.", token_delay_s=0.1))
    await page.send(QUESTION)
    await memory.wait_until_told("tames wolves in Karelia")
    whole = await answers(memory)
    endpoint.enqueue(ScriptedReply("Captain Orsolya burned her ship in the harbour of Tamm.", token_delay_s=0.4))
    async with page.turn():
        await page.start_sending("And then?")
        await wait_until(page.is_replying, "the beginning of a reply")
        await page.stop()

    assert FACT in reply_prompts(endpoint)[-2].memory
    assert whole == read_before + 1
    await assert_true_to_the_chat(page)
    assert not await memory.tells("harbour of Tamm")


async def test_continue_and_impersonate_recall(
    api: Api, open_page: OpenPage, bridge: Bridge, endpoint: ScriptedEndpoint
) -> None:
    page = await open_page(remembering(api, bridge.url))
    memory = await told(page, endpoint)
    endpoint.enqueue("She keeps them", " behind the old mill.", "I should visit Yelena soon.")
    await page.send(QUESTION)
    await page.run_slash_command("/continue await=true")
    await page.wait_idle()
    continued = reply_prompts(endpoint)[-1]
    await page.run_slash_command("/impersonate await=true")
    await page.wait_idle()
    impersonated = reply_prompts(endpoint)[-1]

    assert FACT in continued.memory
    assert FACT in impersonated.memory
    assert impersonated is not continued
    await memory.wait_until_forgotten("I should visit Yelena soon")


async def test_an_endpoint_that_fails_leaves_memory_as_it_was(
    api: Api, open_page: OpenPage, bridge: Bridge, endpoint: ScriptedEndpoint
) -> None:
    page = await open_page(remembering(api, bridge.url))
    memory = await told(page, endpoint)
    nodes_before = len((await memory.graph())["nodes"])
    endpoint.enqueue(ScriptedReply("broken", status=500))
    await page.send(QUESTION)
    failed = reply_prompts(endpoint)[-1]
    endpoint.enqueue("In Ostrava, of course.")
    await page.send("Say it again: where are the bees of Yelena?")

    assert FACT in failed.memory
    assert FACT in reply_prompts(endpoint)[-1].memory
    assert len((await memory.graph())["nodes"]) >= nodes_before
    assert not await memory.tells("broken")


_ADD_TOOL = """() => {
    const { registerFunctionTool, chatCompletionSettings } = SillyTavern.getContext();
    chatCompletionSettings.function_calling = true;
    registerFunctionTool({
        name: 'look_at_sky', displayName: 'Look at the sky', description: 'What the sky looks like.',
        parameters: { type: 'object', properties: {} }, action: async () => 'Seven ravens circle the tower.',
    });
}"""


async def test_a_reply_with_a_tool_call_is_read_once_and_without_the_tool(
    open_page: OpenPage, bridge: Bridge, endpoint: ScriptedEndpoint
) -> None:
    page = await open_page(remembering(Api.CHAT_COMPLETION, bridge.url))
    memory = await told(page, endpoint)
    read_before = await answers(memory)
    await page.page.evaluate(_ADD_TOOL)

    endpoint.enqueue(ScriptedReply(tool="look_at_sky"), "My cousin Ludmila tames wolves in Karelia.")
    await page.send(QUESTION)
    await memory.wait_until_told("Ludmila")

    before_call, behind_call = reply_prompts(endpoint)[-2:]
    assert FACT in before_call.memory
    assert behind_call.memory == before_call.memory
    assert "Seven ravens" in behind_call.text
    (tool,) = [line for line in (await page.read_chat_file()).messages if "tool_invocations" in line.get("extra", {})]
    assert "Seven ravens" in json.dumps(tool)
    assert await answers(memory) == read_before + 1
    assert not await memory.tells("ravens")
    await assert_true_to_the_chat(page)


async def test_dry_runs_recall_nothing_and_are_not_read(
    open_page: OpenPage, bridge: Bridge, endpoint: ScriptedEndpoint
) -> None:
    page = await open_page(remembering(Api.CHAT_COMPLETION, bridge.url))
    memory = await told(page, endpoint)
    await page.time_interceptor(INTERCEPTOR)
    status, events, asked = await memory.status(), bridge.events(), len(endpoint.requests)
    read_before = await answers(memory)

    await page.page.evaluate("() => SillyTavern.getContext().generate('normal', {}, true)")
    await page.wait_idle()

    assert "GENERATION_STARTED" in [event.name for event in (await page.events())[-20:]]
    assert await page.interceptor_calls() == []
    assert (await memory.status())["interceptions"] == status["interceptions"]
    assert bridge.events() == events
    assert len(endpoint.requests) == asked
    assert await answers(memory) == read_before

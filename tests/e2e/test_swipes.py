"""A reply that was turned down is forgotten, and remembered again when it is taken back."""

from st_bme.adapters.scripted_endpoint import ScriptedEndpoint

from .bridge import Bridge
from .chat_page import OpenPage
from .marks import E2E
from .memory import Memory, fill_context, remembering
from .prompts import reply_prompts
from .sillytavern import Api

pytestmark = E2E

FIRST_REPLY = "Queen Ilsabet of Varn gave me a ruby ring."
SECOND_REPLY = "A pedlar called Dorrin sold me a brass lantern in Quellport."
ABOUT_FIRST = "What did Queen Ilsabet give to you?"
ABOUT_SECOND = "What did Dorrin sell to you?"


async def test_a_swiped_away_reply_is_in_no_later_prompt(
    api: Api, open_page: OpenPage, bridge: Bridge, endpoint: ScriptedEndpoint
) -> None:
    page = await open_page(remembering(api, bridge.url))
    memory = Memory(page)
    await page.select_character(await page.create_character("Mira"))
    endpoint.enqueue(FIRST_REPLY, SECOND_REPLY)
    await page.send("Whom did you meet?")
    await memory.wait_until_told(FIRST_REPLY)

    await page.swipe_for_new_reply()
    await memory.wait_until_told(SECOND_REPLY)
    await fill_context(page)
    await page.send(ABOUT_FIRST)
    await page.send(ABOUT_SECOND)

    _, *later = reply_prompts(endpoint)
    assert [prompt.count("ruby ring") for prompt in later] == [0, 0, 0]
    assert SECOND_REPLY not in later[-1].story
    assert later[-1].memory.count(SECOND_REPLY) == 1


async def test_swiping_back_brings_a_memory_back_without_reading_again(
    open_page: OpenPage, bridge: Bridge, endpoint: ScriptedEndpoint
) -> None:
    page = await open_page(remembering(Api.TEXT_COMPLETION, bridge.url))
    memory = Memory(page)
    await page.select_character(await page.create_character("Mira"))
    endpoint.enqueue(FIRST_REPLY, SECOND_REPLY)
    await page.send("Whom did you meet?")
    await memory.wait_until_told(FIRST_REPLY)
    await page.swipe_for_new_reply()
    await memory.wait_until_told(SECOND_REPLY)
    assert not await memory.tells(FIRST_REPLY)

    await page.swipe_back()
    await memory.wait_until_told(FIRST_REPLY)
    assert not await memory.tells(SECOND_REPLY)
    await fill_context(page)
    await page.send(ABOUT_FIRST)

    prompt = reply_prompts(endpoint)[-1]
    assert FIRST_REPLY not in prompt.story
    assert prompt.memory.count(FIRST_REPLY) == 1
    assert prompt.count("brass lantern") == 0
    readings = [str(record) for record in await memory.records()]
    assert sum(FIRST_REPLY in reading for reading in readings) == 1
    # Once it is no swipe of the last message, nothing of it is left in the chat file.
    assert sum(SECOND_REPLY in reading for reading in readings) == 0


async def test_a_regenerated_reply_is_in_no_later_prompt(
    open_page: OpenPage, bridge: Bridge, endpoint: ScriptedEndpoint
) -> None:
    page = await open_page(remembering(Api.CHAT_COMPLETION, bridge.url))
    memory = Memory(page)
    await page.select_character(await page.create_character("Mira"))
    endpoint.enqueue(FIRST_REPLY, SECOND_REPLY)
    await page.send("Whom did you meet?")
    await memory.wait_until_told(FIRST_REPLY)

    await page.regenerate()
    await memory.wait_until_told(SECOND_REPLY)
    await fill_context(page)
    await page.send(ABOUT_FIRST)

    _, *later = reply_prompts(endpoint)
    assert [prompt.count("ruby ring") for prompt in later] == [0, 0]
    assert not await memory.tells(FIRST_REPLY)

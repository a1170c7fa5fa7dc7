"""The switch above all settings: off means that nobody notices the extension."""

from dataclasses import replace

from st_bme.adapters.scripted_endpoint import ScriptedEndpoint

from .chat_page import ChatPage, OpenPage
from .door import Door
from .marks import E2E
from .memory import COPY_KEY, FILLERS, Memory, fill_context, remembering
from .prompts import reply_prompts
from .sillytavern import Api

pytestmark = E2E

FACT = "My sister Yelena keeps bees in Ostrava."
QUESTION = "Where does Yelena keep her bees?"


async def test_switched_off_it_asks_nobody_and_changes_no_prompt(
    api: Api, open_page: OpenPage, door: Door, endpoint: ScriptedEndpoint
) -> None:
    setup = remembering(api, door.url)
    off = replace(setup, extension_settings={**setup.extension_settings, "enabled": False})
    pages = [await open_page(off), await open_page(replace(off, with_extension=False))]

    for page in pages:
        endpoint.enqueue("One reply.", "Another reply.")
        await page.select_character(await page.create_character("Mira"))
        await page.send(FACT)
        await page.send(QUESTION)

    prompts = [prompt.messages for prompt in reply_prompts(endpoint)]
    assert len(prompts) == 4
    assert prompts[:2] == prompts[2:]
    assert door.bytes_in == 0
    assert await Memory(pages[0]).badge() == ("grey", "off")
    assert COPY_KEY not in (await pages[0].read_chat_file()).metadata


async def test_switched_off_in_a_chat_it_falls_silent_and_keeps_the_graph(
    open_page: OpenPage, door: Door, endpoint: ScriptedEndpoint
) -> None:
    page: ChatPage = await open_page(remembering(Api.CHAT_COMPLETION, door.url))
    memory = Memory(page)
    await page.select_character(await page.create_character("Mira"))
    await page.send(FACT)
    await memory.wait_until_told(FACT)
    await fill_context(page)
    await page.run_slash_command(f"/send {FILLERS[0]}")  # without memories the prompt has room for more messages

    await memory.switch(on=False)
    await page.wait_idle()
    heard = door.bytes_in
    await page.send(QUESTION)

    assert reply_prompts(endpoint)[-1].count("Ostrava") == 0
    assert door.bytes_in == heard
    assert await memory.tells(FACT)

    await memory.switch(on=True)
    await memory.wait_for_badge("green", "ready")
    await page.send(QUESTION)
    assert reply_prompts(endpoint)[-1].memory.count(FACT) == 1

"""Messages are edited, deleted, hidden and shown, and the memory follows."""

from st_bme.adapters.scripted_endpoint import ScriptedEndpoint

from .bridge import Bridge
from .chat_page import OpenPage
from .marks import E2E
from .memory import Memory, fill_context, remembering
from .prompts import reply_prompts
from .sillytavern import Api

pytestmark = E2E

BEES = "My sister Yelena keeps bees in Ostrava."
VIOLINS = "My uncle Bertil builds violins in Cremona."
WOLVES = "My cousin Ludmila tames wolves in Karelia."


async def test_memories_follow_edit_and_deletion(
    api: Api, open_page: OpenPage, bridge: Bridge, endpoint: ScriptedEndpoint
) -> None:
    page = await open_page(remembering(api, bridge.url))
    memory = Memory(page)
    await page.select_character(await page.create_character("Mira"))
    for fact in (BEES, VIOLINS):
        await page.send(fact)
    await memory.wait_until_told(BEES, VIOLINS)
    await fill_context(page)

    await page.edit_message(1, WOLVES)
    await page.delete_message(3)
    await memory.wait_until_told(WOLVES)
    await memory.wait_until_forgotten(BEES, VIOLINS)
    await page.send("Where is Yelena, where is Bertil, and what does Ludmila tame?")

    prompt = reply_prompts(endpoint)[-1]
    assert WOLVES not in prompt.story
    assert prompt.memory.count(WOLVES) == 1
    assert prompt.count("Ostrava") == prompt.count("Cremona") == 0


async def test_hidden_messages_are_forgotten_while_they_are_hidden_if_the_user_wants_it(
    open_page: OpenPage, bridge: Bridge, endpoint: ScriptedEndpoint
) -> None:
    page = await open_page(remembering(Api.CHAT_COMPLETION, bridge.url, includeHiddenMessages=False))
    memory = Memory(page)
    await page.select_character(await page.create_character("Mira"))
    await page.send(BEES)
    await memory.wait_until_told(BEES)
    await fill_context(page)

    await page.hide_message(1)
    await page.send("Where does Yelena keep her bees?")
    await memory.wait_until_forgotten(BEES)
    await page.unhide_message(1)
    await page.send("Where does Yelena keep her bees?")

    hidden, shown = reply_prompts(endpoint)[-2:]
    assert hidden.count("Ostrava") == 0
    assert BEES not in shown.story
    assert shown.memory.count(BEES) == 1
    assert sum(BEES in str(record) for record in await memory.records()) == 1


async def test_hidden_messages_are_remembered_by_default(
    open_page: OpenPage, bridge: Bridge, endpoint: ScriptedEndpoint
) -> None:
    page = await open_page(remembering(Api.CHAT_COMPLETION, bridge.url))
    memory = Memory(page)
    await page.select_character(await page.create_character("Mira"))
    await page.send(BEES)
    await memory.wait_until_told(BEES)

    await page.hide_message(1)
    await page.send("Where does Yelena keep her bees?")

    prompt = reply_prompts(endpoint)[-1]
    assert BEES not in prompt.story
    assert prompt.memory.count(BEES) == 1

"""Each chat has its own memory."""

from st_bme.adapters.scripted_endpoint import ScriptedEndpoint

from .bridge import Bridge
from .chat_page import OpenPage
from .marks import E2E
from .memory import COPY_KEY, Memory, fill_context, remembering
from .prompts import reply_prompts
from .sillytavern import Api

pytestmark = E2E

FACT = "My sister Yelena keeps bees in Ostrava."
QUESTION = "Where does Yelena keep her bees?"


async def test_nothing_of_another_chat_is_in_a_prompt(
    api: Api, open_page: OpenPage, bridge: Bridge, endpoint: ScriptedEndpoint
) -> None:
    page = await open_page(remembering(api, bridge.url))
    memory = Memory(page)
    mira, oren = [await page.create_character(name) for name in ("Mira", "Oren")]
    await page.select_character(mira)
    await page.send(FACT)
    await memory.wait_until_told(FACT)
    first_chat, first_lineage = await page.chat_id(), (await memory.graph())["lineage"]

    await page.select_character(oren)
    await page.send(QUESTION)
    await page.select_character(mira)
    await page.new_chat()
    await page.send(QUESTION)

    for prompt in reply_prompts(endpoint)[-2:]:
        assert prompt.count("Ostrava") == 0
    assert (await memory.graph())["lineage"] != first_lineage

    await page.open_chat(first_chat)
    await fill_context(page)
    await page.send(QUESTION)

    prompt = reply_prompts(endpoint)[-1]
    assert FACT not in prompt.story
    assert prompt.memory.count(FACT) == 1


async def test_a_group_remembers_for_each_of_its_members(
    open_page: OpenPage, bridge: Bridge, endpoint: ScriptedEndpoint
) -> None:
    page = await open_page(remembering(Api.CHAT_COMPLETION, bridge.url))
    memory = Memory(page)
    avatars = [await page.create_character(name, first_message="") for name in ("Mira", "Oren")]
    await page.create_group("Harbour", avatars)
    await page.send_to_group(FACT)
    await memory.wait_until_told(FACT)
    await fill_context(page)

    await page.send_to_group(QUESTION)

    prompts = reply_prompts(endpoint)[-2:]
    assert [message["name"] for message in (await page.read_chat_file()).messages[-2:]] == ["Mira", "Oren"]
    for prompt in prompts:
        assert FACT not in prompt.story
        assert prompt.memory.count(FACT) == 1
    on_disk = await page.wait_for_chat_file(lambda chat: COPY_KEY in chat.metadata, "the graph in the group's file")
    assert on_disk.metadata[COPY_KEY]["chat"]["name"] == await page.chat_id()

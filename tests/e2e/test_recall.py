"""What was told long ago comes back, once, where the user wants it."""

from dataclasses import dataclass

from st_bme.adapters.scripted_endpoint import ScriptedEndpoint

from .bridge import Bridge
from .chat_page import OpenPage
from .marks import E2E
from .memory import FILLERS, Memory, fill_context, remembering
from .prompts import Prompt, reply_prompts
from .sillytavern import PROMPT_MARK, USER_NAME, Api

pytestmark = E2E

USERS_FACT = "My sister Yelena keeps bees in Ostrava."
CHARACTERS_FACT = "My brother Anselm hid a key in Telmar."


async def test_facts_of_the_first_turn_come_back_when_they_are_asked_for(
    api: Api, open_page: OpenPage, bridge: Bridge, endpoint: ScriptedEndpoint
) -> None:
    # Room for a few memories only, so that what is asked for must be found among the others.
    page = await open_page(remembering(api, bridge.url, injectMaxTokens=220, embeddingSource="local"))
    await page.select_character(await page.create_character("Mira"))
    endpoint.enqueue(CHARACTERS_FACT)
    for text in (USERS_FACT, *FILLERS):
        await page.send(text)
    await Memory(page).wait_until_told(USERS_FACT, CHARACTERS_FACT)

    await page.send("Where does Yelena keep her bees?")
    await page.send("Where did Anselm hide the key?")

    *_, about_bees, about_key = reply_prompts(endpoint)
    for prompt, fact in ((about_bees, USERS_FACT), (about_key, CHARACTERS_FACT)):
        assert fact not in prompt.story
        assert prompt.memory.count(fact) == 1


@dataclass(frozen=True, slots=True)
class Placement:
    """Where the block is asked for, and how many of the newest messages stand behind it (None: all)."""

    changes: dict[str, str]
    role: str
    depth: int | None = None
    is_before_instructions: bool = False


PLACEMENTS = (
    Placement({}, "system", depth=4),
    Placement({"injectDepth": "1", "injectRole": "user"}, "user", depth=1),
    Placement({"injectPosition": "afterPrompt", "injectRole": "system"}, "system"),
    Placement({"injectPosition": "beforePrompt"}, "system", is_before_instructions=True),
)


async def test_memories_stand_where_the_user_wants_them(
    api: Api, open_page: OpenPage, bridge: Bridge, endpoint: ScriptedEndpoint
) -> None:
    page = await open_page(remembering(api, bridge.url))
    memory = Memory(page)
    await page.select_character(await page.create_character("Mira"))
    await page.send(USERS_FACT)
    await fill_context(page)
    for text in ("Look at the harbour.", "Listen to the bells."):
        await page.send(text)
    await memory.wait_until_told(USERS_FACT)

    for placement in PLACEMENTS:
        for key, value in placement.changes.items():
            await memory.change_setting(key, value)
        await page.send("Where does Yelena keep her bees?")
        _assert_placed(reply_prompts(endpoint)[-1], placement, await page.spoken())


def _assert_placed(prompt: Prompt, placement: Placement, spoken: list[str]) -> None:
    assert prompt.memory.count(USERS_FACT) == 1
    assert USERS_FACT not in prompt.story
    assert (PROMPT_MARK in prompt.after_memory) == placement.is_before_instructions
    in_prompt = spoken[:-1]  # without the reply to it
    if placement.depth is None:
        assert not any(text in prompt.before_memory for text in in_prompt)
    else:
        assert all(text in prompt.after_memory for text in in_prompt[-placement.depth :])
        assert in_prompt[-placement.depth - 1] in prompt.before_memory
    if prompt.request.kind == "chat":
        (role,) = (role for role, text in prompt.messages if prompt.memory in text)
        assert role == placement.role
    else:
        speaks = prompt.before_memory.endswith(f"\n{USER_NAME}: ")
        assert speaks == (placement.role == "user")

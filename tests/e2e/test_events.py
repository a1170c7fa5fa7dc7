"""What the server learns of SillyTavern's own events."""

from collections import Counter

from .bridge import Bridge
from .chat_page import OpenPage, wait_until
from .marks import E2E
from .memory import Memory, remembering
from .sillytavern import Api

pytestmark = E2E

OF_EVERY_TURN = ["CHAT_CHANGED", "GENERATION_AFTER_COMMANDS", "MESSAGE_SENT", "MESSAGE_RECEIVED", "GENERATION_ENDED"]
OF_TEXT_COMPLETION = "GENERATE_BEFORE_COMBINE_PROMPTS"


async def test_each_event_of_a_turn_reaches_the_server_once(api: Api, open_page: OpenPage, bridge: Bridge) -> None:
    page = await open_page(remembering(api, bridge.url))
    memory = Memory(page)
    await page.select_character(await page.create_character("Mira"))
    await memory.wait_for_badge("green", "ready")

    await page.send("My sister Yelena keeps bees in Ostrava.")
    await memory.wait_until_told("Yelena")

    async def has_told_all() -> bool:
        sent = Counter((await memory.status())["forwarded"])
        return bool(sent["GENERATION_ENDED"]) and sent == bridge.events()

    await wait_until(has_told_all, "the same events on both sides")
    told = bridge.events()
    # SillyTavern's dry runs have events of the same names, which are not for the server.
    assert {name: told[name] for name in OF_EVERY_TURN} == dict.fromkeys(OF_EVERY_TURN, 1)
    assert told[OF_TEXT_COMPLETION] == (1 if api is Api.TEXT_COMPLETION else 0)

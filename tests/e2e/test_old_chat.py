"""A long chat from before the extension was there, opened for the first time."""

import time

from benchmarks.chats import generate

from st_bme.adapters.scripted_endpoint import ScriptedEndpoint
from st_bme.history.keys import message_key
from st_bme.model.message import Message

from .bridge import Bridge
from .chat_page import OpenPage, wait_until
from .long_chat import chat_lines
from .marks import E2E
from .memory import SMALL_CONTEXT_TOKENS, Memory
from .prompts import reply_prompts
from .sillytavern import Api, Setup, SillyTavern

pytestmark = E2E

CHAT = "Old chat"
MESSAGES = 1_548
FLOOR = 7
SAID = "The harbour master hid the seventh lantern of Quellport under the chapel stairs."
QUESTION = "Where did the harbour master hide the seventh lantern?"


async def test_a_question_about_its_start_is_answered_within_a_minute(
    open_page: OpenPage, bridge: Bridge, endpoint: ScriptedEndpoint, silly_tavern: SillyTavern
) -> None:
    extension = {"enabled": True, "serverUrl": bridge.url, "settings": {}}
    page = await open_page(
        Setup(Api.CHAT_COMPLETION, context_tokens=2 * SMALL_CONTEXT_TOKENS, extension_settings=extension)
    )
    memory = Memory(page)
    avatar = await page.create_character("Mira")
    silly_tavern.write_chat(avatar, CHAT, chat_lines(old_chat()))
    await page.select_character(avatar)
    opened = time.monotonic()
    await page.open_chat(CHAT)
    await memory.wait_until_attached(timeout_s=30)

    async def is_found() -> bool:
        return SAID in await page.run_slash_command(f"/bme-recall {QUESTION}")

    await wait_until(is_found, "what was said at the start", timeout_s=50)
    await page.send(QUESTION)

    (prompt,) = reply_prompts(endpoint)
    assert prompt.request.received_at_s - opened < 60
    assert SAID not in prompt.story
    assert SAID in prompt.memory


def old_chat() -> list[Message]:
    messages = generate(MESSAGES).messages[:MESSAGES]
    telling = messages[FLOOR]
    messages[FLOOR] = Message(message_key(telling.role, SAID), telling.role, telling.name, SAID, FLOOR)
    return messages

"""Catching up on an old chat in the panel: its price first, then its progress under the user's hand."""

import re

from benchmarks.chats import generate

from st_bme.adapters.scripted_endpoint import RecordedRequest, ScriptedEndpoint, ScriptedReply

from .bridge import Bridge
from .chat_page import ChatPage, OpenPage, wait_until
from .long_chat import chat_lines
from .marks import E2E
from .memory import Memory
from .sillytavern import Api, Setup, SillyTavern
from .writer import QUIET

pytestmark = E2E

CHAT = "Old chat"
MESSAGES = 40


class CatchUp:
    """The part of the panel."""

    def __init__(self, page: ChatPage) -> None:
        self._part = page.page.locator(".st-bme-catch-up")

    async def press(self, name: str) -> None:
        await self._part.locator("button", has_text=re.compile(f"^{re.escape(name)}$")).dispatch_event("click")

    async def says(self) -> str:
        return (await self._part.locator("[role=status]").text_content()) or ""

    async def wait_until_it_says(self, words: str) -> str:
        """What it says. Raises: AssertionError: not these words."""

        async def says_so() -> bool:
            return words in await self.says()

        await wait_until(says_so, words, timeout_s=20)
        return await self.says()


async def test_an_old_chat_is_read_when_the_user_has_seen_the_price(
    open_page: OpenPage, bridge: Bridge, second: ScriptedEndpoint, silly_tavern: SillyTavern
) -> None:
    model = {"modelSource": "openai", "llm.baseURL": f"{second.url}/v1", "llm.model": second.model}
    settings = {"embeddingSource": "none", **model, **QUIET}
    second.script = slow
    page = await open_page(
        Setup(Api.CHAT_COMPLETION, extension_settings={"enabled": True, "serverUrl": bridge.url, "settings": settings})
    )
    avatar = await page.create_character("Mira")
    silly_tavern.write_chat(avatar, CHAT, chat_lines(generate(MESSAGES).messages[:MESSAGES]))
    await page.select_character(avatar)
    await page.open_chat(CHAT)
    await Memory(page).wait_for_badge("green", "ready")
    panel = CatchUp(page)

    await panel.press("What is not remembered yet?")
    price = await panel.wait_until_it_says("model calls")
    assert price.startswith(f"{MESSAGES} messages")
    assert calls(second) == 0
    await panel.press("Read it")
    await panel.wait_until_it_says(f"of {MESSAGES}.")
    await wait_until(lambda: has_asked(second, 2), "an answer and another call", timeout_s=20)
    await panel.press("Pause")
    await panel.wait_until_it_says("Paused")
    paused_at = await wait_until_quiet(page, second)
    await panel.press("Go on")
    await wait_until(lambda: has_asked(second, paused_at + 1), "a call after the pause")
    await panel.press("Cancel")
    assert leading_number(await panel.wait_until_it_says("model calls")) < MESSAGES
    cancelled_at = await wait_until_quiet(page, second)
    assert cancelled_at < MESSAGES // 2
    second.script = lambda _: NOTHING
    await panel.press("Read it")
    await panel.wait_until_it_says("All of this is remembered.")
    assert calls(second) >= MESSAGES // 2


NOTHING = ScriptedReply('{"operations": []}')


def slow(_: RecordedRequest) -> ScriptedReply:
    return ScriptedReply(NOTHING.text, delay_s=1.0)


def calls(endpoint: ScriptedEndpoint) -> int:
    return sum(request.kind == "chat" for request in endpoint.requests)


async def has_asked(endpoint: ScriptedEndpoint, count: int) -> bool:
    return calls(endpoint) >= count


async def wait_until_quiet(page: ChatPage, endpoint: ScriptedEndpoint) -> int:
    """How many calls there were; the one under way has time to end, and no other follows."""
    before = calls(endpoint)
    await page.page.wait_for_timeout(1500)
    assert calls(endpoint) <= before + 1
    return calls(endpoint)


def leading_number(text: str) -> int:
    return int(text.split(maxsplit=1)[0])

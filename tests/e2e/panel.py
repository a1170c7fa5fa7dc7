"""The part of the panel about a chat's memory, over a story that was read."""

import re

from playwright.async_api import Locator

from st_bme.adapters.scripted_endpoint import ScriptedEndpoint

from .bridge import Bridge
from .chat_page import ChatPage, OpenPage, wait_until
from .memory import Memory
from .sillytavern import Api, Setup, SillyTavern
from .village import LINES, write_memories
from .writer import QUIET


class Panel:
    """The part of the panel about this chat's memory, and what it shows over the page."""

    def __init__(self, chat: ChatPage, avatar: str) -> None:
        self.chat = chat
        self.page = page = chat.page
        self._avatar = avatar
        self._part = page.locator(".st-bme-actions")
        self.popup = page.locator("dialog[open] .st-bme")

    async def unfold(self) -> None:
        """Open the drawer and its parts."""
        await self.page.evaluate(
            """() => {
                document.querySelectorAll('.st-bme-actions details').forEach(part => { part.open = true; });
                if (!document.querySelector('#rm_extensions_block.openDrawer')) {
                    document.querySelector('#extensions-settings-button .drawer-toggle').click();
                }
                const drawer = document.querySelector('#st_bme_bridge .inline-drawer-content');
                if (getComputedStyle(drawer).display === 'none') {
                    document.querySelector('#st_bme_bridge .inline-drawer-header').click();
                }
            }"""
        )

    async def use_language(self, locale: str) -> None:
        """Let SillyTavern speak another language, and open the same chat."""
        await self.page.evaluate("locale => localStorage.setItem('language', locale)", locale)
        await self.chat.reload()
        await self.chat.select_character(self._avatar)
        await Memory(self.chat).wait_for_badge("green", "ready")
        await self.unfold()

    def button(self, name: str) -> Locator:
        return self._part.locator("button", has_text=re.compile(f"^{re.escape(name)}$"))

    async def press(self, name: str) -> None:
        button = self.button(name)
        await wait_until(button.is_enabled, f"a button {name} that can be pressed")
        await button.dispatch_event("click")

    async def wait_until_it_says(self, words: str) -> str:
        async def says_so() -> bool:
            said = await self._part.inner_text()
            return words in said and not said.endswith("…")  # it is not at work any more

        try:
            await wait_until(says_so, words, timeout_s=20)
        except AssertionError:
            raise AssertionError(f"{words!r} is not in {await self._part.inner_text()!r}") from None
        return await self._part.inner_text()

    async def numbers(self) -> str:
        """What the page of numbers says."""
        await self.press("Numbers")
        await wait_until(lambda: holds(self.popup, "Memories"), "the numbers")
        said = await self.popup.inner_text()
        await self.close()
        return said

    async def close(self) -> None:
        await self.page.locator("dialog[open] .popup-button-close").dispatch_event("click")
        await self.page.wait_for_selector("dialog[open]", state="detached")


class Village:
    """Opens pages with the story of the village."""

    def __init__(self, open_page: OpenPage, bridge: Bridge, model: ScriptedEndpoint, silly_tavern: SillyTavern) -> None:
        self._open_page = open_page
        self._bridge = bridge
        self._model = model
        self._silly_tavern = silly_tavern

    async def read(self, **settings: object) -> Panel:
        """The panel of a page with the story, all of it read."""
        write_memories(self._model)
        asked = {"modelSource": "openai", "llm.baseURL": f"{self._model.url}/v1", "llm.model": self._model.model}
        values = {"embeddingSource": "none", "extractAutoEnabled": False, **asked, **QUIET, **settings}
        extension = {"enabled": True, "serverUrl": self._bridge.url, "settings": values}
        page = await self._open_page(Setup(Api.CHAT_COMPLETION, extension_settings=extension))
        avatar = await page.create_character("Mira")
        lines: list[dict[str, object]] = []
        for asked_text, told in LINES:
            lines += [
                {"name": "Uma", "is_user": True, "is_system": False, "mes": asked_text, "extra": {}},
                {"name": "Mira", "is_user": False, "mes": told, "extra": {}},
            ]
        self._silly_tavern.write_chat(avatar, "Village", lines)
        await page.select_character(avatar)
        await page.open_chat("Village")
        await Memory(page).wait_for_badge("green", "ready")
        panel = Panel(page, avatar)
        await panel.unfold()
        await panel.press("Read new messages")
        await panel.wait_until_it_says("0 messages are not read yet")
        return panel


async def has_count(found: Locator, count: int) -> bool:
    return await found.count() == count


async def holds(part: Locator, words: str) -> bool:
    return await part.count() > 0 and words in await part.first.inner_text()


async def lacks(part: Locator, words: str) -> bool:
    return not await holds(part, words)

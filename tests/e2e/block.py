"""The block of settings in the extensions drawer."""

import json
from typing import Any

from .chat_page import ChatPage
from .memory import Memory

_CONTROLS = """() => Object.fromEntries([...document.querySelectorAll('[id^=st_bme_setting_]')].map(control => [
    control.id.replace('st_bme_setting_', ''),
    control.type === 'checkbox' ? control.checked : control.value || control.placeholder,
]))"""


class Block:
    """The settings as the user sees and changes them."""

    def __init__(self, page: ChatPage, server_url: str) -> None:
        self._page = page
        self._server_url = server_url

    async def schema(self) -> list[dict[str, Any]]:
        kept: str = await self._page.page.evaluate("() => localStorage.getItem('st_bme_bridge.schema')")
        specs: list[dict[str, Any]] = json.loads(kept)["settings"]
        return specs

    async def show_all(self) -> None:
        await self._page.page.evaluate(
            """() => {
                const [search, advanced] = document.querySelectorAll('.st-bme-settings > .st-bme-row input');
                search.value = '';
                if (!advanced.checked) advanced.click();
                else search.dispatchEvent(new Event('input'));
            }"""
        )

    async def controls(self) -> dict[str, object]:
        shown: dict[str, object] = await self._page.page.evaluate(_CONTROLS)
        return shown

    async def change(self, key: str, value: object) -> None:
        """Set a control as a user does, and wait until the server has it."""
        change = """([key, value]) => {
            const control = document.getElementById(`st_bme_setting_${key}`);
            if (control.type === 'checkbox') control.checked = value;
            else control.value = String(value);
            control.dispatchEvent(new Event('change'));
        }"""
        await self._page.page.wait_for_selector(f'[id="st_bme_setting_{key}"]', state="attached")
        async with self._page.page.expect_response("**/v1/settings/set") as answer:
            await self._page.page.evaluate(change, [key, value])
        assert (await answer.value).status == 200, key
        await self._page.page.wait_for_timeout(100)  # the block is drawn anew

    async def kept(self) -> dict[str, object]:
        values: dict[str, object] = await self._page.page.evaluate(
            "() => SillyTavern.getContext().extensionSettings.st_bme_bridge.settings"
        )
        return values

    async def settings_of_the_server(self) -> dict[str, Any]:
        return await Memory(self._page).command(self._server_url, "settings/get")

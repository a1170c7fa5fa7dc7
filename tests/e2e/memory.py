"""The extension in a SillyTavern page, as its user sees it: panel, status, and the graph in the open chat."""

from typing import Any

from graph.unpacked import fields_of

from .chat_page import ChatPage, wait_until
from .sillytavern import Api, Setup

# Two of the fillers fill the small context, so that what was said before them has left it. One of them, the reply and
# what is set aside for instructions leave some 250 tokens to the memories, which push no new message out.
SMALL_CONTEXT_TOKENS = 1150
_LINES = (
    "Rain fell on the awning and neither of them found anything worth saying about it.",
    "A cart went by, then another, and the wet street swallowed the noise of both.",
    "Somebody hummed behind a shutter, off the beat and plainly pleased with it.",
)
FILLERS = (" ".join(_LINES * 9), " ".join(_LINES[::-1] * 9))

INTERCEPTOR = "stBmeBridgeIntercept"
COPY_KEY = "st_bme_graph"


def remembering(api: Api, server_url: str, **settings: object) -> Setup:
    """A small context with memory on. Replies are read as soon as they are there, and no model is used."""
    values = {"modelSource": "none", "embeddingSource": "none", "extractSettleS": 0, **settings}
    extension = {"enabled": True, "serverUrl": server_url, "settings": values}
    return Setup(api, context_tokens=SMALL_CONTEXT_TOKENS, reply_tokens=100, extension_settings=extension)


async def fill_context(page: ChatPage) -> None:
    """Let what was said so far leave the small context, without waiting for replies."""
    for text in FILLERS:
        await page.run_slash_command(f"/send {text}")
    await page.wait_idle()


class Memory:
    """What the extension shows and keeps in one page."""

    def __init__(self, page: ChatPage) -> None:
        self._page = page

    async def status(self) -> dict[str, Any]:
        """What the extension says of itself, without chat text."""
        said: dict[str, Any] = await self._page.page.evaluate("() => stBmeBridge.status()")
        return said

    async def badge(self) -> tuple[str, str]:
        """Colour and reason."""
        badge = (await self.status())["badge"]
        return badge["color"], badge["reason"].removeprefix("bme.badge.")

    async def wait_for_badge(self, color: str, reason: str, *, timeout_s: float = 10.0) -> None:
        async def is_shown() -> bool:
            return await self.badge() == (color, reason)

        await wait_until(is_shown, f"badge {color} {reason}", timeout_s=timeout_s)

    async def wait_until_attached(self, *, timeout_s: float = 10.0) -> None:
        async def is_attached() -> bool:
            is_so: bool = (await self.status())["chat"]["attached"]
            return is_so

        await wait_until(is_attached, "a chat that is open with the server", timeout_s=timeout_s)

    async def graph(self) -> dict[str, Any]:
        """The copy in the open chat's metadata, empty where there is none."""
        copy: dict[str, Any] = (await self._page.metadata()).get(COPY_KEY, {})
        return copy

    async def records(self) -> list[dict[str, Any]]:
        """Each one answer to one extraction."""
        tail: list[dict[str, Any]] = (await self.graph()).get("tail", [])
        return tail

    async def tells(self, words: str) -> bool:
        """Whether a memory that counts says so."""
        graph = await self.graph()
        return any(words in text for node in graph.get("nodes", []) for text in fields_of(graph, node).values())

    async def wait_until_told(self, *facts: str) -> None:
        """Raises: AssertionError: one of these did not become a memory."""

        async def are_told() -> bool:
            return all([await self.tells(fact) for fact in facts])

        await wait_until(are_told, f"memories that tell {facts}")

    async def wait_until_forgotten(self, *facts: str) -> None:
        """Raises: AssertionError: one of these is still a memory that counts."""

        async def are_gone() -> bool:
            return not any([await self.tells(fact) for fact in facts])

        await wait_until(are_gone, f"no memories that tell {facts}")

    async def command(self, server_url: str, name: str, **body: object) -> dict[str, Any]:
        """Ask the server with the token of this page. Raises: AssertionError: it refused."""
        answer: dict[str, Any] = await self._page.page.evaluate(
            """async ([server, name, body]) => {
                const token = localStorage.getItem(`st_bme_bridge.token:${server}`);
                const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
                const request = { method: 'POST', body: JSON.stringify(body), headers };
                return (await fetch(`${server}/v1/${name}`, request)).json();
            }""",
            [server_url, name, body],
        )
        assert "error" not in answer, answer
        return answer

    async def change_setting(self, key: str, value: str) -> None:
        """Look for a setting in the panel, change it, and wait until the server has it."""
        changed = """([key, value]) => {
            const search = document.querySelector('.st-bme-settings input[type=search]');
            search.value = key;
            search.dispatchEvent(new Event('input'));
            const control = document.getElementById(`st_bme_setting_${key}`);
            control.value = value;
            control.dispatchEvent(new Event('change'));
        }"""
        async with self._page.page.expect_response("**/v1/settings/set") as answer:
            await self._page.page.evaluate(changed, [key, value])
        assert (await answer.value).status == 200

    async def switch(self, *, on: bool) -> None:
        """Set the check mark *Use memory*."""
        await self._page.page.evaluate(
            """(on) => {
                const control = document.getElementById('st_bme_enabled');
                if (control.checked !== on) control.click();
            }""",
            on,
        )

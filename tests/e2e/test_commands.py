"""What the user sees of a command that is typed in the chat."""

import json

import pytest
from playwright.async_api import Locator

from .bridge import Bridge
from .chat_page import ChatPage, OpenPage, wait_until
from .marks import E2E
from .memory import Memory
from .sillytavern import Api, Setup

pytestmark = [pytest.mark.timeout(120, func_only=True), *E2E]

ANSWER = "dialog[open] .st-bme-answer"


async def type_command(page: ChatPage, command: str) -> None:
    """As the user does: into the box, and send."""
    await page.page.fill("#send_textarea", command)
    await page.page.locator("#send_but").dispatch_event("click")


async def test_a_typed_command_shows_its_answer_and_a_script_gets_it_unseen(
    open_page: OpenPage, bridge: Bridge
) -> None:
    extension = {"enabled": True, "serverUrl": bridge.url, "settings": {}}
    page = await open_page(Setup(Api.CHAT_COMPLETION, extension_settings=extension))
    await page.select_character(await page.create_character("Mira"))
    await Memory(page).wait_for_badge("green", "ready")
    answer = page.page.locator(ANSWER)

    for command, shown in (("/bme-status", '"enabled": true'), ("/bme-why 0", "No answer: nothing is kept")):
        await type_command(page, command)
        await wait_until(lambda shown=shown: _holds(answer, shown), shown)  # type: ignore[misc]
        await page.page.locator("dialog[open] .popup-button-close").dispatch_event("click")
        await page.page.wait_for_selector("dialog[open]", state="detached")

    assert json.loads(await page.run_slash_command("/bme-status"))["enabled"]
    await type_command(page, "/bme-status quiet=true | /setvar key=told")
    await wait_until(lambda: _is_told(page), "the answer in a variable")
    assert await answer.count() == 0


async def _holds(answer: Locator, words: str) -> bool:
    return words in "".join(await answer.all_inner_texts())


async def _is_told(page: ChatPage) -> bool:
    return "enabled" in await page.run_slash_command("/getvar told")

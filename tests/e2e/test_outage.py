"""Whatever becomes of the server, the reply comes in time, and memory comes back by itself."""

import logging

from st_bme.adapters.scripted_endpoint import ScriptedEndpoint

from .bridge import Bridge
from .chat_page import ChatPage, OpenPage, wait_until
from .door import Door
from .marks import E2E
from .memory import INTERCEPTOR, Memory, fill_context, remembering
from .prompts import Prompt, reply_prompts
from .sillytavern import SETTINGS_KEY, Api

pytestmark = E2E

_LOGGER = logging.getLogger(__name__)

FACT = "My sister Yelena keeps bees in Ostrava."
QUESTION = "Where does Yelena keep her bees?"
LONGEST_MS = 2000
LONGEST_WITHOUT_SERVER_MS = 100
LONGEST_AFTER_STOP_MS = 200
BACK_AGAIN_S = 15.0
SLOW_S = 0.15


async def test_replies_come_while_the_server_is_dead(
    api: Api, open_page: OpenPage, bridge: Bridge, endpoint: ScriptedEndpoint
) -> None:
    page = await open_page(remembering(api, bridge.url))
    memory = await _tell(page)
    settings = await _settings(page)
    bridge.kill()

    for text in ("Are you there?", "And now?", "Still?"):
        await page.send(text)

    assert len(reply_prompts(endpoint)) == len(await page.spoken()) // 2 == 4
    assert [prompt.memory for prompt in reply_prompts(endpoint)[-3:]] == [""] * 3
    _assert_times(await _times_ms(page), 3)
    await memory.wait_for_badge("red", "server_off")

    bridge.start()
    await memory.wait_for_badge("green", "ready", timeout_s=BACK_AGAIN_S)
    await fill_context(page)
    await page.send(QUESTION)
    _assert_recalled(reply_prompts(endpoint)[-1])
    assert await _settings(page) == settings


async def test_replies_come_while_the_server_is_frozen(
    open_page: OpenPage, bridge: Bridge, endpoint: ScriptedEndpoint
) -> None:
    page = await open_page(remembering(Api.CHAT_COMPLETION, bridge.url))
    memory = await _tell(page)

    with bridge.frozen():
        for text in ("Are you there?", "And now?", "Still?"):
            await page.send(text)
        assert (await memory.badge())[0] == "red"

    assert len(reply_prompts(endpoint)) == 4
    _assert_times(await _times_ms(page), 3)
    await memory.wait_for_badge("green", "ready", timeout_s=BACK_AGAIN_S)
    await fill_context(page)
    await page.send(QUESTION)
    _assert_recalled(reply_prompts(endpoint)[-1])


async def test_a_slow_server_is_waited_for_up_to_the_limit(
    open_page: OpenPage, door: Door, endpoint: ScriptedEndpoint
) -> None:
    page = await open_page(remembering(Api.CHAT_COMPLETION, door.url))
    memory = await _tell(page)
    await fill_context(page)

    door.delay_s = SLOW_S
    await page.send(QUESTION)
    _assert_recalled(reply_prompts(endpoint)[-1])
    door.delay_s = 30.0
    await page.send("Are you there?")
    await page.send("And now?")
    door.delay_s = 0.0

    assert [prompt.memory for prompt in reply_prompts(endpoint)[-2:]] == ["", ""]
    slow, too_slow, given_up = await _times_ms(page)
    assert SLOW_S * 1000 <= slow <= LONGEST_MS
    assert too_slow <= LONGEST_MS
    assert given_up <= LONGEST_WITHOUT_SERVER_MS
    await memory.wait_for_badge("green", "ready", timeout_s=BACK_AGAIN_S)
    await page.send(QUESTION)
    _assert_recalled(reply_prompts(endpoint)[-1])


async def test_stop_ends_a_recall_at_once_and_keeps_the_message(
    api: Api, open_page: OpenPage, bridge: Bridge, endpoint: ScriptedEndpoint
) -> None:
    page = await open_page(remembering(api, bridge.url))
    await _tell(page)

    with bridge.frozen():
        await page.start_sending("Wait, let me think.")
        await wait_until(lambda: _is_recalling(page), "the beginning of a recall")
        pressed_ms = await page.stop()
        await page.wait_idle()
    (call,) = await page.interceptor_calls()
    assert call.ended_ms is not None
    _LOGGER.info("returned %.1f ms after Stop", call.ended_ms - pressed_ms)
    assert call.ended_ms - pressed_ms <= LONGEST_AFTER_STOP_MS
    assert (await page.spoken())[-1] == "Wait, let me think."
    assert len(reply_prompts(endpoint)) == 1

    await page.send("Now go on.")
    assert (await page.spoken())[-1] == "Scripted reply number 2."
    await fill_context(page)
    await page.send(QUESTION)
    _assert_recalled(reply_prompts(endpoint)[-1])


async def _tell(page: ChatPage) -> Memory:
    memory = Memory(page)
    await page.select_character(await page.create_character("Mira"))
    await page.send(FACT)
    await memory.wait_until_told(FACT)
    assert await memory.badge() == ("green", "ready")
    await page.time_interceptor(INTERCEPTOR)
    return memory


async def _settings(page: ChatPage) -> dict[str, object]:
    """The extension's settings as SillyTavern keeps them."""
    kept: dict[str, object] = await page.page.evaluate(
        f"() => SillyTavern.getContext().extensionSettings.{SETTINGS_KEY}.settings"
    )
    return kept


async def _times_ms(page: ChatPage) -> list[float]:
    times = [call.took_ms for call in await page.interceptor_calls()]
    _LOGGER.info("interceptor: %s ms", ", ".join(f"{time_ms:.1f}" for time_ms in times))
    return times


async def _is_recalling(page: ChatPage) -> bool:
    return any(call.ended_ms is None for call in await page.interceptor_calls())


def _assert_times(times_ms: list[float], count: int) -> None:
    first, *later = times_ms
    assert len(times_ms) == count
    assert first <= LONGEST_MS
    assert max(later) <= LONGEST_WITHOUT_SERVER_MS


def _assert_recalled(prompt: Prompt) -> None:
    assert FACT not in prompt.story
    assert prompt.memory.count(FACT) == 1

"""Drive a SillyTavern page as a user does: pick a character, send, swipe, edit, switch chats."""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.async_api import BrowserContext, Page

from .sillytavern import ChatFile, Setup, SillyTavern

# A stranger's name that the browser takes for this machine, as a hostile name server can make it do.
REBOUND_NAME = "rebound.test"

_HERE = Path(__file__).resolve().parent
_LOAD_TIMEOUT_MS = 60_000
_TURN_TIMEOUT_MS = 40_000
_QUIET_MS = 50
_CARD = {
    "personality": "calm",
    "scenario": "",
    "mes_example": "",
    "talkativeness": "0.5",
    "fav": "false",
    "extensions": "{}",
}


@dataclass(frozen=True, slots=True)
class RecordedEvent:
    name: str
    at_ms: float  # the page's performance.now()
    args: list[Any]  # plain values as they were, others by their type
    chat_length: int


@dataclass(frozen=True, slots=True)
class InterceptorCall:
    type: str
    started_ms: float
    ended_ms: float | None  # None: it has not returned yet

    @property
    def took_ms(self) -> float:
        if self.ended_ms is None:
            raise AssertionError("the interceptor has not returned")
        return self.ended_ms - self.started_ms


class ChatPage:
    """One browser page on SillyTavern. Verbs that cause a reply return when it is there and saved."""

    def __init__(self, page: Page, silly_tavern: SillyTavern) -> None:
        self.page = page
        self.console: list[str] = []
        self._silly_tavern = silly_tavern
        page.on("console", lambda message: self.console.append(f"[{message.type}] {message.text}"))
        page.on("pageerror", lambda error: self.console.append(f"[pageerror] {error.stack or error}"))

    @classmethod
    async def open(cls, profile: BrowserContext, silly_tavern: SillyTavern) -> "ChatPage":
        """Load SillyTavern in a new tab and wait until its API is connected."""
        opened = cls(await profile.new_page(), silly_tavern)
        await opened.page.add_init_script(path=_HERE / "recorder.js")
        await opened.page.goto(silly_tavern.url, wait_until="domcontentloaded")
        await opened._wait_loaded()
        return opened

    async def close(self) -> None:
        await self.page.close()

    async def reload(self) -> None:
        """Load the page anew, as a user presses F5, with the same browser profile."""
        await self.page.reload(wait_until="domcontentloaded")
        await self._wait_loaded()

    async def _wait_loaded(self) -> None:
        loaded = "() => globalThis.SillyTavern?.getContext && !document.querySelector('#preloader')"
        await self.page.wait_for_function(loaded, timeout=_LOAD_TIMEOUT_MS)
        await self.page.evaluate("() => recorder.listen()")
        # Until then the messages of the welcome screen may still get into a chat that is opened.
        await self.page.wait_for_function("() => recorder.isReady()", timeout=_LOAD_TIMEOUT_MS)
        connected = "() => SillyTavern.getContext().onlineStatus !== 'no_connection'"
        await self.page.wait_for_function(connected, timeout=_LOAD_TIMEOUT_MS)
        await self.wait_idle()

    # Characters, groups and chats

    async def create_character(self, name: str, *, first_message: str = "Hello.", description: str = "") -> str:
        """Give the avatar file name, which is SillyTavern's id of the new character."""
        card = _CARD | {"ch_name": name, "first_mes": first_message, "description": description}
        avatar: str = await self.page.evaluate(
            """async (card) => {
                const context = SillyTavern.getContext();
                const form = new FormData();
                for (const [key, value] of Object.entries(card)) form.append(key, value);
                const headers = { ...context.getRequestHeaders() };
                delete headers['Content-Type'];
                const response = await fetch('/api/characters/create', { method: 'POST', headers, body: form });
                if (!response.ok) throw new Error(`create character: ${response.status}`);
                await context.getCharacters();
                return response.text();
            }""",
            card,
        )
        return avatar

    async def select_character(self, avatar: str) -> None:
        await self.page.evaluate(
            """(avatar) => {
                const context = SillyTavern.getContext();
                return context.selectCharacterById(context.characters.findIndex((c) => c.avatar === avatar));
            }""",
            avatar,
        )
        await self.wait_idle()

    async def create_group(self, name: str, avatars: list[str]) -> None:
        """Create a group whose members answer in turn, and open it."""
        await self.page.evaluate(
            """async ([name, members]) => {
                const context = SillyTavern.getContext();
                const chatId = `${name} chat`;
                const group = {
                    name, members, avatar_url: null, allow_self_responses: false, activation_strategy: 1,
                    generation_mode: 0, disabled_members: [], fav: false, chat_id: chatId, chats: [chatId],
                };
                const request = { method: 'POST', headers: context.getRequestHeaders(), body: JSON.stringify(group) };
                const response = await fetch('/api/groups/create', request);
                if (!response.ok) throw new Error(`create group: ${response.status}`);
                const { id } = await response.json();
                await context.getCharacters();
                const groups = await import('/scripts/group-chats.js');
                await groups.openGroupById(id);
            }""",
            [name, avatars],
        )
        await self.wait_idle()

    async def new_chat(self) -> None:
        await self.page.evaluate("async () => (await import('/script.js')).doNewChat()")
        await self.wait_idle()

    async def open_chat(self, chat_id: str) -> None:
        await self.page.evaluate("(id) => SillyTavern.getContext().openCharacterChat(id)", chat_id)
        await self.wait_idle()

    async def branch(self, floor: int) -> None:
        """Branch the chat behind this message and go on in the branch."""
        before = await self.chat_id()
        await self._click_in_message(floor, ".mes_create_branch")
        await self.page.wait_for_function("(id) => SillyTavern.getContext().getCurrentChatId() !== id", arg=before)
        await self.wait_idle()

    # Turns

    async def send(self, text: str) -> None:
        async with self.turn():
            await self.start_sending(text)

    async def send_to_group(self, text: str) -> None:
        async with self.turn(counter="groupRunsFinished"):
            await self.start_sending(text)

    async def start_sending(self, text: str) -> None:
        """Press send until SillyTavern takes it: for a moment after a reply it ignores the button."""
        before = await self.page.evaluate("() => recorder.generationsStarted")
        await self.page.fill("#send_textarea", text)

        async def is_taken() -> bool:
            await self._click("#send_but")
            started: bool = await self.page.evaluate("(before) => recorder.generationsStarted > before", before)
            return started

        await wait_until(is_taken, "a generation", every_s=0.1)

    async def stop(self) -> float:
        """Press Stop. Gives when, by the page's `performance.now()`."""
        pressed_ms: float = await self.page.evaluate(
            "() => { const at = performance.now(); document.querySelector('#mes_stop').click(); return at; }"
        )
        return pressed_ms

    async def swipe_for_new_reply(self) -> None:
        async with self.turn():
            await self._click("#chat .last_mes .swipe_right")

    async def swipe_back(self) -> None:
        await self._click("#chat .last_mes .swipe_left")
        await self.wait_idle()

    async def regenerate(self) -> None:
        async with self.turn():
            await self._click("#option_regenerate")

    @asynccontextmanager
    async def turn(self, counter: str = "generationsEnded") -> AsyncIterator[None]:
        """Do something that starts a generation; leave when a real one has started, ended and been saved."""
        before = await self.page.evaluate(f"() => [recorder.generationsStarted, recorder.{counter}]")
        yield
        await self.page.wait_for_function(
            f"([started, ended]) => recorder.generationsStarted > started && recorder.{counter} > ended",
            arg=before,
            timeout=_TURN_TIMEOUT_MS,
        )
        await self.wait_idle()

    async def wait_idle(self) -> None:
        """Wait until SillyTavern generates nothing and saves nothing."""
        await self.page.evaluate("() => { recorder.idleSince = 0; }")
        await self.page.wait_for_function(
            "(quietMs) => recorder.isIdle(quietMs)", arg=_QUIET_MS, timeout=_TURN_TIMEOUT_MS, polling=20
        )

    # Messages

    async def edit_message(self, floor: int, text: str) -> None:
        await self._click_in_message(floor, ".mes_edit")
        await self.page.fill("#curEditTextarea", text)
        await self._click_in_message(floor, ".mes_edit_done")
        await self.page.wait_for_selector("#curEditTextarea", state="detached")
        await self.wait_idle()

    async def delete_message(self, floor: int) -> None:
        before = len(await self.spoken())
        await self._click_in_message(floor, ".mes_edit")
        await self._click_in_message(floor, ".mes_edit_delete")
        await self.page.wait_for_function("(n) => SillyTavern.getContext().chat.length < n", arg=before)
        await self.wait_idle()

    async def hide_message(self, floor: int) -> None:
        await self._click_in_message(floor, ".mes_hide")
        await self.page.wait_for_function("(floor) => SillyTavern.getContext().chat[floor].is_system", arg=floor)
        await self.wait_idle()

    async def unhide_message(self, floor: int) -> None:
        await self._click_in_message(floor, ".mes_unhide")
        await self.page.wait_for_function("(floor) => !SillyTavern.getContext().chat[floor].is_system", arg=floor)
        await self.wait_idle()

    async def run_slash_command(self, command: str) -> str:
        """Give the command's pipe: what it hands to the next one."""
        pipe: str = await self.page.evaluate(
            "async (c) => (await SillyTavern.getContext().executeSlashCommandsWithOptions(c)).pipe ?? ''", command
        )
        return pipe

    # Looking

    async def chat_id(self) -> str:
        name: str = await self.page.evaluate("() => SillyTavern.getContext().getCurrentChatId()")
        return name

    async def avatar(self) -> str:
        """Of the character whose chat is open; "" in a group."""
        name: str = await self.page.evaluate(
            """() => {
                const { groupId, characters, characterId } = SillyTavern.getContext();
                return groupId ? '' : characters[characterId].avatar;
            }"""
        )
        return name

    async def spoken(self) -> list[str]:
        """The text of each message as the page holds it."""
        texts: list[str] = await self.page.evaluate("() => SillyTavern.getContext().chat.map((m) => m.mes)")
        return texts

    async def is_replying(self) -> bool:
        """Whether part of a streamed reply has arrived."""
        begun: bool = await self.page.evaluate(
            """() => {
                const stream = SillyTavern.getContext().streamingProcessor;
                return Boolean(stream && !stream.isFinished && stream.result?.trim());
            }"""
        )
        return begun

    async def metadata(self) -> dict[str, Any]:
        found: dict[str, Any] = await self.page.evaluate("() => SillyTavern.getContext().chatMetadata")
        return found

    async def read_chat_file(self) -> ChatFile:
        """The open chat as it lies on disk now; some saves are up to a second away."""
        chat, avatar = await self.chat_id(), await self.avatar()
        return self._silly_tavern.read_chat(avatar, chat) if avatar else self._silly_tavern.read_group_chat(chat)

    async def wait_for_chat_file(self, is_right: Callable[[ChatFile], bool], what: str) -> ChatFile:
        """The open chat on disk, as soon as it is as it should be."""

        async def ask() -> bool:
            return is_right(await self.read_chat_file())

        await wait_until(ask, what)
        return await self.read_chat_file()

    async def events(self) -> list[RecordedEvent]:
        noted = await self.page.evaluate("() => recorder.events")
        return [RecordedEvent(e["name"], e["at"], e["args"], e["chatLength"]) for e in noted]

    async def time_interceptor(self, name: str) -> None:
        """Measure every call of the extension's generate interceptor from now on."""
        await self.page.evaluate("(name) => recorder.timeInterceptor(name)", name)

    async def interceptor_calls(self) -> list[InterceptorCall]:
        """Oldest first, since `time_interceptor`."""
        noted = await self.page.evaluate("() => recorder.interceptorCalls")
        return [InterceptorCall(c["type"], c["startedAt"], c["endedAt"]) for c in noted]

    async def collect_artifacts(self) -> dict[str, bytes]:
        """File names and contents for a reader of a failed test: picture, console and events."""
        events = await self.page.evaluate("() => recorder.events")
        return {
            "page.png": await self.page.screenshot(),
            "console.log": "\n".join(self.console).encode(),
            "events.json": json.dumps(events, indent=1).encode(),
        }

    async def screenshot(self, path: Path) -> None:
        await self.page.screenshot(path=path)

    async def _click_in_message(self, floor: int, selector: str) -> None:
        await self._click(f'#chat .mes[mesid="{floor}"] {selector}')

    async def _click(self, selector: str) -> None:
        """Click even what shows only while the mouse is over its message or inside a closed menu."""
        await self.page.locator(selector).dispatch_event("click")


OpenPage = Callable[[Setup], Awaitable[ChatPage]]


async def wait_until(
    ask: Callable[[], Awaitable[bool]], what: str, *, timeout_s: float = 10.0, every_s: float = 0.05
) -> None:
    """Ask again and again until the answer is yes. Raises: AssertionError that names what did not come."""
    deadline = time.monotonic() + timeout_s
    while not await ask():
        assert time.monotonic() < deadline, f"not within {timeout_s} s: {what}"
        await asyncio.sleep(every_s)

"""A random walk over all actions, in two chats, a branch, an imported copy and two tabs, with a seed."""

import random
from collections import Counter
from collections.abc import Awaitable, Callable

from .actions import Actions, Line
from .bridge import Bridge
from .chat_page import ChatPage, wait_until
from .memory import Memory
from .truth import assert_true_to_the_chat

_PEOPLE = ("Yelena", "Bertil", "Ludmila", "Orsolya", "Benedek", "Rosalind", "Dorrin", "Ilsabet")
_DEEDS = ("keeps bees", "builds violins", "tames wolves", "breeds falcons", "sells lanterns", "buries silver keys")
_PLACES = ("Ostrava", "Cremona", "Karelia", "Segovia", "Quellport", "Tamm", "Lisbon", "Varn")
# Deleting is as likely as all that makes a chat longer, so that it stays short enough to be read anew each time.
_LONGEST = 16

Step = Callable[[], Awaitable[None]]


class Walk:
    """Takes steps. After each one the graph of the open chat must be what a fresh extraction gives."""

    def __init__(self, seed: int, tabs: list[ChatPage], avatar: str, bridge: Bridge) -> None:
        self.taken: Counter[str] = Counter()
        self._random = random.Random(seed)
        self._tabs = tabs
        self._avatar = avatar
        self._bridge = bridge
        self._tab = 0
        self._is_stale = False  # the tab that is not in use still shows the character by its old name
        self._chats: list[str] = []
        self._copied: set[str] = set()
        self._replies = 0

    @property
    def _page(self) -> ChatPage:
        return self._tabs[self._tab]

    def sentence(self) -> str:
        """Something worth remembering, from few words, so that the same names and texts come again."""
        chosen = [self._random.choice(words) for words in (_PEOPLE, _DEEDS, _PLACES)]
        return "My friend {} {} in {}.".format(*chosen)

    def reply(self) -> str:
        """A sentence of the character. What it said under an older name it never says again: keys have no names."""
        self._replies += 1
        return f"{self.sentence()} Day {self._replies}." if self.taken["rename character"] else self.sentence()

    async def start(self) -> None:
        """Two chats with a turn each, the second one open in the first tab."""
        await self._page.select_character(self._avatar)
        for _ in range(2):
            await self._page.new_chat()
            self._chats.append(await self._page.chat_id())
            await self._page.send(self.sentence())
        await assert_true_to_the_chat(self._page)

    async def take(self, count: int) -> None:
        """Take random steps. Raises: AssertionError with the steps so far, where the graph is not true."""
        names: list[str] = []
        for _ in range(count):
            chat, lines = await self._page.chat_id(), await Actions(self._page).lines()
            steps = self._possible(lines)
            # What was seldom possible so far is the more likely now.
            choices = sorted(steps)
            (name,) = self._random.choices(choices, [1 / (1 + self.taken[choice]) ** 2 for choice in choices])
            names.append(name)
            try:
                await steps[name]()
                await assert_true_to_the_chat(self._page)
            except Exception as error:
                error.add_note(f"after {len(names)} steps: {names}; the last one in {chat!r} with {lines}")
                raise
            self.taken[name] += 1

    def _possible(self, lines: list[Line]) -> dict[str, Step]:
        page, act = self._page, Actions(self._page)
        floor = self._random.randrange(len(lines)) if lines else 0
        steps: dict[str, Step] = {"send": self._send, "change chat": self._change_chat, "change tab": self._change_tab}
        steps |= {"rename": self._rename, "rename character": self._rename_character, "kill server": self._kill_server}
        if len(lines) > 2:
            copies = {"branch": lambda: self._branch(floor), "import": self._import}
            steps |= {name: step for name, step in copies.items() if name not in self._copied}
        if len(lines) > _LONGEST:
            return {"cut": lambda: act.cut(floor // 2, floor // 2 + 4)}
        if lines:
            hidden = lines[floor].is_hidden
            is_user = lines[floor].is_user
            steps["edit"] = lambda: page.edit_message(floor, self.sentence() if is_user else self.reply())
            steps["delete"] = lambda: page.delete_message(floor)
            steps["unhide" if hidden else "hide"] = lambda: (page.unhide_message if hidden else page.hide_message)(
                floor
            )
            steps["duplicate"] = lambda: act.duplicate(floor)
        if floor > 0:
            steps["move"] = lambda: act.move_up(floor)
        if len(lines) > 3:
            steps["cut"] = lambda: act.cut(floor, min(floor + 1, len(lines) - 1))
            steps["delete from"] = lambda: act.delete_from(max(floor, len(lines) - 3))
        return steps | self._of_reply(lines)

    def _of_reply(self, lines: list[Line]) -> dict[str, Step]:
        """What can be done to the newest reply."""
        page, act = self._page, Actions(self._page)
        if len(lines) < 2 or lines[-1].is_user or lines[-1].is_hidden:
            return {}
        last = lines[-1]
        steps: dict[str, Step] = {"regenerate": page.regenerate, "continue": act.go_on}
        if last.swipe < last.swipes - 1:
            steps["swipe forth"] = act.swipe_forth
        else:
            steps["new swipe"] = page.swipe_for_new_reply
        if last.swipe > 0:
            steps["swipe back"] = page.swipe_back
        if last.swipes > 1:
            number = self._random.randrange(last.swipes)
            steps["delete swipe"] = lambda: act.delete_swipe(number)
        return steps

    async def _send(self) -> None:
        await self._page.send(self.sentence())

    async def _change_chat(self) -> None:
        await self._wait_for_save()
        others = [chat for chat in self._chats if chat != await self._page.chat_id()]
        await self._open(self._random.choice(others))

    async def _change_tab(self) -> None:
        await self._wait_for_save()
        chat = await self._page.chat_id()
        self._tab = 1 - self._tab
        if self._is_stale:
            await self._page.reload()
            self._is_stale = False
        await self._page.select_character(self._avatar)
        await self._open(chat)

    async def _branch(self, floor: int) -> None:
        self._copied.add("branch")
        await self._page.branch(floor)
        self._chats.append(await self._page.chat_id())
        await Memory(self._page).wait_for_badge("green", "ready")

    async def _import(self) -> None:
        """Take the chat in again from a file, and go on with the new one."""
        self._copied.add("import")
        await self._wait_for_save()
        act = Actions(self._page)
        self._chats.append(await act.import_chat(await act.export_chat()))
        await self._open(self._chats[-1])

    async def _rename(self) -> None:
        await self._wait_for_save()
        old, new = await self._page.chat_id(), f"Renamed {self.taken['rename']}"
        await Actions(self._page).rename_chat(new)
        self._chats[self._chats.index(old)] = new
        await Memory(self._page).wait_for_badge("green", "ready")

    async def _rename_character(self) -> None:
        await self._wait_for_save()
        await Actions(self._page).rename_character(f"Mira {self.taken['rename character']}")
        self._avatar, self._is_stale = await self._page.avatar(), True
        await Memory(self._page).wait_for_badge("green", "ready")

    async def _kill_server(self) -> None:
        """The server comes back, and the page goes on with it, whichever tab was there first."""
        await self._wait_for_save()
        self._bridge.kill()
        self._bridge.start()
        memory = Memory(self._page)

        async def is_back() -> bool:
            if (await memory.status())["chat"]["problem"] == "open_elsewhere":
                await self._page.page.get_by_text("Use this one").dispatch_event("click")
            return await memory.badge() == ("green", "ready")

        await wait_until(is_back, "the server is back", timeout_s=30)

    async def _wait_for_save(self) -> None:
        """SillyTavern saves some changes a second later, and the other tab reads what is on the disk."""
        shown = [(line.text, line.is_hidden) for line in await Actions(self._page).lines()]
        await self._page.wait_for_chat_file(
            lambda chat: [(line["mes"], bool(line.get("is_system"))) for line in chat.messages] == shown,
            "the chat as the page shows it",
        )

    async def _open(self, chat: str) -> None:
        """Load the chat from disk, where the other tab may have changed it."""
        await self._page.open_chat(chat)
        await Memory(self._page).wait_for_badge("green", "ready")

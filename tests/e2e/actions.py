"""What else a user does to a chat: the rarer buttons and slash commands of a SillyTavern page."""

from dataclasses import dataclass

from .chat_page import ChatPage


@dataclass(frozen=True, slots=True)
class Line:
    """A message as the page shows it."""

    text: str
    is_user: bool
    is_hidden: bool
    swipe: int
    swipes: int


class Actions:
    """Acts in one page; each returns when SillyTavern has saved what it did."""

    def __init__(self, page: ChatPage) -> None:
        self.page = page

    async def lines(self) -> list[Line]:
        found = await self.page.page.evaluate(
            """() => SillyTavern.getContext().chat.map((message) => [
                message.mes, message.is_user, Boolean(message.is_system),
                message.swipe_id ?? 0, message.swipes?.length ?? 1,
            ])"""
        )
        return [Line(*line) for line in found]

    async def move_up(self, floor: int) -> None:
        before = await self.page.spoken()
        await self._click(floor, ".mes_edit")
        await self._click(floor, ".mes_edit_up")
        moved = [*before[: floor - 1], before[floor], before[floor - 1], *before[floor + 1 :]]
        await self._wait_for("(chat, moved) => JSON.stringify(chat.map((m) => m.mes)) === JSON.stringify(moved)", moved)
        await self._click(floor - 1, ".mes_edit_cancel")
        await self.page.wait_idle()

    async def duplicate(self, floor: int) -> None:
        before = len(await self.page.spoken())
        await self._click(floor, ".mes_edit")
        await self._click(floor, ".mes_edit_copy")
        await self.page.page.locator("dialog[open] .popup-button-ok").dispatch_event("click")
        await self._wait_for("(chat, length) => chat.length > length", before)
        await self._click(floor, ".mes_edit_cancel")
        await self.page.wait_idle()

    async def cut(self, first: int, last: int) -> None:
        await self._command(f"/cut {first}-{last}")

    async def swipe_forth(self) -> None:
        """To a reply that is there already."""
        await self.page.page.locator("#chat .last_mes .swipe_right").dispatch_event("click")
        await self.page.wait_idle()

    async def delete_swipe(self, number: int) -> None:
        await self._command(f"/delswipe {number + 1}")

    async def go_on(self) -> None:
        """Let the character go on with its reply."""
        async with self.page.turn():
            await self.page.page.locator("#option_continue").dispatch_event("click")

    async def checkpoint(self, floor: int, name: str) -> None:
        """A copy of the chat up to a message; the page stays where it is."""
        await self._command(f"/checkpoint-create mesId={floor} {name}")

    async def rename_chat(self, name: str) -> None:
        await self._command(f"/renamechat {name}")
        await self._wait_for("(chat, name) => SillyTavern.getContext().getCurrentChatId() === name", name)
        await self.page.wait_idle()

    async def rename_character(self, name: str) -> None:
        await self.page.page.evaluate(
            "async (name) => (await import('/script.js')).renameCharacter(name, { silent: true, renameChats: false })",
            name,
        )
        await self.page.wait_idle()

    async def _command(self, command: str) -> None:
        await self.page.run_slash_command(command)
        await self.page.wait_idle()

    async def _click(self, floor: int, selector: str) -> None:
        await self.page.page.locator(f'#chat .mes[mesid="{floor}"] {selector}').dispatch_event("click")

    async def _wait_for(self, is_so: str, value: object) -> None:
        await self.page.page.wait_for_function(f"(value) => ({is_so})(SillyTavern.getContext().chat, value)", arg=value)

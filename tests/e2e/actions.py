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

    async def delete_from(self, floor: int) -> None:
        """Delete a message and all that follow, as the menu does."""
        await self.page.page.locator("#option_delete_mes").dispatch_event("click")
        await self.page.page.locator("#chat .last_mes .del_checkbox").wait_for()
        await self._click(floor, ".del_checkbox")
        await self.page.page.locator("#dialogue_del_mes_ok").dispatch_event("click")
        await self._wait_for("(chat, length) => chat.length === length", floor)
        await self.page.wait_idle()

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

    async def convert_to_group(self) -> None:
        await self.page.page.locator("#option_convert_to_group").dispatch_event("click")
        await self.page.page.locator("dialog[open] .popup-button-ok").dispatch_event("click")
        await self._wait_for("() => Boolean(SillyTavern.getContext().groupId)", None)
        await self.page.wait_idle()

    async def export_chat(self) -> str:
        """The open chat as the user would get it in a JSONL file."""
        exported: str = await self.page.page.evaluate(
            """async () => {
                const { getRequestHeaders, characters, characterId, getCurrentChatId } = SillyTavern.getContext();
                const file = `${getCurrentChatId()}.jsonl`;
                const wanted = { is_group: false, avatar_url: characters[characterId].avatar, file, format: 'jsonl' };
                const body = JSON.stringify({ ...wanted, exportfilename: file });
                const request = { method: 'POST', headers: getRequestHeaders(), body };
                return (await (await fetch('/api/chats/export', request)).json()).result;
            }"""
        )
        return exported

    async def import_chat(self, text: str) -> str:
        """Take a JSONL file in as a chat of the open character; the name that SillyTavern gives it."""
        name: str = await self.page.page.evaluate(
            """async (text) => {
                const { characters, characterId, name1, name2 } = SillyTavern.getContext();
                const form = new FormData();
                form.set('file_type', 'jsonl');
                form.set('avatar', new File([text], 'chat.jsonl', { type: 'application/octet-stream' }));
                form.set('avatar_url', characters[characterId].avatar);
                form.set('user_name', name1);
                form.set('character_name', name2);
                const [name] = await (await import('/script.js')).importCharacterChat(form, { refresh: false });
                return name.replace('.jsonl', '');
            }""",
            text,
        )
        return name

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

"""What the commands do: the one facade between the wire and the chats."""

from __future__ import annotations

import asyncio
import logging

from pydantic import JsonValue

from st_bme.errors import ModelFailed, OpenElsewhere, UnknownChat
from st_bme.history.attach import kept_front
from st_bme.protocol import commands, results
from st_bme.protocol.events import NoticeEvent, SettingsEvent
from st_bme.protocol.wire import MessageList, Text
from st_bme.session.arrival import Arrival
from st_bme.session.chat_log import listed_slots
from st_bme.session.chat_session import ChatSession
from st_bme.session.lost_chat import LostChat
from st_bme.session.memory_commands import MemoryCommands
from st_bme.session.models import SECRETS
from st_bme.session.open_chat import OpenChat, open_chat
from st_bme.session.opening import Brought, Opening
from st_bme.session.purge import Purge
from st_bme.session.recalling import REROLLS
from st_bme.session.server_commands import ServerCommands
from st_bme.session.settings_wire import settings_result
from st_bme.session.tools import Tools
from st_bme.settings import DEFAULTS, Values, accept

_LOGGER = logging.getLogger(__name__)


GENERATION_ENDS = ("GENERATION_ENDED", "GENERATION_STOPPED", "GROUP_WRAPPER_FINISHED")


class SettingsHolder:
    """The values in force. The page owns them and sends them at attach and on change."""

    def __init__(self, values: Values = DEFAULTS) -> None:
        self.values = values
        self.is_told = False  # by a page, since the server started

    def tell(self, values: Values) -> None:
        self.values, self.is_told = values, True

    def __call__(self) -> Values:
        return self.values


class Bridge(MemoryCommands, ServerCommands):
    """All attached chats of one server."""

    def __init__(self, tools: Tools, settings: SettingsHolder) -> None:
        super().__init__(tools)
        self._settings = settings
        self._opening = Opening(tools)
        self._chats: dict[str, OpenChat] = {}
        self._attaching = asyncio.Lock()
        tools.budget.on_renewed = self._go_on

    async def start(self) -> None:
        """Make the models that the defaults name; pages send their settings when they attach."""
        await self._tools.usage.start()
        await self._use_models()

    def _go_on(self) -> None:
        """Another day has begun: what waited for it is done."""
        for chat in self._chats.values():
            chat.extraction.start()
            chat.catch_up.go_on()

    async def stop(self) -> None:
        """Let go of all work; what is not recorded stays pending."""
        self._tools.budget.stop()
        for chat in self._chats.values():
            await chat.stop()
        await self._tools.models.close()
        await self._tools.vectors.close()
        await self._tools.store.close()

    def session(self, lineage: str) -> ChatSession:
        return self._chats[lineage].session

    def models(self) -> results.ModelStates:
        return self._tools.models.states()

    def queue_length(self) -> int:
        """Chats in which something is waiting or under way."""
        return sum(not chat.is_idle for chat in self._chats.values())

    async def attach(self, command: commands.ChatAttach) -> results.Attached:
        """Open a chat, or go on with it, and bring the page's copy up to date."""
        accepted = accept(command.settings)
        before = self._settings.values
        self._settings.tell(accepted.values)
        for refusal in accepted.refused:
            _LOGGER.warning("%s", refusal)
        await self._use_models()
        if before != accepted.values:
            await self._refold_all()
        async with self._attaching:
            decision = await self._opening.decide(command)
            if decision.kind == "read_only":
                return results.Attached(lineage="", need=[], read_only=True)
            if decision.needs_copy and command.copy_state is None:
                return results.Attached(lineage="", need=[], need_copy=True)
            brought = await self._opening.gather(command, decision)
            open_chat = self._chats.get(decision.lineage)
            if open_chat is None:
                open_chat = self._adopt(await self._opening.open(command, decision, brought))
            else:
                await open_chat.session.unite(brought.records, brought.texts, brought.aliases)
            return await self._answer_attach(open_chat, command, brought)

    async def _use_models(self) -> None:
        """Follow the settings; a model that must not be used is reported, and the one before stays."""
        try:
            await self._tools.models.use(self._settings.values)
        except ModelFailed as error:
            notice = results.Notice(code=error.code, level="warning", data={"reason": str(error)})
            self._tools.events.publish("notice", NoticeEvent(lineage="", notice=notice))

    async def _refold_all(self) -> None:
        """Fold the open chats anew: settings say what counts as a message."""
        for chat in self._chats.values():
            await chat.session.refold()

    def _adopt(self, session: ChatSession) -> OpenChat:
        chat = open_chat(session, self._tools)
        self._chats[session.lineage] = chat
        return chat

    async def _answer_attach(self, chat: OpenChat, command: commands.ChatAttach, brought: Brought) -> results.Attached:
        session, notices = chat.session, brought.notices
        if session.chat != command.chat.to_name():
            await session.rename(command.chat)
        session.identity = command.chat
        if brought.original is not None:
            # Its floors are those of this page's list, so that it waits until that one is followed.
            chat.originals[command.page] = brought.original
        front = session.log.front
        session.log.keep_front(0 if command.deleted else kept_front(session.log.slots, listed_slots(command.messages)))
        if not self._is_followed(chat, command.page, command.messages):
            session.log.keep_front(front)
            return results.Attached(lineage=session.lineage, need=[], elsewhere=True, notices=notices)
        await session.follow(command.messages, ())
        await session.publish()
        notices.extend(await Arrival(session, self._tools).notices(chat.originals.pop(command.page, None)))
        chat.upkeep.enter()
        chat.extraction.enter()
        chat.extraction.settle()
        chat.catch_up.go_on()
        chat.recalling.start()
        return results.Attached(
            lineage=session.lineage,
            need=session.log.needed(),
            patch=None if _is_current(session, command) else session.whole_patch(),
            notices=notices,
        )

    def _chat(self, command: commands.InChat) -> OpenChat:
        chat = self._chats.get(command.lineage)
        if chat is None:
            raise UnknownChat(command.lineage)
        chat.seat.hear(command.page)
        return chat

    def _is_followed(self, chat: OpenChat, page: str, messages: MessageList) -> bool:
        """Whether this page's list is followed; then the page has the seat."""
        include_hidden = self._settings.values.bool("includeHiddenMessages")
        if not chat.seat.is_free_for(page) and not chat.session.log.goes_on(messages, include_hidden=include_hidden):
            return False
        chat.seat.take(page)
        return True

    async def receive(self, command: commands.ChatMessages) -> results.Received:
        """Take texts that were asked for."""
        return await self._follow(self._chat(command), command.page, None, command.texts)

    async def _take(self, chat: OpenChat, page: str, messages: MessageList | None, texts: list[Text]) -> bool:
        """Take the page's list and texts; True if they changed the chat. Raises OpenElsewhere."""
        # No await between the question and the answer: else another page could take the seat meanwhile.
        if messages is not None and not self._is_followed(chat, page, messages):
            raise OpenElsewhere(chat.session.lineage)
        return await chat.session.follow(messages, texts)

    async def _follow(
        self, chat: OpenChat, page: str, messages: MessageList | None, texts: list[Text]
    ) -> results.Received:
        """Follow the page; a changed chat is extracted once it has settled."""
        changed = await self._take(chat, page, messages, texts)
        if changed:
            await chat.session.publish()
        if messages is not None and page in chat.originals:
            for notice in await Arrival(chat.session, self._tools).take_original(chat.originals.pop(page)):
                event = NoticeEvent(lineage=chat.session.lineage, notice=notice)
                self._tools.events.publish("notice", event)
        if changed or texts:
            chat.extraction.settle()
            chat.catch_up.go_on()
        return results.Received(need=chat.session.log.needed())

    async def event(self, command: commands.ChatEvent) -> results.Received:
        """Take an event of SillyTavern. A new message makes the reply before it final, so it is read at once."""
        chat = self._chat(command)
        _LOGGER.info("event %s%s in chat %s", command.event, " (dry run)" if command.dry_run else "", command.lineage)
        received = await self._follow(chat, command.page, command.messages, command.texts)
        page = command.page or chat.seat.page
        if command.event == "CHARACTER_RENAMED":
            await self._rename_owner(command.args)
        if command.event == "GENERATION_AFTER_COMMANDS" and not command.dry_run:
            self._tools.host.hold(page)
            # A reroll takes back or goes on with the newest reply: that one is not read yet.
            if command.args[:1] and command.args[0] in REROLLS:
                chat.extraction.hold()
            else:
                chat.extraction.start()
        elif command.event in GENERATION_ENDS:
            self._tools.host.release(page)
            chat.extraction.settle()
        return received

    async def background(self, command: commands.ChatBackground) -> results.Ok:
        """Take what the page says of the story beside its messages."""
        self._chat(command).extraction.page_says(command.persona, command.card, command.world_info)
        return results.Ok()

    async def _rename_owner(self, args: list[JsonValue]) -> None:
        """A character got another avatar file; its chats stay what they are, also those that are not open."""
        match args:
            case [str(old), str(new)] if "" not in (old, new):
                await self._tools.store.rename_owner(old, new)
                for chat in self._chats.values():
                    chat.session.rename_owner(old, new)

    async def recall(self, command: commands.ChatRecall) -> results.Recalled:
        """Say what to inject into the prompt that is being made."""
        chat = self._chat(command)
        changed = await self._take(chat, command.page, command.messages, command.texts)
        front = chat.session.log.front
        if front and command.in_context_from is not None:
            command = command.model_copy(update={"in_context_from": command.in_context_from + front})
        recalled = await chat.recalling.recall(command)
        if changed:
            chat.recalling.publish_later()
        return recalled

    async def recall_prepare(self, command: commands.RecallPrepare) -> results.Ok:
        """Look up ahead what the user is typing."""
        await self._chat(command).recalling.prepare(command.text)
        return results.Ok()

    async def recall_why(self, command: commands.RecallWhy) -> results.Why:
        """What was injected for a message, and why."""
        return self._chat(command).recalling.shown_for(command.floor)

    async def extract(self, command: commands.ChatExtract) -> results.Extracted:
        """Extract at once all that is pending."""
        queue = self._chat(command).extraction
        return await (queue.read_lost() if command.lost else queue.extract(flush=True, whole=command.whole))

    async def ack(self, command: commands.ChatAck) -> results.Ok:
        """The page has put the copy away."""
        self._chat(command)
        return results.Ok()

    async def state(self, command: commands.ChatState) -> results.State:
        """The whole copy."""
        session = self._chat(command).session
        return results.State(lineage=session.lineage, rev=session.rev, state=session.state())

    async def take_seat(self, command: commands.ChatSeat) -> results.Received:
        """Follow this page from now on."""
        chat = self._chat(command)
        chat.seat.take(command.page)
        return await self._follow(chat, command.page, command.messages, command.texts)

    async def restore(self, command: commands.ChatRestore) -> results.Ok:
        """Take over what another lineage knows of this chat."""
        await LostChat(self._chat(command).session, self._tools).restore(command.source)
        return results.Ok()

    async def purge(self, command: commands.ChatPurge) -> results.Purged:
        """Remove for good what is known of absent messages, also from what recall searches."""
        chat = self._chat(command)
        await chat.recalling.stop()
        purged = await Purge(chat.session).run()
        # Vectors of what was told together with purged messages go as well; nobody knows any more which these are.
        kept = [text for each in self._chats.values() for text in await each.recalling.texts()]
        await self._tools.vectors.keep_only(kept)
        chat.recalling.start()
        return purged

    async def close(self, command: commands.ChatClose) -> results.Ok:
        """The page leaves the chat; if no other goes on with it, what is due is read at once."""
        chat = self._chat(command)
        chat.seat.leave(command.page)
        chat.originals.pop(command.page, None)
        if chat.seat.page == "":
            chat.upkeep.leave()
            chat.extraction.start()
            await chat.recalling.stop()
        return results.Ok()

    async def settings_get(self, _: commands.SettingsGet) -> results.Settings:
        secrets = await self._tools.models.shown_secrets()
        return settings_result(self._settings.values, secrets, is_told=self._settings.is_told)

    async def settings_set(self, command: commands.SettingsSet) -> results.Settings:
        """Take values over; open chats follow at once. Keys go to the server's key store and nowhere else."""
        secrets = {key: value for key, value in command.values.items() if key in SECRETS}
        values = {key: value for key, value in command.values.items() if key not in SECRETS}
        changed = self._settings.values.with_changes(values)
        await self._tools.models.put_secrets(secrets, changed)
        if values:
            self._settings.tell(changed)
        await self._use_models()
        await self._refold_all()
        self._tools.events.publish("settings", SettingsEvent())
        return settings_result(changed, await self._tools.models.shown_secrets())


def _is_current(session: ChatSession, command: commands.ChatAttach) -> bool:
    """True if the page's copy is the one that was sent last."""
    head = command.copy_head
    sent = (session.lineage, session.rev, session.records.head)
    return head is not None and (head.lineage, head.rev, head.head) == sent

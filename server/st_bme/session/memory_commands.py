"""Commands about what is remembered of one chat: its history, changes by hand, import and export."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod

from st_bme.model.operation import Operation
from st_bme.protocol import commands, drawn, recorded, results
from st_bme.session.catch_up import LAST_FLOOR, NEWEST_RECORD, NO_RECORD, Span
from st_bme.session.drawing import Wanted, draw, look
from st_bme.session.exchange import Exchange
from st_bme.session.open_chat import OpenChat
from st_bme.session.other_chats import OtherChats
from st_bme.session.statistics import statistics
from st_bme.session.tools import Tools


class MemoryCommands(ABC):
    """What the bridge does beside the life of the chats."""

    _tools: Tools

    @abstractmethod
    def _chat(self, command: commands.InChat) -> OpenChat:
        """The attached chat that a command is about. Raises: UnknownChat."""

    async def catch_up_price(self, command: commands.CatchUpPrice) -> results.CatchUpState:
        """Say what reading a span would cost."""
        return await self._chat(command).catch_up.state(_span(command))

    async def catch_up_start(self, command: commands.CatchUpStart) -> results.CatchUpState:
        """Begin to read a span."""
        job = self._chat(command).catch_up
        await job.start(_span(command))
        return await job.state()

    async def catch_up_steer(self, command: commands.CatchUpSteer) -> results.CatchUpState:
        """Pause, resume or cancel the job."""
        job = self._chat(command).catch_up
        match command.action:
            case "pause":
                await job.pause()
            case "resume":
                await job.resume()
            case "cancel":
                await job.cancel()
        return await job.state()

    async def tend(self, command: commands.ChatUpkeep) -> results.Tended:
        """Do upkeep at once."""
        return await self._chat(command).upkeep.run(only=command.tasks, now=True)

    async def history_list(self, command: commands.HistoryList) -> recorded.RecordList:
        """What was recorded of a chat."""
        return self._chat(command).history.read().entries(before=command.before, limit=command.limit)

    async def history_undo(self, command: commands.HistoryUndo) -> results.Ok:
        """Mark records off."""
        await self._chat(command).history.mark(command.records, off=True)
        return results.Ok()

    async def history_redo(self, command: commands.HistoryRedo) -> results.Ok:
        """Mark records on again."""
        await self._chat(command).history.mark(command.records, off=False)
        return results.Ok()

    async def history_at(self, command: commands.HistoryAt) -> recorded.GraphAt:
        """The graph as it was at a floor."""
        chronicle = self._chat(command).history.read()
        return await asyncio.to_thread(chronicle.at, command.floor)

    async def graph_update(self, command: commands.GraphUpdate) -> results.Ok:
        """Write fields of a memory by hand."""
        operation = Operation("update", fields=dict(command.fields), importance=command.importance)
        await self._chat(command).history.edit(command.node, operation)
        return results.Ok()

    async def graph_pin(self, command: commands.GraphPin) -> results.Ok:
        """Pin a memory, or let it go."""
        await self._chat(command).history.edit(command.node, Operation("pin", flag=command.pinned))
        return results.Ok()

    async def graph_archive(self, command: commands.GraphArchive) -> results.Ok:
        """Put a memory away, or bring it back."""
        operation = Operation("archive" if command.archived else "wake")
        await self._chat(command).history.edit(command.node, operation)
        return results.Ok()

    async def graph_draw(self, command: commands.GraphDraw) -> drawn.Drawing:
        """The graph as far as it is to be drawn."""
        wanted = Wanted(command.most, command.query.strip(), frozenset(command.types))
        return await asyncio.to_thread(draw, self._chat(command).session.graph, wanted)

    async def graph_look(self, command: commands.GraphLook) -> drawn.Memory:
        """All that there is of one memory."""
        return look(self._chat(command).session, command.node)

    async def statistics(self, command: commands.ChatStatistics) -> drawn.Statistics:
        """What is remembered of a chat, in numbers."""
        chat = self._chat(command)
        has_embedder = self._tools.models.embedder is not None
        return await statistics(chat.session, chat.recalling, has_embedder=has_embedder)

    async def embeddings_rebuild(self, command: commands.EmbeddingsRebuild) -> drawn.Renewed:
        """Make new vectors, or say of how many texts."""
        models, recalling = self._tools.models, self._chat(command).recalling
        if models.embedder is None:
            return drawn.Renewed(texts=0, model="none", is_local=True)
        texts = len(set(await recalling.texts()))
        if command.confirm:
            recalling.renew_vectors()
        return drawn.Renewed(texts=texts, model=models.embedder.name, is_local=models.states().embedding == "local")

    async def others(self, command: commands.ChatOthers) -> drawn.OtherChats:
        """The other chats of the same character or group."""
        return await OtherChats(self._chat(command).session, self._tools).names()

    async def bring(self, command: commands.ChatBring) -> drawn.Brought:
        """Take over what another chat remembers."""
        chat = self._chat(command)
        async with chat.bringing:
            found, total = await OtherChats(chat.session, self._tools).memories(command.source)
            record = await chat.history.begin_with(found) if found else ""
        return drawn.Brought(memories=sum(each.action == "create" for each in found), total=total, record=record)

    async def import_state(self, command: commands.Import) -> results.Imported:
        """Take a state into a chat."""
        return await Exchange(self._chat(command).session, self._tools).take(command.state)

    async def export_state(self, command: commands.Export) -> results.Exported:
        """The state of a chat as a file."""
        return results.Exported(text=Exchange(self._chat(command).session, self._tools).give(original=command.original))


def _span(command: commands.CatchUpPrice) -> Span:
    last = LAST_FLOOR if command.last is None else command.last
    return Span(command.first, last, command.batch, NEWEST_RECORD if command.again else NO_RECORD)

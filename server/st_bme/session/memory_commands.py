"""Commands about what is remembered of one chat: its history, changes by hand, import and export."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod

from st_bme.model.operation import Operation
from st_bme.protocol import commands, results
from st_bme.session.catch_up import LAST_FLOOR, CatchUp, Span
from st_bme.session.exchange import Exchange
from st_bme.session.history import History
from st_bme.session.upkeep import UpkeepQueue


class MemoryCommands(ABC):
    """What the bridge does beside the life of the chats."""

    @abstractmethod
    def _history(self, command: commands.InChat) -> History:
        """The history of an attached chat. Raises: UnknownChat."""

    @abstractmethod
    def _exchange(self, command: commands.InChat) -> Exchange:
        """The import and export of an attached chat. Raises: UnknownChat."""

    @abstractmethod
    def _upkeep(self, command: commands.InChat) -> UpkeepQueue:
        """The upkeep of an attached chat. Raises: UnknownChat."""

    @abstractmethod
    def _catch_up(self, command: commands.InChat) -> CatchUp:
        """The catch-up job of an attached chat. Raises: UnknownChat."""

    async def catch_up_price(self, command: commands.CatchUpPrice) -> results.CatchUpState:
        """Say what reading a span would cost."""
        return await self._catch_up(command).state(_span(command))

    async def catch_up_start(self, command: commands.CatchUpStart) -> results.CatchUpState:
        """Begin to read a span."""
        job = self._catch_up(command)
        await job.start(_span(command))
        return await job.state()

    async def catch_up_steer(self, command: commands.CatchUpSteer) -> results.CatchUpState:
        """Pause, resume or cancel the job."""
        job = self._catch_up(command)
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
        return await self._upkeep(command).run(only=command.tasks, now=True)

    async def history_list(self, command: commands.HistoryList) -> results.RecordList:
        """What was recorded of a chat."""
        return self._history(command).read().entries(before=command.before, limit=command.limit)

    async def history_undo(self, command: commands.HistoryUndo) -> results.Ok:
        """Mark a record off."""
        await self._history(command).mark(command.record, off=True)
        return results.Ok()

    async def history_redo(self, command: commands.HistoryRedo) -> results.Ok:
        """Mark a record on again."""
        await self._history(command).mark(command.record, off=False)
        return results.Ok()

    async def history_at(self, command: commands.HistoryAt) -> results.GraphAt:
        """The graph as it was at a floor."""
        chronicle = self._history(command).read()
        return await asyncio.to_thread(chronicle.at, command.floor)

    async def graph_update(self, command: commands.GraphUpdate) -> results.Ok:
        """Write fields of a memory by hand."""
        operation = Operation("update", fields=dict(command.fields), importance=command.importance)
        await self._history(command).edit(command.node, operation)
        return results.Ok()

    async def graph_pin(self, command: commands.GraphPin) -> results.Ok:
        """Pin a memory, or let it go."""
        await self._history(command).edit(command.node, Operation("pin", flag=command.pinned))
        return results.Ok()

    async def graph_archive(self, command: commands.GraphArchive) -> results.Ok:
        """Put a memory away, or bring it back."""
        operation = Operation("archive" if command.archived else "wake")
        await self._history(command).edit(command.node, operation)
        return results.Ok()

    async def import_state(self, command: commands.Import) -> results.Imported:
        """Take a state into a chat."""
        return await self._exchange(command).take(command.state)

    async def export_state(self, command: commands.Export) -> results.Exported:
        """The state of a chat as a file."""
        return results.Exported(text=self._exchange(command).give(original=command.original))


def _span(command: commands.CatchUpPrice) -> Span:
    last = LAST_FLOOR if command.last is None else command.last
    return Span(command.first, last, command.batch)

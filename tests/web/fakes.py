"""A bridge that only notes what reached it, and a server around it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from pathlib import Path

from aiohttp import web

from st_bme.errors import UnknownChat
from st_bme.protocol import commands, recorded, results
from st_bme.session.event_log import EventLog
from st_bme.session.settings_wire import settings_result
from st_bme.settings import DEFAULTS
from st_bme.web.application import Parts, web_application
from st_bme.web.pairing import Pairing
from st_bme.web.tokens import TokenFile

ORIGIN = "http://127.0.0.1:8000"
TOKEN = "bme_" + "t" * 43
LINEAGE = "abcd"


class NotingBridge:
    """Answers every command with the least, and keeps what it was sent."""

    def __init__(self) -> None:
        self.seen: list[commands.Command] = []
        self.error: Exception | None = None
        self.began = asyncio.Event()
        self.go_on = asyncio.Event()
        self.go_on.set()

    async def _note(self, command: commands.Command) -> None:
        self.began.set()
        await self.go_on.wait()
        self.seen.append(command)
        if self.error is not None:
            raise self.error

    async def attach(self, command: commands.ChatAttach) -> results.Attached:
        await self._note(command)
        return results.Attached(lineage=LINEAGE, need=[])

    async def receive(self, command: commands.ChatMessages) -> results.Received:
        await self._note(command)
        return results.Received()

    async def event(self, command: commands.ChatEvent) -> results.Received:
        await self._note(command)
        return results.Received()

    async def recall(self, command: commands.ChatRecall) -> results.Recalled:
        await self._note(command)
        return results.Recalled(text="", tokens=0, position=1, depth=4, role=0, items=[])

    async def history_list(self, command: commands.HistoryList) -> recorded.RecordList:
        await self._note(command)
        return recorded.RecordList(entries=[], more=False)

    async def history_undo(self, command: commands.HistoryUndo) -> results.Ok:
        await self._note(command)
        return results.Ok()

    async def history_redo(self, command: commands.HistoryRedo) -> results.Ok:
        await self._note(command)
        return results.Ok()

    async def history_at(self, command: commands.HistoryAt) -> recorded.GraphAt:
        await self._note(command)
        return recorded.GraphAt(floor=command.floor, nodes=[], edges=[])

    async def graph_update(self, command: commands.GraphUpdate) -> results.Ok:
        await self._note(command)
        return results.Ok()

    async def graph_pin(self, command: commands.GraphPin) -> results.Ok:
        await self._note(command)
        return results.Ok()

    async def graph_archive(self, command: commands.GraphArchive) -> results.Ok:
        await self._note(command)
        return results.Ok()

    async def import_state(self, command: commands.Import) -> results.Imported:
        await self._note(command)
        return results.Imported(version=10, records=0, nodes=0, edges=0)

    async def export_state(self, command: commands.Export) -> results.Exported:
        await self._note(command)
        return results.Exported(text="{}")

    async def host_state(self, command: commands.HostState) -> results.Ok:
        await self._note(command)
        return results.Ok()

    async def llm_result(self, command: commands.LlmResult) -> results.Ok:
        await self._note(command)
        return results.Ok()

    async def models_test(self, command: commands.ModelsTest) -> results.ModelTested:
        await self._note(command)
        return results.ModelTested(ok=True, model="none")

    async def catch_up_price(self, command: commands.CatchUpPrice) -> results.CatchUpState:
        await self._note(command)
        return results.CatchUpState(messages=0, calls=0, tokens=0)

    async def catch_up_start(self, command: commands.CatchUpStart) -> results.CatchUpState:
        await self._note(command)
        return results.CatchUpState(messages=0, calls=0, tokens=0)

    async def catch_up_steer(self, command: commands.CatchUpSteer) -> results.CatchUpState:
        await self._note(command)
        return results.CatchUpState(messages=0, calls=0, tokens=0)

    async def usage(self, command: commands.Usage) -> results.UsageReport:
        await self._note(command)
        return results.UsageReport(today="2026-11-30", calls=0, tokens=0, budget=0, entries=[])

    async def tend(self, command: commands.ChatUpkeep) -> results.Tended:
        await self._note(command)
        return results.Tended(records=0, calls=0, failed=0)

    async def extract(self, command: commands.ChatExtract) -> results.Extracted:
        await self._note(command)
        return results.Extracted(records=0, operations=0, refused=0, calls=0, pending=0)

    async def ack(self, command: commands.ChatAck) -> results.Ok:
        await self._note(command)
        return results.Ok()

    async def state(self, command: commands.ChatState) -> results.State:
        await self._note(command)
        raise UnknownChat(command.lineage)

    async def take_seat(self, command: commands.ChatSeat) -> results.Received:
        await self._note(command)
        return results.Received()

    async def restore(self, command: commands.ChatRestore) -> results.Ok:
        await self._note(command)
        return results.Ok()

    async def purge(self, command: commands.ChatPurge) -> results.Purged:
        await self._note(command)
        return results.Purged(records=0, texts=0)

    async def close(self, command: commands.ChatClose) -> results.Ok:
        await self._note(command)
        return results.Ok()

    async def settings_get(self, command: commands.SettingsGet) -> results.Settings:
        await self._note(command)
        return settings_result(DEFAULTS, {})

    async def settings_set(self, command: commands.SettingsSet) -> results.Settings:
        await self._note(command)
        return settings_result(DEFAULTS.with_changes(command.values), {})

    def models(self) -> results.ModelStates:
        return results.ModelStates(chat="heuristic", embedding="none")

    def queue_length(self) -> int:
        return 3

    async def start(self) -> None:
        return

    async def stop(self) -> None:
        return


class TurnedClock:
    """A clock that only tests move."""

    def __init__(self) -> None:
        self.now_s = 1_000.0

    def monotonic_s(self) -> float:
        return self.now_s

    def wall_ms(self) -> int:
        return int(self.now_s * 1000)


@dataclass
class Server:
    """The parts of a server under test; `said` is what its console shows."""

    folder: Path
    trusted_origins: frozenset[str] = frozenset()
    hosts: frozenset[str] = frozenset()
    is_loopback: bool = True
    bridge: NotingBridge = field(default_factory=NotingBridge)
    clock: TurnedClock = field(default_factory=TurnedClock)
    said: list[str] = field(default_factory=list)
    events: EventLog = field(default_factory=lambda: EventLog(1))

    def __post_init__(self) -> None:
        self.is_there = asyncio.Event()
        self.is_there.set()
        self.tokens = TokenFile(self.folder / "pairing.json", None, TOKEN)
        self.pairing = Pairing(
            self.tokens,
            trusted_origins=self.trusted_origins,
            is_loopback=self.is_loopback,
            announce=self.said.append,
            clocks=(self.clock.monotonic_s, self.clock.wall_ms),
        )

    def application(self) -> web.Application:
        return web_application(Parts(self._there, self.events, self.pairing, self.hosts))

    async def _there(self) -> NotingBridge:
        await self.is_there.wait()
        return self.bridge

    @property
    def code(self) -> str:
        """The last code that the console showed."""
        return self.said[-1].partition("the code ")[2][:6]

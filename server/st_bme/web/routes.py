"""The one table of commands, and the web application made from it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Protocol, TypeVar

from pydantic import JsonValue

from st_bme.protocol import commands, drawn, recorded, results
from st_bme.protocol.wire import Wire

# A list of 200,000 messages and a whole copy of the memory fit, also when a proxy has indented the JSON.
CHAT_LIMIT_BYTES = 32 * 1024 * 1024
OTHER_LIMIT_BYTES = 1024 * 1024
PAIR_LIMIT_BYTES = 4 * 1024

C = TypeVar("C", bound=commands.Command)


class Bridge(Protocol):
    """What the routes call: `session.bridge.Bridge` fulfils it."""

    async def attach(self, command: commands.ChatAttach, /) -> results.Attached: ...

    async def receive(self, command: commands.ChatMessages, /) -> results.Received: ...

    async def event(self, command: commands.ChatEvent, /) -> results.Received: ...

    async def background(self, command: commands.ChatBackground, /) -> results.Ok: ...

    async def recall(self, command: commands.ChatRecall, /) -> results.Recalled: ...

    async def recall_prepare(self, command: commands.RecallPrepare, /) -> results.Ok: ...

    async def recall_why(self, command: commands.RecallWhy, /) -> results.Why: ...

    async def extract(self, command: commands.ChatExtract, /) -> results.Extracted: ...

    async def catch_up_price(self, command: commands.CatchUpPrice) -> results.CatchUpState: ...

    async def catch_up_start(self, command: commands.CatchUpStart) -> results.CatchUpState: ...

    async def catch_up_steer(self, command: commands.CatchUpSteer) -> results.CatchUpState: ...

    async def tend(self, command: commands.ChatUpkeep, /) -> results.Tended: ...

    async def ack(self, command: commands.ChatAck, /) -> results.Ok: ...

    async def state(self, command: commands.ChatState, /) -> results.State: ...

    async def take_seat(self, command: commands.ChatSeat, /) -> results.Received: ...

    async def restore(self, command: commands.ChatRestore, /) -> results.Ok: ...

    async def purge(self, command: commands.ChatPurge, /) -> results.Purged: ...

    async def close(self, command: commands.ChatClose, /) -> results.Ok: ...

    async def usage(self, command: commands.Usage, /) -> results.UsageReport: ...

    async def settings_get(self, command: commands.SettingsGet, /) -> results.Settings: ...

    async def settings_set(self, command: commands.SettingsSet, /) -> results.Settings: ...

    async def history_list(self, command: commands.HistoryList) -> recorded.RecordList: ...

    async def history_undo(self, command: commands.HistoryUndo) -> results.Ok: ...

    async def history_redo(self, command: commands.HistoryRedo) -> results.Ok: ...

    async def history_at(self, command: commands.HistoryAt) -> recorded.GraphAt: ...

    async def graph_update(self, command: commands.GraphUpdate) -> results.Ok: ...

    async def graph_pin(self, command: commands.GraphPin) -> results.Ok: ...

    async def graph_archive(self, command: commands.GraphArchive) -> results.Ok: ...

    async def graph_draw(self, command: commands.GraphDraw) -> drawn.Drawing: ...

    async def graph_look(self, command: commands.GraphLook) -> drawn.Memory: ...

    async def statistics(self, command: commands.ChatStatistics) -> drawn.Statistics: ...

    async def embeddings_rebuild(self, command: commands.EmbeddingsRebuild) -> drawn.Renewed: ...

    async def others(self, command: commands.ChatOthers) -> drawn.OtherChats: ...

    async def bring(self, command: commands.ChatBring) -> drawn.Brought: ...

    async def import_state(self, command: commands.Import) -> results.Imported: ...

    async def export_state(self, command: commands.Export) -> results.Exported: ...

    async def host_state(self, command: commands.HostState) -> results.Ok: ...

    async def llm_result(self, command: commands.LlmResult) -> results.Ok: ...

    async def models_test(self, command: commands.ModelsTest) -> results.ModelTested: ...

    def models(self) -> results.ModelStates: ...

    def queue_length(self) -> int: ...

    async def start(self) -> None: ...

    async def stop(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Route:
    """`POST /v1/<name>`: the class of its body, what it answers with, and how the answer is made."""

    name: str
    command: type[commands.Command]
    answer: type[Wire]
    run: Callable[[Bridge, JsonValue], Awaitable[Wire]]
    limit_bytes: int

    @property
    def path(self) -> str:
        return f"/v1/{self.name}"


def _route(
    name: str,
    command: type[C],
    answer: type[Wire],
    call: Callable[[Bridge, C], Awaitable[Wire]],
    limit_bytes: int = OTHER_LIMIT_BYTES,
) -> Route:
    async def run(bridge: Bridge, body: JsonValue) -> Wire:
        return await call(bridge, command.model_validate(body))

    return Route(name, command, answer, run, limit_bytes)


ROUTES: tuple[Route, ...] = (
    _route("chat/attach", commands.ChatAttach, results.Attached, lambda b, c: b.attach(c), CHAT_LIMIT_BYTES),
    _route("chat/messages", commands.ChatMessages, results.Received, lambda b, c: b.receive(c), CHAT_LIMIT_BYTES),
    _route("chat/event", commands.ChatEvent, results.Received, lambda b, c: b.event(c), CHAT_LIMIT_BYTES),
    _route("chat/background", commands.ChatBackground, results.Ok, lambda b, c: b.background(c)),
    _route("chat/recall", commands.ChatRecall, results.Recalled, lambda b, c: b.recall(c), CHAT_LIMIT_BYTES),
    _route("recall/prepare", commands.RecallPrepare, results.Ok, lambda b, c: b.recall_prepare(c)),
    _route("recall/why", commands.RecallWhy, results.Why, lambda b, c: b.recall_why(c)),
    _route("chat/extract", commands.ChatExtract, results.Extracted, lambda b, c: b.extract(c)),
    _route("chat/upkeep", commands.ChatUpkeep, results.Tended, lambda b, c: b.tend(c)),
    _route("catch-up/price", commands.CatchUpPrice, results.CatchUpState, lambda b, c: b.catch_up_price(c)),
    _route("catch-up/start", commands.CatchUpStart, results.CatchUpState, lambda b, c: b.catch_up_start(c)),
    _route("catch-up/steer", commands.CatchUpSteer, results.CatchUpState, lambda b, c: b.catch_up_steer(c)),
    _route("chat/ack", commands.ChatAck, results.Ok, lambda b, c: b.ack(c)),
    _route("chat/state", commands.ChatState, results.State, lambda b, c: b.state(c)),
    _route("chat/seat", commands.ChatSeat, results.Received, lambda b, c: b.take_seat(c), CHAT_LIMIT_BYTES),
    _route("chat/restore", commands.ChatRestore, results.Ok, lambda b, c: b.restore(c)),
    _route("chat/purge", commands.ChatPurge, results.Purged, lambda b, c: b.purge(c)),
    _route("chat/close", commands.ChatClose, results.Ok, lambda b, c: b.close(c)),
    _route("history/list", commands.HistoryList, recorded.RecordList, lambda b, c: b.history_list(c)),
    _route("history/undo", commands.HistoryUndo, results.Ok, lambda b, c: b.history_undo(c)),
    _route("history/redo", commands.HistoryRedo, results.Ok, lambda b, c: b.history_redo(c)),
    _route("history/at", commands.HistoryAt, recorded.GraphAt, lambda b, c: b.history_at(c)),
    _route("graph/update", commands.GraphUpdate, results.Ok, lambda b, c: b.graph_update(c)),
    _route("graph/pin", commands.GraphPin, results.Ok, lambda b, c: b.graph_pin(c)),
    _route("graph/archive", commands.GraphArchive, results.Ok, lambda b, c: b.graph_archive(c)),
    _route("graph/draw", commands.GraphDraw, drawn.Drawing, lambda b, c: b.graph_draw(c)),
    _route("graph/look", commands.GraphLook, drawn.Memory, lambda b, c: b.graph_look(c)),
    _route("chat/statistics", commands.ChatStatistics, drawn.Statistics, lambda b, c: b.statistics(c)),
    _route("embeddings/rebuild", commands.EmbeddingsRebuild, drawn.Renewed, lambda b, c: b.embeddings_rebuild(c)),
    _route("chat/others", commands.ChatOthers, drawn.OtherChats, lambda b, c: b.others(c)),
    _route("chat/bring", commands.ChatBring, drawn.Brought, lambda b, c: b.bring(c)),
    _route("import", commands.Import, results.Imported, lambda b, c: b.import_state(c), CHAT_LIMIT_BYTES),
    _route("export", commands.Export, results.Exported, lambda b, c: b.export_state(c)),
    _route("host/state", commands.HostState, results.Ok, lambda b, c: b.host_state(c)),
    _route("llm/result", commands.LlmResult, results.Ok, lambda b, c: b.llm_result(c), CHAT_LIMIT_BYTES),
    _route("models/test", commands.ModelsTest, results.ModelTested, lambda b, c: b.models_test(c)),
    _route("usage", commands.Usage, results.UsageReport, lambda b, c: b.usage(c)),
    _route("settings/get", commands.SettingsGet, results.Settings, lambda b, c: b.settings_get(c)),
    _route("settings/set", commands.SettingsSet, results.Settings, lambda b, c: b.settings_set(c)),
)

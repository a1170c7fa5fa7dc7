"""What catching up on a long chat costs and takes: `python3 benchmarks/catchup.py --messages 5000 --json`.

A scripted model behind a real endpoint notes of each message what a model would; the endpoint counts with cl100k. The
job is killed with its server on the way, resumed, cancelled and begun again, and then compared with a server to which
the same chat came turn by turn.
"""

# ruff: noqa: E402 - the package is found only in the environment that is entered first

from __future__ import annotations

import argparse
import asyncio
import json
import re
import secrets
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "server")]
import bootstrap

bootstrap.enter()

from aiohttp import ClientSession
from benchmarks.chats import generate, message_list, texts
from benchmarks.pages import Server
from benchmarks.served import KillableServer
from benchmarks.story import CHARACTER, USER

from st_bme.adapters.scripted_endpoint import RecordedRequest, ScriptedEndpoint, ScriptedReply
from st_bme.adapters.token_counter import LocalTokenCounter
from st_bme.graph.json_reader import Json, JsonObject
from st_bme.model.message import Message
from st_bme.model.operation import Operation
from st_bme.protocol.wire import ChatIdentity
from st_bme.settings import SETTINGS

MESSAGES = 5_000
KILL_AT, CANCEL_AT = 0.3, 0.6
"""Shares of the chat at which the server is killed and the job is cancelled."""

POLL_S = 0.25
PATIENCE_S = 600.0
"""For one answer where nothing is promised: a long chat on a busy machine takes its time."""
COUNTER_LOADS_S = 4.0
"""A server counts tokens exactly a moment after its start, and too high before."""

_RUN = "NEW MESSAGES"
_FLOOR = re.compile(r"^#(\d+) \[", re.MULTILINE)
_PAGE = "p"
_IDENTITY = ChatIdentity(name="Catch-up", owner="mira.png", user_name=USER, character_name=CHARACTER)


class Notes:
    """What a model would answer about the messages of a prompt, and what that cost."""

    def __init__(self, messages: Sequence[Message], operations: Mapping[str, Sequence[Operation]]) -> None:
        self._messages = messages
        self._operations = operations
        self._counter = LocalTokenCounter()
        self._counter.load()
        self.tokens = 0
        self.calls = 0
        self.seconds = 0.0

    def __call__(self, request: RecordedRequest) -> ScriptedReply:
        started = time.perf_counter()
        run = request.prompt.rpartition(_RUN)[2]
        noted: list[Json] = []
        for floor in map(int, _FLOOR.findall(run)):
            noted += [_as_json(each, floor) for each in self._operations.get(self._messages[floor].key, ())]
        text = json.dumps({"thought": "", "operations": [each for each in noted if each]}, ensure_ascii=False)
        self.tokens += self._counter.count(request.prompt) + self._counter.count(text)
        self.calls += 1
        self.seconds += time.perf_counter() - started
        return ScriptedReply(text)


def _as_json(operation: Operation, floor: int) -> JsonObject:
    """An operation as a model writes it; one that names a memory by its name creates it again, which updates it."""
    fields: dict[str, Json] = dict(operation.fields)
    written: JsonObject = {"action": "create", "type": operation.type, "cite": f"#{floor}", "fields": fields}
    match operation.action:
        case "create":
            if operation.importance is not None:
                written["importance"] = operation.importance
            if operation.scope.owner_name:
                written["scope"] = {"layer": "pov", "ownerType": "character", "ownerName": operation.scope.owner_name}
            return {**written, "ref": f"{operation.ref}{floor}"}
        case "update" if operation.target and operation.target.name:
            name = {"name": operation.target.name}
            return {**written, "type": operation.target.type, "fields": {**name, **fields}}
        case _:
            return {}


@dataclass(slots=True)
class Reader:
    """A page with one chat at a server."""

    server: Server
    settings: Mapping[str, object]
    lineage: str = ""

    async def attach(self, messages: Sequence[Message]) -> None:
        body = {"page": _PAGE, "chat": _IDENTITY.model_dump(), "settings": dict(self.settings)}
        answer = await self.server.call("chat/attach", {**body, "messages": message_list(messages).model_dump()})
        self.lineage = str(answer["lineage"])
        need = answer["need"]
        assert isinstance(need, list)
        wanted = [messages[floor] for floor in need if isinstance(floor, int)]
        said = [text.model_dump() for text in texts(wanted)]
        await self.tell("chat/messages", texts=said)

    async def tell(self, command: str, **body: object) -> JsonObject:
        return await self.server.call(command, {"lineage": self.lineage, "page": _PAGE, **body})

    async def turn(self, messages: Sequence[Message], keep: int) -> None:
        """What came since `keep` messages, read at once."""
        said = [text.model_dump() for text in texts(messages[keep:])]
        change = message_list(messages, keep=keep).model_dump()
        await self.tell("chat/event", event="GENERATION_ENDED", messages=change, texts=said)
        await self.tell("chat/extract", whole=True)

    async def until(self, share: float) -> JsonObject:
        """Wait until the job has read so much of its messages, or is over."""
        while True:
            state = await self.tell("catch-up/price", first=0, last=0)
            done, total = state["done"], state["total"]
            assert isinstance(done, int)
            assert isinstance(total, int)
            if state["state"] != "running" or (share < 1 and done >= share * total):
                return state
            await asyncio.sleep(POLL_S)

    async def cancel_and_finish(self) -> float:
        """Cancel the job on the way and begin it again; the seconds that the cancel took."""
        await self.until((CANCEL_AT - KILL_AT) / (1 - KILL_AT))
        asked = time.perf_counter()
        await self.tell("catch-up/steer", action="cancel")
        took_s = time.perf_counter() - asked
        await self.tell("catch-up/start")
        await self.until(1)
        return took_s

    async def memory(self) -> JsonObject:
        """What is remembered, without what the time of reading alone makes differ."""
        state = (await self.tell("chat/state"))["state"]
        assert isinstance(state, dict)
        return {key: _timeless(state.get(key)) for key in ("nodes", "edges", "known", "pending")}


def _timeless(value: Json) -> Json:
    match value:
        case dict():
            return {key: _timeless(each) for key, each in value.items() if key not in {"createdTime", "time"}}
        case list():
            return [_timeless(each) for each in value]
        case _:
            return value


def settings_for(url: str) -> dict[str, object]:
    """Reading alone: no upkeep, and nothing by itself."""
    off = {each.key: False for each in SETTINGS if each.group == "upkeep" and each.kind == "bool"}
    wanted: dict[str, object] = {"enabled": True, "extractAutoEnabled": False, "modelSource": "openai"}
    return {**off, **wanted, "llm.baseURL": f"{url}/v1", "embeddingSource": "none", "recallEnabled": False}


async def measure(count: int, folder: Path, *, compare: bool) -> JsonObject:
    chat = generate(count)
    messages = chat.messages
    notes = Notes(messages, chat.operations_by_message())
    endpoint = ScriptedEndpoint()
    endpoint.script = notes
    await endpoint.start()
    try:
        figures, memory = await _catch_up(folder / "job", messages, notes, settings_for(endpoint.url))
        if compare:
            turns = await _turn_by_turn(folder / "turns", [len(t.messages) for t in chat.turns], messages, endpoint.url)
            figures["equal_to_turn_by_turn"] = memory == turns
    finally:
        await endpoint.stop()
    return figures


async def _catch_up(
    folder: Path, messages: Sequence[Message], notes: Notes, settings: Mapping[str, object]
) -> tuple[JsonObject, JsonObject]:
    """Read the whole chat as a job, with a kill of the server and a cancel on the way."""
    server = KillableServer(folder)
    async with ClientSession() as http:
        try:
            address = await asyncio.to_thread(server.start)
            token = str((await Server(http, address, "").call("pair", {"id": secrets.token_hex(8)}))["token"])
            reader = Reader(Server(http, address, token, patience_s=PATIENCE_S), settings)
            await reader.attach(messages)
            await asyncio.sleep(COUNTER_LOADS_S)
            price = await reader.tell("catch-up/price")
            started = time.perf_counter()
            await reader.tell("catch-up/start")
            await reader.until(KILL_AT)
            server.kill()
            address = await asyncio.to_thread(server.start)
            reader.server = Server(http, address, token, patience_s=PATIENCE_S)
            await reader.attach(messages)
            cancel_s = await reader.cancel_and_finish()
            seconds = time.perf_counter() - started
            memory = await reader.memory()
        finally:
            server.kill()
    figures: JsonObject = {
        "messages": len(messages),
        "calls": notes.calls,
        "calls_estimated": price["calls"],
        "tokens_estimated": price["tokens"],
        "tokens_used": notes.tokens,
        "seconds": round(seconds, 1),
        "server_ms_per_batch": round(1_000 * (seconds - notes.seconds) / max(1, notes.calls), 1),
        "cancel_s": round(cancel_s, 3),
        "pending": len(memory["pending"]) if isinstance(memory["pending"], list) else 0,
    }
    return figures, memory


async def _turn_by_turn(folder: Path, lengths: Sequence[int], messages: Sequence[Message], url: str) -> JsonObject:
    """The memory of the same chat where each turn was read when it came."""
    server = KillableServer(folder)
    async with ClientSession() as http:
        try:
            address = await asyncio.to_thread(server.start)
            token = str((await Server(http, address, "").call("pair", {}))["token"])
            reader = Reader(Server(http, address, token, patience_s=PATIENCE_S), settings_for(url))
            # The greeting is read with the first turn.
            length = lengths[0]
            await reader.attach(messages[:length])
            for more in lengths[1:]:
                await reader.turn(messages[: length + more], length)
                length += more
            return await reader.memory()
        finally:
            server.kill()


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    parser.add_argument("--messages", type=int, default=MESSAGES, help="instead of %(default)s, for a quick try")
    parser.add_argument("--no-turns", action="store_true", help="do not read the chat turn by turn too")
    options = parser.parse_args(argv)
    with tempfile.TemporaryDirectory(prefix="st-bme-") as folder:
        for name in ("job", "turns"):
            Path(folder, name).mkdir()
        figures = asyncio.run(measure(options.messages, Path(folder), compare=not options.no_turns))
    if options.json:
        print(json.dumps(figures))
        return 0
    for name, figure in figures.items():
        print(f"{name:24} {figure!s:>12}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

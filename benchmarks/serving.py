"""What a real server adds to a generation while many chats recall: over loopback, without any model."""

from __future__ import annotations

import asyncio
import multiprocessing
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection
from pathlib import Path

import numpy as np
from aiohttp import ClientSession
from benchmarks.chats import listed, message_list
from benchmarks.pages import SETTINGS, Server
from benchmarks.recall_graph import GeneratedGraph, generate_graph
from benchmarks.story import CHARACTER, USER

from st_bme.adapters.process_memory import settle_collector
from st_bme.adapters.sqlite_store import SqliteStore
from st_bme.app import serving
from st_bme.config import Config
from st_bme.graph.records import Base, RecordSet, Stamp
from st_bme.history.keys import message_key
from st_bme.model.message import Message
from st_bme.ports import ChatName, Commit, StoredText
from st_bme.protocol.wire import ChatIdentity
from st_bme.session.chat_log import slots_to_json
from st_bme.session.chat_session import stored_record

EVERY_S = 2.0
WARM_UP_S = 4.0
START_S = 60.0
SAMPLE_S = 0.005
CONTEXT_TOKENS, HELD = 8_192, 40  # room for a prompt, and the newest messages that one holds
SMALL = 8  # vectors are not asked for, so they need no room


@dataclass(frozen=True, slots=True)
class Load:
    """How much is asked of the server."""

    chats: int = 64
    nodes: int = 5_000
    seconds: float = 20.0


def measure_serving(load: Load) -> Mapping[str, float]:
    """Milliseconds of a recall as the page waits for it, and by how much the server's event loop came late."""
    graph = generate_graph(load.nodes, SMALL)
    with tempfile.TemporaryDirectory(prefix="st-bme-") as folder:
        messages = asyncio.run(_put_chats(Path(folder), graph, load.chats))
        context = multiprocessing.get_context("spawn")
        here, there = context.Pipe()
        process = context.Process(target=_run_server, args=(Path(folder), there), daemon=True)
        process.start()
        there.close()
        try:
            if not here.poll(START_S):
                raise TimeoutError("the server did not start")
            waits_ms, (lags_ms, worked_ms) = asyncio.run(_ask(here, graph, messages, load))
        finally:
            process.kill()
            process.join()
    return {
        "chats": load.chats,
        "requests": len(waits_ms),
        "overhead_p50_ms": float(np.percentile(waits_ms, 50)),
        "overhead_p99_ms": float(np.percentile(waits_ms, 99)),
        "loop_lag_p99_ms": float(np.percentile(lags_ms, 99)),
        "cpu_ms_per_recall": worked_ms / len(waits_ms),
    }


def _run_server(data_dir: Path, pipe: Connection) -> None:
    asyncio.run(_serve(data_dir, pipe))


async def _serve(data_dir: Path, pipe: Connection) -> None:
    """Serve until killed. At each word from outside, tell by how much the loop came late since the last one, and how
    long the processor was busy.
    """
    async with serving(Config(data_dir=data_dir, port=0), lambda _: None) as state:
        settle_collector()  # as the command does once it serves
        pipe.send(state.addresses[0])
        lags_ms: list[float] = []
        worked = time.process_time()
        while True:
            before = time.perf_counter()
            await asyncio.sleep(SAMPLE_S)
            lags_ms.append((time.perf_counter() - before - SAMPLE_S) * 1000)
            if pipe.poll():
                pipe.recv()
                pipe.send((lags_ms, (time.process_time() - worked) * 1000))
                lags_ms, worked = [], time.process_time()


async def _put_chats(folder: Path, graph: GeneratedGraph, chats: int) -> Sequence[Message]:
    """The same chat under many names, as a server has kept them; its messages."""
    names = {"user": USER, "assistant": CHARACTER}
    messages = [
        replace(said, key=message_key(said.role, said.text), name=names[said.role]) for said in graph.messages
    ]
    key_of = {old.key: new.key for old, new in zip(graph.messages, messages, strict=True)}
    nodes = [replace(node, sources=tuple(key_of[key] for key in node.sources)) for node in graph.nodes.values()]
    known = tuple(message.key for message in messages)
    base = Base(Stamp(1, cause="import"), known, tuple(nodes), tuple(graph.edges.values()))
    commit = Commit(
        rev=1,
        head=RecordSet([base]).head,
        records=(stored_record(base),),
        slots=slots_to_json(listed(messages)),
        texts=tuple(StoredText(message.key, "", message.text) for message in messages),
    )
    store = SqliteStore(folder / "memory.sqlite3")
    await store.open()
    for number in range(chats):
        lineage = "chat" + "".join(chr(ord("a") + int(digit)) for digit in str(number))
        await store.create(lineage, ChatName(_name(number), "mira.png"))
        await store.write(lineage, commit)
    await store.close()
    return messages


def _name(number: int) -> str:
    return f"Chat {number}"


def _page(number: int) -> str:
    return f"p{number}"


async def _ask(
    pipe: Connection, graph: GeneratedGraph, messages: Sequence[Message], load: Load
) -> tuple[list[float], tuple[list[float], float]]:
    """Open all chats, then let each recall every two seconds; waits of the page and what the server tells."""
    async with ClientSession() as http:
        address = str(pipe.recv())
        paired = await Server(http, address, "").call("pair", {})
        server = Server(http, address, str(paired["token"]))
        lineages = [await _open(server, number, messages) for number in range(load.chats)]
        waits_ms: list[float] = []
        for seconds in (WARM_UP_S, load.seconds):
            waits_ms = []
            until = time.perf_counter() + seconds
            async with asyncio.TaskGroup() as group:
                for number, lineage in enumerate(lineages):
                    chat = _Chat(server, lineage, graph, number)
                    group.create_task(chat.recall_until(until, EVERY_S * number / load.chats, waits_ms))
            pipe.send("tell")
            told: tuple[list[float], float] = await asyncio.to_thread(pipe.recv)
    return waits_ms, told


async def _open(server: Server, number: int, messages: Sequence[Message]) -> str:
    """Open a chat and recall once, so that it is indexed; its lineage."""
    identity = ChatIdentity(name=_name(number), owner="mira.png", user_name=USER, character_name=CHARACTER)
    said = message_list(messages).model_dump()
    body = {"page": _page(number), "chat": identity.model_dump(), "settings": SETTINGS, "messages": said}
    lineage = str((await server.call("chat/attach", body))["lineage"])
    await server.call("chat/recall", {"lineage": lineage, "text": messages[-1].text})
    return lineage


class _Chat:
    """A page that recalls again and again, each time for another message."""

    def __init__(self, server: Server, lineage: str, graph: GeneratedGraph, number: int) -> None:
        self._server = server
        # What a page says of its prompt with each question; its list of messages it has sent before.
        self._prompt = {
            "lineage": lineage,
            "page": _page(number),
            "in_context_from": len(graph.messages) - HELD,
            "context_tokens": CONTEXT_TOKENS,
            "fixed_tokens": CONTEXT_TOKENS // 8,
            "token_ratio": 1.1,
        }
        self._asked = graph.asked
        self._number = number

    async def recall_until(self, until: float, delay_s: float, waits_ms: list[float]) -> None:
        await asyncio.sleep(delay_s)
        turn = self._number
        while time.perf_counter() < until:
            query = self._asked[turn % len(self._asked)].query
            body = {**self._prompt, "text": query.text, "speaker": query.speaker}
            started = time.perf_counter()
            answer = await self._server.call("chat/recall", body)
            elapsed_s = time.perf_counter() - started
            assert answer["text"], "nothing was recalled"
            waits_ms.append(elapsed_s * 1000)
            turn += 1
            await asyncio.sleep(max(0.0, EVERY_S - elapsed_s))

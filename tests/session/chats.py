"""Bridges over real stores with scripted models, and generated chats, for the tests of sessions."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import numpy as np
import orjson
from numpy.typing import NDArray

from st_bme.adapters.clock import SystemClock
from st_bme.adapters.heuristic_extractor import HeuristicExtractor
from st_bme.adapters.sqlite_store import SqliteStore
from st_bme.adapters.testing import HashEmbedder
from st_bme.adapters.vector_store import SqliteVectorStore
from st_bme.errors import ModelFailed
from st_bme.history.keys import message_key
from st_bme.ports import ChatModel, Embedder, Extractor, Reranker
from st_bme.protocol import commands
from st_bme.protocol.wire import ChatIdentity, MessageList, Row, Text
from st_bme.scoring.tokens import conservative_estimate
from st_bme.session.bridge import Bridge, SettingsHolder
from st_bme.session.budget import Budget
from st_bme.session.event_log import EventLog
from st_bme.session.host_link import HostLink
from st_bme.session.models import Models
from st_bme.session.tools import Tools
from st_bme.session.usage import Usage
from st_bme.settings import Values

PATIENCE_S = 30.0


class EstimatingCounter:
    """Counts without a vocabulary."""

    def count(self, text: str) -> int:
        return conservative_estimate(text)


class NoChatModel:
    """A `ModelMaker` without a chat model, whose embedders are named by `embeddingModel`."""

    def __init__(
        self, *embedders: Embedder, reranker: Reranker | None = None, extractor: Extractor | None = None
    ) -> None:
        self.embedders = {embedder.name: embedder for embedder in embedders}
        self._reranker = reranker
        self._extractor = extractor or HeuristicExtractor()

    async def chat(self, values: Values) -> ChatModel | None:
        return None

    def extractor(self, model: ChatModel | None) -> Extractor:
        return self._extractor

    async def reranker(self, values: Values, model: ChatModel | None) -> Reranker | None:
        return self._reranker if values.bool("recallEnableLLM") else None

    async def embedder(self, values: Values) -> Embedder | None:
        return self.embedders.get(values.text("embeddingModel"))

    async def put_secret(self, setting: str, secret: object, values: Values) -> None:
        raise NotImplementedError

    async def shown_secrets(self, values: Values) -> Mapping[str, str]:
        return {}

    async def close(self) -> None:
        pass


class PacedEmbedder(HashEmbedder):
    """Embeds when it is let, in a space of its own name and dimension, and keeps what it was asked."""

    def __init__(self, name: str = "paced", dimension: int = 256) -> None:
        self.name = name
        self.dimension = dimension
        self.asked: list[list[str]] = []
        self.queries: list[list[str]] = []
        self.failures = 0
        self.pause_at = 0  # the call of this number waits
        self.go_on = asyncio.Event()
        self.go_on.set()

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.asked.append(list(texts))
        if len(self.asked) == self.pause_at:
            self.go_on.clear()
        await self.go_on.wait()
        if self.failures:
            self.failures -= 1
            raise ModelFailed("the endpoint is down")
        vectors = await super().embed(texts)
        return np.ascontiguousarray(vectors[:, : self.dimension])

    async def embed_queries(self, queries: Sequence[str]) -> NDArray[np.float32]:
        self.queries.append(list(queries))
        await self.go_on.wait()
        return np.ascontiguousarray((await super().embed(queries))[:, : self.dimension])

    @property
    def embedded(self) -> list[str]:
        return [text for batch in self.asked for text in batch]


@asynccontextmanager
async def tools_in(folder: Path, *embedders: Embedder) -> AsyncIterator[Tools]:
    """Tools over stores in a folder. The first embedder is in force."""
    tools = await _open_tools(folder, NoChatModel(*embedders))
    tools.models.embedder = embedders[0] if embedders else None
    yield tools
    await tools.vectors.close()
    await tools.store.close()


@asynccontextmanager
async def bridge_in(
    folder: Path, *embedders: Embedder, reranker: Reranker | None = None, extractor: Extractor | None = None
) -> AsyncIterator[tuple[Bridge, EventLog]]:
    """A bridge over stores in a folder, which stops with its work."""
    settings = SettingsHolder()
    tools = await _open_tools(folder, NoChatModel(*embedders, reranker=reranker, extractor=extractor), settings)
    bridge = Bridge(tools, settings)
    try:
        yield bridge, tools.events
    finally:
        await bridge.stop()


async def _open_tools(folder: Path, maker: NoChatModel, settings: SettingsHolder | None = None) -> Tools:
    store, vectors = SqliteStore(folder / "memory.sqlite3"), SqliteVectorStore(folder / "vectors.sqlite3")
    await store.open()
    await vectors.open()
    events, clock, counter = EventLog(1), SystemClock(), EstimatingCounter()
    settings = settings or SettingsHolder()
    usage = Usage(store, clock, counter)
    return Tools(
        store=store,
        vectors=vectors,
        events=events,
        models=Models(maker, usage),
        host=HostLink(events),
        clock=clock,
        counter=counter,
        settings=settings,
        usage=usage,
        budget=Budget(usage, settings, events),
    )


async def open_chat(bridge: Bridge, texts: Sequence[str], **settings: bool | int | str) -> str:
    """Attach a chat of these messages, user and character in turns, and hand over all texts; its lineage."""
    listed = message_list(texts)
    attached = await bridge.attach(
        commands.ChatAttach(
            page="page",
            chat=ChatIdentity(name="chat", user_name="Ann", character_name="Mira"),
            messages=listed,
            settings={"enabled": True, "extractAutoEnabled": False, **settings},
        )
    )
    sent = [
        Text(floor=floor, key=row.key, text=texts[floor])
        for floor, row in enumerate(listed.rows)
        if row is not None and floor in attached.need
    ]
    await bridge.receive(commands.ChatMessages(lineage=attached.lineage, texts=sent))
    return attached.lineage


def message_list(texts: Sequence[str]) -> MessageList:
    """The list as a page sends it."""
    rows = [
        Row(key=message_key("user" if floor % 2 else "assistant", text), role=0 if floor % 2 else 1, name=floor % 2)
        for floor, text in enumerate(texts)
    ]
    return MessageList(names=["Mira", "Ann"], rows=rows)


_SUBJECTS = ["the miller", "a grey heron", "Captain Orlo", "the cooper's son", "an old pilgrim", "the night watch"]
_DEEDS = ["mends", "hides", "carries home", "argues about", "forgets", "paints"]
_THINGS = [
    "a rope ladder",
    "the ferry bell",
    "two barrels of salt",
    "a cracked lantern",
    "the harvest list",
    "wet boots",
]


def long_chat(count: int, *, seed: int = 7) -> list[str]:
    """A chat of so many messages that differ, none of which says anything of note."""
    dice = random.Random(seed)
    return [
        f"{dice.choice(_SUBJECTS).capitalize()} {dice.choice(_DEEDS)} {dice.choice(_THINGS)}, day {floor}."
        for floor in range(count)
    ]


def published(events: EventLog, name: str) -> list[dict[str, object]]:
    """The data of the events of a name so far."""
    found = []
    number = 0
    while (event := events.after(number)) is not None:
        number = event.number
        if event.name == name:
            found.append(orjson.loads(event.data))
    return found


def jobs(events: EventLog, task: str) -> list[dict[str, object]]:
    """The `job` events of a task so far."""
    return [data for data in published(events, "job") if data["task"] == task]


async def until(is_so: Callable[[], bool] | Callable[[], Awaitable[bool]]) -> None:
    """Wait until something is so."""
    async with asyncio.timeout(PATIENCE_S):
        while True:
            so = is_so()
            if so if isinstance(so, bool) else await so:
                return
            await asyncio.sleep(0.01)

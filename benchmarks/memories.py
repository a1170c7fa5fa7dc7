"""A memory to measure: real stores in a folder, a real bridge over them, and an extractor without a model."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks.chats import GeneratedChat, listed
from benchmarks.story import CHARACTER, USER

from st_bme.adapters.clock import SystemClock
from st_bme.adapters.heuristic_extractor import HeuristicExtractor
from st_bme.adapters.sqlite_store import SqliteStore
from st_bme.adapters.vector_store import SqliteVectorStore
from st_bme.graph.records import RecordSet
from st_bme.model.operation import Operation
from st_bme.ports import (
    ChatModel,
    ChatName,
    ChatPrompt,
    Commit,
    Embedder,
    Extraction,
    ExtractionInput,
    Extractor,
    Reranker,
    StoredText,
)
from st_bme.protocol.wire import ChatIdentity
from st_bme.scoring.tokens import conservative_estimate
from st_bme.session.bridge import Bridge, SettingsHolder
from st_bme.session.budget import Budget
from st_bme.session.chat_log import slots_to_json
from st_bme.session.chat_session import stored_record
from st_bme.session.event_log import EventLog
from st_bme.session.host_link import HostLink
from st_bme.session.models import Models
from st_bme.session.tools import Tools
from st_bme.session.usage import Usage
from st_bme.settings import Values

LINEAGE = "generatedchat"
IDENTITY = ChatIdentity(name=f"{CHARACTER} - 2026-01-01", owner="mira.png", user_name=USER, character_name=CHARACTER)


class NotedExtractor:
    """Says of each message of a run what a generated chat has noted of it."""

    name = "noted"

    def __init__(self, chat: GeneratedChat) -> None:
        self._noted: Mapping[str, Sequence[Operation]] = chat.operations_by_message()

    async def extract(self, request: ExtractionInput) -> Extraction:
        operations = tuple(
            replace(operation, cite=place)
            for place, message in enumerate(request.run)
            for operation in self._noted.get(message.key, ())
        )
        return Extraction(operations, (), self.name)

    def prompts(self, request: ExtractionInput) -> Sequence[ChatPrompt]:  # noqa: ARG002
        return ()


class OneExtractor:
    """A `ModelMaker` without models, for one extractor."""

    def __init__(self, extractor: Extractor) -> None:
        self._extractor = extractor

    async def chat(self, values: Values) -> ChatModel | None:  # noqa: ARG002
        return None

    def extractor(self, model: ChatModel | None) -> Extractor:  # noqa: ARG002
        return self._extractor

    async def reranker(self, values: Values, model: ChatModel | None) -> Reranker | None:  # noqa: ARG002
        return None

    async def embedder(self, values: Values) -> Embedder | None:  # noqa: ARG002
        return None

    async def put_secret(self, setting: str, secret: object, values: Values) -> None:
        raise NotImplementedError

    async def shown_secrets(self, values: Values) -> Mapping[str, str]:  # noqa: ARG002
        return {}

    async def close(self) -> None:
        return


class EstimatingCounter:
    """Counts tokens without a vocabulary."""

    def count(self, text: str) -> int:
        return conservative_estimate(text)


@dataclass(frozen=True, slots=True)
class Memory:
    """What is measured."""

    bridge: Bridge
    tools: Tools
    store: SqliteStore
    events: EventLog


@asynccontextmanager
async def memory_in(folder: Path, extractor: Extractor | None = None) -> AsyncIterator[Memory]:
    """A memory over the stores in a folder; without an extractor the heuristic one reads the messages."""
    store, vectors = SqliteStore(folder / "memory.sqlite3"), SqliteVectorStore(folder / "vectors.sqlite3")
    await store.open()
    await vectors.open()
    events, settings = EventLog(1), SettingsHolder()
    clock, counter = SystemClock(), EstimatingCounter()
    usage = Usage(store, clock, counter)
    models, budget = Models(OneExtractor(extractor or HeuristicExtractor()), usage), Budget(usage, settings, events)
    tools = Tools(store, vectors, events, models, HostLink(events), clock, counter, settings, usage, budget)
    bridge = Bridge(tools, settings)
    try:
        yield Memory(bridge, tools, store, events)
    finally:
        await bridge.stop()


async def put_chat(store: SqliteStore, chat: GeneratedChat, name: ChatName | None = None) -> None:
    """Store a chat with all that is remembered of it, as a session would have left it."""
    texts = {message.key: StoredText(message.key, "", message.text) for message in chat.messages}
    records = chat.records()
    commit = Commit(
        rev=len(records),
        head=RecordSet(records).head,
        records=tuple(stored_record(record) for record in records),
        slots=slots_to_json(listed(chat.messages)),
        texts=tuple(texts.values()),
    )
    await store.create(LINEAGE, name or IDENTITY.to_name())
    await store.write(LINEAGE, commit)

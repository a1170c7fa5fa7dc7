"""A conversation in this project's own memory: read by the real pipeline without a model, and recalled from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks.evidence import Ranked
from benchmarks.memories import memory_in
from benchmarks.question_sets import Conversation

from st_bme.adapters.vector_store import SqliteVectorStore
from st_bme.history.keys import message_key
from st_bme.model.message import ROLES, Message
from st_bme.model.recall import Query
from st_bme.ports import Embedder, Extractor, TokenCounter, VectorSpace
from st_bme.protocol.commands import ChatAttach, ChatExtract, ChatMessages
from st_bme.protocol.wire import ChatIdentity, MessageList, Row, Text
from st_bme.read.index import RecallIndex
from st_bme.read.options import InjectionLanguage, RecallOptions
from st_bme.read.recall import PASSAGE, recall
from st_bme.read.vectors import Meaning, Vectors, VectorTable
from st_bme.session.searched_chat import SearchedChat
from st_bme.write.language import detect_language

EVERYTHING_TOKENS = 8_000
"""The largest budget that can be set: a cut at so many messages is none at tokens."""


class CachedEmbedder:
    """Vectors from a file, made where it has none."""

    def __init__(self, embedder: Embedder, store: SqliteVectorStore) -> None:
        self._embedder = embedder
        self._store = store
        self.space = VectorSpace(embedder.name, embedder.dimension)

    async def texts(self, texts: Sequence[str]) -> Vectors:
        """(n, d) vectors of texts."""
        return await self._found(self.space, texts, queries=False)

    async def queries(self, texts: Sequence[str]) -> Vectors:
        """(n, d) vectors of questions, which some models make differently."""
        return await self._found(VectorSpace(f"{self.space.model} queries", self.space.dimension), texts, queries=True)

    async def _found(self, space: VectorSpace, texts: Sequence[str], *, queries: bool) -> Vectors:
        known = set((await self._store.get(space, texts)).positions.tolist())
        missing = list(dict.fromkeys(text for place, text in enumerate(texts) if place not in known))
        if missing:
            embed = self._embedder.embed_queries if queries else self._embedder.embed
            await self._store.put(space, missing, await embed(missing))
        return (await self._store.get(space, texts)).vectors


@dataclass(frozen=True, slots=True)
class OwnMemory:
    """What this project remembers of a conversation."""

    index: RecallIndex
    table: VectorTable
    place_of: dict[str, int]
    language: InjectionLanguage
    counter: TokenCounter

    def options(self) -> RecallOptions:
        """What a new installation has."""
        return RecallOptions(language=self.language)

    def unlimited(self) -> RecallOptions:
        """The same with room for more messages than any cut takes."""
        return replace(self.options(), passage_tokens=EVERYTHING_TOKENS)

    def ranking(self, question: str, vector: Vectors, options: RecallOptions, budget_tokens: int) -> list[Ranked]:
        """What would be injected within a budget, best first."""
        query = Query(question, budget_tokens=budget_tokens)
        found = recall(self.index, query, options, self.counter, Meaning(self.table, vector))
        ordered = sorted(found.items, key=lambda item: -item.scores["relevance"])
        return [Ranked(self._places(item.node_id, item.type), item.text) for item in ordered]

    def _places(self, node_id: str, type_: str) -> list[int]:
        """Where the messages of an item stand."""
        if type_ == PASSAGE:
            return [self.place_of[node_id.rpartition(":")[0]]]
        sources = self.index.nodes[self.index.row_of[node_id]].sources
        return sorted(self.place_of[key] for key in sources)


async def remember(
    folder: Path,
    conversation: Conversation,
    embedder: CachedEmbedder,
    counter: TokenCounter,
    extractor: Extractor | None = None,
) -> OwnMemory:
    """Read a conversation as if its chat had just been opened, and embed all that is searched.

    Without an extractor the heuristic one reads it.
    """
    messages = conversation.messages
    async with memory_in(folder, extractor) as memory:
        attached = await memory.bridge.attach(_attach(conversation))
        told = [Text(floor=one.floor, key=_raw(one), text=one.text) for one in messages]
        await memory.bridge.receive(ChatMessages(lineage=attached.lineage, texts=told))
        await memory.bridge.extract(ChatExtract(lineage=attached.lineage, whole=True))
        session = memory.bridge.session(attached.lineage)
        searched = SearchedChat(session)
        while not searched.refresh(has_passages=True):
            continue
        place_of = {key: place for place, key in reversed(list(enumerate(session.view.keys)))}
    texts = list(dict.fromkeys(searched.texts_to_embed()))
    table = VectorTable(embedder.space)
    table.put(texts, await embedder.texts(texts))
    return OwnMemory(searched.index, table, place_of, language_of(messages), counter)


def language_of(messages: Sequence[Message]) -> InjectionLanguage:
    """The language of the headings, as a session chooses it."""
    return "zh" if detect_language(message.text for message in messages) == "zh" else "en"


def _attach(conversation: Conversation) -> ChatAttach:
    messages = conversation.messages
    names = list(dict.fromkeys(message.name for message in messages))
    rows = [Row(key=_raw(one), role=ROLES.index(one.role), name=names.index(one.name)) for one in messages]
    identity = ChatIdentity(
        name=conversation.id,
        owner="",
        user_name=next((one.name for one in messages if one.role == "user"), ""),
        character_name=next((one.name for one in messages if one.role != "user"), ""),
    )
    settings = {"enabled": True, "extractAutoEnabled": False, "embeddingSource": "none", "modelSource": "none"}
    return ChatAttach(
        page="benchmark", chat=identity, messages=MessageList(names=names, rows=rows), settings=dict(settings)
    )


def _raw(message: Message) -> str:
    return message_key(message.role, message.text)

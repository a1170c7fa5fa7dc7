"""Which model does what, as the settings say. The adapters are made by a maker that the core is given."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from typing import Protocol

from st_bme.errors import BridgeError, ModelFailed
from st_bme.ports import ChatModel, ChatPrompt, Embedder, Extractor, Reranker
from st_bme.protocol.results import ModelStates, ModelTested
from st_bme.session.usage import CountedChatModel, Usage, charged_to
from st_bme.settings import DEFAULTS, SETTINGS, Values

TRIAL_TIMEOUT_S = 30.0
SECRETS = frozenset(setting.key for setting in SETTINGS if setting.kind == "secret")
_TRIAL = ChatPrompt(task="test", system="You answer with one word.", user="Say: ready", max_tokens=16)
_RELEVANT = ("model", "llm.", "embedding", "connectionProfile", "rerank", "recallEnableLLM")


class ModelMaker(Protocol):
    """Makes adapters from settings and keeps the keys. None: the settings name no such model."""

    async def chat(self, values: Values) -> ChatModel | None: ...

    def extractor(self, model: ChatModel | None) -> Extractor: ...

    async def reranker(self, values: Values, model: ChatModel | None) -> Reranker | None: ...

    async def embedder(self, values: Values) -> Embedder | None: ...

    async def put_secret(self, setting: str, secret: object, values: Values) -> None: ...

    async def shown_secrets(self, values: Values) -> Mapping[str, str]: ...

    async def close(self) -> None: ...


class Models:
    """The models in force, made anew when a setting or a key that they depend on changes.

    Raises ModelFailed from `use` where the settings name an endpoint that must not be called; what was in force stays.
    """

    def __init__(self, maker: ModelMaker, usage: Usage) -> None:
        self._maker = maker
        self._usage = usage
        self._made_for: Mapping[str, object] | None = None
        self._making = asyncio.Lock()
        self._values = DEFAULTS
        self._chat: ChatModel | None = None
        self._extractor: Extractor | None = None
        self.embedder: Embedder | None = None
        self.reranker: Reranker | None = None

    async def use(self, values: Values) -> None:
        """Follow the settings."""
        async with self._making:
            wanted = {key: value for key, value in values.changed.items() if key.startswith(_RELEVANT)}
            if self._made_for == wanted:
                return
            made, embedder = await self._maker.chat(values), await self._maker.embedder(values)
            chat = CountedChatModel(made, self._usage) if made is not None else None
            self._made_for, self._values = wanted, values
            self.reranker = await self._maker.reranker(values, chat)
            self._chat, self.embedder, self._extractor = chat, embedder, None

    @property
    def extractor(self) -> Extractor:
        """Who extracts; made at its first use, so that the server starts without it."""
        if self._extractor is None:
            self._extractor = self._maker.extractor(self._chat)
        return self._extractor

    @property
    def chat(self) -> ChatModel | None:
        """Who answers the prompts of upkeep; None without a model."""
        return self._chat

    @property
    def costs(self) -> bool:
        """True if an extraction is a call that the user pays for."""
        return self._chat is not None

    async def put_secrets(self, secrets: Mapping[str, object], values: Values) -> None:
        """Keep keys for the endpoints that the settings name, and use them from now on."""
        for setting, secret in secrets.items():
            await self._maker.put_secret(setting, secret, values)
        if secrets:
            self._made_for = None

    async def shown_secrets(self) -> dict[str, str]:
        """The end of each key that is kept, by setting."""
        return dict(await self._maker.shown_secrets(self._values))

    def states(self) -> ModelStates:
        """What the badge says of the models."""
        chat = self._values.text("modelSource") if self._chat is not None else "heuristic"
        embedding = self._values.text("embeddingSource") if self.embedder is not None else "none"
        return ModelStates(chat=chat, embedding=embedding)

    async def test_chat(self) -> ModelTested:
        """The smallest chat call there is."""
        if self._chat is None:
            return ModelTested(ok=True, model=self.extractor.name)
        started = time.perf_counter()
        try:
            with charged_to("", "test"):
                reply = await self._chat.complete(_TRIAL, timeout_s=TRIAL_TIMEOUT_S)
        except ModelFailed as error:
            return _failed(self._chat.name, started, error)
        return ModelTested(ok=True, model=reply.model, ms=_ms_since(started))

    async def test_embedding(self) -> ModelTested:
        """The smallest embedding call there is."""
        if self.embedder is None:
            return ModelTested(ok=True, model="none")
        started = time.perf_counter()
        try:
            vectors = await self.embedder.embed(["ready"])
        except ModelFailed as error:
            return _failed(self.embedder.name, started, error)
        return ModelTested(ok=True, model=self.embedder.name, ms=_ms_since(started), dimension=vectors.shape[1])

    async def close(self) -> None:
        await self._maker.close()


def _ms_since(started: float) -> float:
    return round((time.perf_counter() - started) * 1000, 1)


def _failed(model: str, started: float, error: BridgeError) -> ModelTested:
    return ModelTested(ok=False, model=model, ms=_ms_since(started), code=error.code, reason=str(error))

"""Which model does what, as the settings say. The adapters are made by whoever puts the server together."""

from __future__ import annotations

import time
from typing import Protocol

from st_bme.errors import BridgeError, ModelFailed
from st_bme.ports import ChatModel, ChatPrompt, Embedder, Extractor
from st_bme.protocol.results import ModelStates, ModelTested
from st_bme.settings import Values

TRIAL_TIMEOUT_S = 30.0
_TRIAL = ChatPrompt(task="test", system="You answer with one word.", user="Say: ready", max_tokens=16)


class ModelMaker(Protocol):
    """Makes adapters from settings. None: the settings name no such model."""

    def chat(self, values: Values) -> ChatModel | None: ...

    def extractor(self, model: ChatModel | None) -> Extractor: ...

    def embedder(self, values: Values) -> Embedder | None: ...


class Models:
    """The models in force. They are made anew only when a setting that they depend on changed."""

    def __init__(self, maker: ModelMaker) -> None:
        self._maker = maker
        self._values: Values | None = None
        self._extractor: Extractor | None = None
        self._embedder: Embedder | None = None
        self._chat: ChatModel | None = None

    def use(self, values: Values) -> None:
        """Follow the settings."""
        if self._values is not None and _relevant(self._values) == _relevant(values):
            return
        self._values = values
        self._chat = self._maker.chat(values)
        self._extractor = self._maker.extractor(self._chat)
        self._embedder = self._maker.embedder(values)

    def extractor(self, values: Values) -> Extractor:
        self.use(values)
        assert self._extractor is not None
        return self._extractor

    def embedder(self, values: Values) -> Embedder | None:
        self.use(values)
        return self._embedder

    def costs(self, values: Values) -> bool:
        """True if an extraction is a call that the user pays for."""
        self.use(values)
        return self._chat is not None

    def states(self, values: Values) -> ModelStates:
        """What the badge says of the models."""
        self.use(values)
        chat = values.text("modelSource") if self._chat is not None else "heuristic"
        embedding = values.text("embeddingSource") if self._embedder is not None else "none"
        return ModelStates(chat=chat, embedding=embedding)

    async def test_chat(self, values: Values) -> ModelTested:
        """The smallest chat call there is."""
        self.use(values)
        if self._chat is None:
            return ModelTested(ok=True, model="heuristic")
        started = time.perf_counter()
        try:
            reply = await self._chat.complete(_TRIAL, timeout_s=TRIAL_TIMEOUT_S)
        except ModelFailed as error:
            return _failed(self._chat.name, started, error)
        return ModelTested(ok=True, model=reply.model, ms=_ms_since(started))

    async def test_embedding(self, values: Values) -> ModelTested:
        """The smallest embedding call there is."""
        self.use(values)
        if self._embedder is None:
            return ModelTested(ok=True, model="none")
        started = time.perf_counter()
        try:
            vectors = await self._embedder.embed(["ready"])
        except ModelFailed as error:
            return _failed(self._embedder.name, started, error)
        return ModelTested(ok=True, model=self._embedder.name, ms=_ms_since(started), dimension=vectors.shape[1])


def _relevant(values: Values) -> dict[str, object]:
    prefixes = ("model", "llm.", "embedding", "connectionProfile")
    return {key: value for key, value in values.changed.items() if key.startswith(prefixes)}


def _ms_since(started: float) -> float:
    return round((time.perf_counter() - started) * 1000, 1)


def _failed(model: str, started: float, error: BridgeError) -> ModelTested:
    return ModelTested(ok=False, model=model, ms=_ms_since(started), code=error.code, error=str(error))

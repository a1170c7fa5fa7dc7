"""A reranking model behind a `/rerank` endpoint of the usual shape (Jina, Cohere, llama.cpp, text-embeddings)."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import AliasChoices, BaseModel, Field, ValidationError

from st_bme.adapters.endpoint import Endpoint
from st_bme.adapters.key_ring import EndpointKeys
from st_bme.adapters.openai_client import OpenAiClient, OutgoingLimits
from st_bme.errors import AnswerUnusable


class EndpointReranker:
    """`Reranker` over `/rerank`."""

    def __init__(self, model: str, endpoint: Endpoint, keys: EndpointKeys, limits: OutgoingLimits) -> None:
        self._model = model
        self._client = OpenAiClient(endpoint, keys, limits)

    @property
    def name(self) -> str:
        return f"{self._model}@{self._client.endpoint.authority}"

    async def rerank(self, query: str, texts: Sequence[str], *, most: int, timeout_s: float) -> Sequence[int]:
        body = {"model": self._model, "query": query, "documents": list(texts), "top_n": most}
        content = await self._client.post("/rerank", body, timeout_s=timeout_s)
        try:
            results = _Answer.model_validate_json(content).results
        except ValidationError:
            raise AnswerUnusable(f"{self.name} gave no ranking; is this a reranking model?") from None
        best_first = sorted(results, key=lambda result: (-result.score, result.index))
        known = [result.index for result in best_first if result.index < len(texts)]
        if len(set(known)) != len(results):
            raise AnswerUnusable(f"{self.name} ranked texts that it was not given, or one twice")
        return known[:most]

    async def close(self) -> None:
        await self._client.close()


class _Result(BaseModel):
    index: int = Field(ge=0)
    score: float = Field(validation_alias=AliasChoices("relevance_score", "score"), allow_inf_nan=False)


class _Answer(BaseModel):
    results: list[_Result]

"""A reranker that asks a chat model."""

from __future__ import annotations

from collections.abc import Sequence

from st_bme.ports import ChatModel
from st_bme.prompts.rerank import read_selected, rerank_prompt
from st_bme.write.language import detect_language


class ChatReranker:
    """`Reranker` by a chat model, in the language of the query."""

    def __init__(self, model: ChatModel) -> None:
        self._model = model

    @property
    def name(self) -> str:
        return self._model.name

    async def rerank(self, query: str, texts: Sequence[str], *, most: int, timeout_s: float) -> Sequence[int]:
        prompt = rerank_prompt(query, texts, most=most, language=detect_language([query]))
        reply = await self._model.complete(prompt, timeout_s=timeout_s)
        return read_selected(reply.text, count=len(texts), most=most)

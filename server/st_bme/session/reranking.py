"""A model chooses among the memories that a recall found; whatever fails, the order found without it stands."""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import replace

from st_bme.errors import ModelFailed
from st_bme.ports import Reranker
from st_bme.protocol.events import JobEvent, NoticeEvent
from st_bme.protocol.results import Notice
from st_bme.read.index import RecallIndex
from st_bme.read.recall import Ranking, choice_text
from st_bme.session.tools import Tools
from st_bme.session.usage import charged_to

_LOGGER = logging.getLogger(__name__)

MOST_SHOWN = 30
"""Memories that the model chooses from, the original ST-BME's."""

# The original ST-BME's: what is small is shown whole, what is large needs judgement; between them the score will do.
_SMALL, _LARGE = 20, 200
_KEPT = 16

_Question = tuple[str, str, tuple[str, ...], int]


def needs_judgement(memories: int) -> bool:
    """Whether a model chooses in a chat of so many memories."""
    return not _SMALL <= memories <= _LARGE


class Reranking:
    """Asks the model in force, once for each question: a recall that began early is answered by the time it counts."""

    def __init__(self, lineage: str, tools: Tools) -> None:
        self._lineage = lineage
        self._tools = tools
        self._answers: OrderedDict[_Question, tuple[int, ...]] = OrderedDict()
        self._failed = False

    def model_for(self, index: RecallIndex) -> Reranker | None:
        """Who chooses among the memories of a chat; None where nobody does."""
        reranker = self._tools.models.reranker
        return reranker if needs_judgement(len(index.awake)) else None

    async def choose(self, ranking: Ranking, index: RecallIndex, reranker: Reranker) -> Ranking | None:
        """The ranking with what the model chose; None where it did not choose."""
        texts = tuple(choice_text(index, choice) for choice in ranking.chosen)
        query = "\n".join(filter(None, (ranking.query.previous_assistant, ranking.query.text)))
        question = (reranker.name, query, texts, self._tools.settings().int("recallMaxNodes"))
        kept = self._answers.get(question)
        if kept is None:
            kept = await self._ask(reranker, question) if texts else ()
        return None if kept is None else replace(ranking, chosen=[ranking.chosen[place] for place in kept])

    async def _ask(self, reranker: Reranker, question: _Question) -> tuple[int, ...] | None:
        _, query, texts, most = question
        limit_s = self._tools.settings().int("recallLLMTimeoutS")
        try:
            with charged_to(self._lineage, "rerank"):
                async with asyncio.timeout(limit_s):
                    kept = tuple(await reranker.rerank(query, texts, most=most, timeout_s=limit_s))
        except TimeoutError:
            self._give_up(ModelFailed(f"{reranker.name} did not choose within {limit_s} s"))
            return None
        except ModelFailed as error:
            self._give_up(error)
            return None
        if self._failed:
            done = JobEvent(lineage=self._lineage, task="rerank", state="done", done=1, total=1)
            self._tools.events.publish("job", done)
        self._failed = False
        self._keep(question, kept)
        return kept

    def _keep(self, question: _Question, kept: Sequence[int]) -> None:
        self._answers[question] = tuple(kept)
        while len(self._answers) > _KEPT:
            self._answers.popitem(last=False)

    def _give_up(self, error: ModelFailed) -> None:
        _LOGGER.warning("recall of chat %s without a model's choice: %s", self._lineage, error.code)
        if not self._failed:  # once for a row of failures
            notice = Notice(code=error.code, level="warning", data={"task": "rerank", "reason": str(error)})
            self._tools.events.publish("notice", NoticeEvent(lineage=self._lineage, notice=notice))
        self._failed = True

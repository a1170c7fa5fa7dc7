"""Vectors for one chat: texts are embedded behind the replies, a query in time or not at all."""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from st_bme.errors import ModelFailed
from st_bme.ports import Embedder, VectorSpace
from st_bme.protocol.events import JobEvent, NoticeEvent
from st_bme.protocol.results import Notice
from st_bme.read.query import QueryPart
from st_bme.read.vectors import Meaning, Vectors, VectorTable, blended
from st_bme.session.tools import Tools

_LOGGER = logging.getLogger(__name__)

BATCH_TEXTS = 64  # texts of one call; the local model lets a query in between sooner than that
LOOKUP_TEXTS = 500
REPORT_EVERY_S = 0.5
QUERY_DEADLINE_S = 0.5
FIRST_RETRY_S, LONGEST_RETRY_S = 15.0, 600.0
KEPT_QUERIES = 32
QUERY_LENGTH = 2000  # characters; no model takes a whole chapter, and what is asked stands at the beginning
# A table keeps vectors of texts that are gone, since they may come back with a swipe; beyond this share it is cleared.
_MOST_STRANGERS = 0.5


@dataclass(frozen=True, slots=True)
class _Serving:
    """A table and the model that it was made with, which queries of it need as well."""

    embedder: Embedder
    table: VectorTable


class EmbeddingQueue:
    """Keeps a table of vectors up to date with the texts of one chat.

    `texts` gives what should have a vector, in that order. While a table of another model is made, the one before
    serves; a first table serves as it grows.
    """

    def __init__(self, lineage: str, tools: Tools, texts: Callable[[], Awaitable[Sequence[str]]]) -> None:
        self._lineage = lineage
        self._tools = tools
        self._texts = texts
        self._serving: _Serving | None = None
        self._building: VectorTable | None = None
        self._news = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._retry_s = FIRST_RETRY_S
        self._query: asyncio.Task[None] | None = None
        self._queries: OrderedDict[tuple[VectorSpace, str], Vectors] = OrderedDict()
        self._reported = 0.0
        self._renewing = False

    @property
    def is_idle(self) -> bool:
        """True if nothing is under way or waits to be tried again."""
        return self._task is None or self._task.done()

    def wake(self) -> None:
        """Embed in the background what has no vector yet."""
        self._news.set()
        if self.is_idle:
            self._task = asyncio.get_running_loop().create_task(self._work())
            self._task.add_done_callback(self._finished)

    def renew(self) -> None:
        """Embed everything anew, also what has a vector: the model behind a name may be another one now."""
        self._renewing, self._building = True, None
        self.wake()

    async def stop(self) -> None:
        """Let go of all that is under way."""
        tasks = [task for task in (self._task, self._query) if task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def vector_of(self, text: str) -> Vectors | None:
        """The vector of a text of the chat; None where it has none yet."""
        return None if self._serving is None else self._serving.table.vector(text)

    async def meaning(self, parts: Sequence[QueryPart]) -> Meaning | None:
        """What a query means; None where there is no table, or the model fails or is late.

        A late vector is kept, so that the next try finds it. While it is on its way nothing else waits for the model.
        """
        serving = self._serving
        if serving is None or not parts:
            return None
        space = serving.table.space
        texts = [part.text[:QUERY_LENGTH] for part in parts]
        missing = [text for text in texts if (space, text) not in self._queries]
        if missing:
            if self._query is not None and not self._query.done():
                return None
            self._query = asyncio.get_running_loop().create_task(self._embed_queries(serving, missing))
            self._query.add_done_callback(self._finished)
            await asyncio.wait({self._query}, timeout=QUERY_DEADLINE_S)
        found = [self._queries.get((space, text)) for text in texts]
        vectors = [vector for vector in found if vector is not None]
        if len(vectors) < len(parts):
            return None
        return Meaning(serving.table, blended(vectors, [part.weight for part in parts]))

    async def _embed_queries(self, serving: _Serving, texts: Sequence[str]) -> None:
        try:
            vectors = await serving.embedder.embed_queries(texts)
        except ModelFailed as error:
            _LOGGER.warning("query of chat %s without vectors: %s", self._lineage, error.code)
            return
        if vectors.shape[1] != serving.table.space.dimension:
            return
        for text, vector in zip(texts, vectors, strict=True):
            self._queries[serving.table.space, text] = vector
        while len(self._queries) > KEPT_QUERIES:
            self._queries.popitem(last=False)

    async def _work(self) -> None:
        while self._news.is_set():
            self._news.clear()
            embedder = self._tools.models.embedder
            try:
                await self._bring_up_to_date(embedder)
                self._retry_s = FIRST_RETRY_S
            except ModelFailed as error:
                self._give_up(error)
                await self._wait_to_retry(embedder)
                self._news.set()

    async def _bring_up_to_date(self, embedder: Embedder | None) -> None:
        """Embed what is missing; then the table serves, and no other."""
        texts = list(dict.fromkeys(await self._texts()))  # without a model as well: it indexes their words
        if embedder is None:
            self._serving = self._building = None
            return
        if not texts:
            return
        if embedder.dimension == 0:  # an endpoint tells it with its first answer
            await embedder.embed(texts[:1])
        is_renewing = self._renewing  # it may be asked for while this goes on
        table = self._table_of(VectorSpace(embedder.name, embedder.dimension))
        if self._serving is None or self._serving.table is table:
            self._serving = _Serving(embedder, table)
        if not is_renewing:
            await self._take_stored(table, [text for text in texts if text not in table])
        await self._embed(embedder, table, [text for text in texts if text not in table])
        if len(table) * (1 - _MOST_STRANGERS) > len(texts):
            table = table.only(texts)
        self._serving, self._building = _Serving(embedder, table), None
        if is_renewing:
            self._queries.clear()
            self._renewing = False

    def _table_of(self, space: VectorSpace) -> VectorTable:
        """The table of a space that serves or is being made; another is begun, and one half made given up."""
        if self._serving is not None and self._serving.table.space == space and not self._renewing:
            self._building = None
            return self._serving.table
        if self._building is None or self._building.space != space:
            self._building = VectorTable(space)
        return self._building

    async def _take_stored(self, table: VectorTable, texts: Sequence[str]) -> None:
        for start in range(0, len(texts), LOOKUP_TEXTS):
            part = texts[start : start + LOOKUP_TEXTS]
            found = await self._tools.vectors.get(table.space, part)
            table.put([part[position] for position in found.positions.tolist()], found.vectors)

    async def _embed(self, embedder: Embedder, table: VectorTable, texts: Sequence[str]) -> None:
        for start in range(0, len(texts), BATCH_TEXTS):
            self._report("running", start, len(texts))
            batch = texts[start : start + BATCH_TEXTS]
            vectors = await embedder.embed(batch)
            if vectors.shape != (len(batch), table.space.dimension):
                raise ModelFailed(f"{embedder.name} gave {vectors.shape} vectors for {len(batch)} texts")
            # As the store keeps them, so that recall is the same after the next start.
            halves = vectors.astype(np.float16).astype(np.float32)
            table.put(batch, halves)
            await self._tools.vectors.put(table.space, batch, halves)
        if texts:
            self._report("done", len(texts), len(texts))

    async def _wait_to_retry(self, failed: Embedder | None) -> None:
        """Wait longer each time, but not once another model is chosen."""
        loop = asyncio.get_running_loop()
        until = loop.time() + self._retry_s
        self._retry_s = min(2 * self._retry_s, LONGEST_RETRY_S)
        while self._tools.models.embedder is failed and (left := until - loop.time()) > 0:
            self._news.clear()
            try:
                await asyncio.wait_for(self._news.wait(), left)
            except TimeoutError:
                return

    def _give_up(self, error: ModelFailed) -> None:
        _LOGGER.warning("vectors of chat %s: %s", self._lineage, error.code)
        self._report("failed", 0, 0)
        if self._retry_s == FIRST_RETRY_S:  # once for a row of failures
            notice = Notice(code=error.code, level="warning", data={"task": "embedding", "reason": str(error)})
            self._tools.events.publish("notice", NoticeEvent(lineage=self._lineage, notice=notice))

    def _report(self, state: Literal["running", "done", "failed"], done: int, total: int) -> None:
        now = asyncio.get_running_loop().time()
        if state == "running" and done and now - self._reported < REPORT_EVERY_S:
            return
        self._reported = now
        event = JobEvent(lineage=self._lineage, task="embedding", state=state, done=done, total=total)
        self._tools.events.publish("job", event)

    def _finished(self, task: asyncio.Task[None]) -> None:
        if not task.cancelled() and task.exception() is not None:
            _LOGGER.error("embedding of chat %s failed", self._lineage, exc_info=task.exception())

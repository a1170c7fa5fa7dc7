"""Recall for one chat: the index follows the graph, the answer says what to inject and where."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeVar
from zlib import crc32

from st_bme.errors import NotFound
from st_bme.graph.records import Mark, UserEdit
from st_bme.model.message import Message
from st_bme.model.recall import NOTHING_RECALLED, Query, Recall, RecallItem
from st_bme.ports import Reranker
from st_bme.protocol.commands import ChatRecall
from st_bme.protocol.results import Item, Recalled, Why
from st_bme.read.options import RecallOptions
from st_bme.read.recall import PASSAGE, Ranking, query_parts, rank, write_out
from st_bme.read.steady import NO_STEADY, Steady
from st_bme.read.vectors import Meaning, Vectors
from st_bme.scoring.tokens import conservative_estimate
from st_bme.session.chat_session import ChatSession
from st_bme.session.embedding import EmbeddingQueue
from st_bme.session.recall_options import recall_options
from st_bme.session.reranking import MOST_SHOWN, Reranking
from st_bme.session.searched_chat import SearchedChat
from st_bme.session.side_table import Shown
from st_bme.session.tools import Tools
from st_bme.settings import Values
from st_bme.write.cleaning import clean_message
from st_bme.write.language import detect_language

_Done = TypeVar("_Done")

POSITIONS = {"macro": -1, "afterPrompt": 0, "atDepth": 1, "beforePrompt": 2}
ROLES = {"system": 0, "user": 1, "assistant": 2}
QUERY_SAMPLE = 12
# The injection must leave room for the story itself.
CONTEXT_SHARE = 0.5
KEPT_MESSAGES = 4
USUAL_CONTEXT = 8192  # tokens, where the page does not say
# A reroll answers the message before the reply that it takes back or goes on with.
REROLLS = ("swipe", "regenerate", "continue")


class Recalling:
    """Answers recalls of one chat from an index that follows it. Between `start` and `stop` that goes on by itself."""

    def __init__(self, session: ChatSession, tools: Tools) -> None:
        self._session = session
        self._tools = tools
        self._searched = SearchedChat(session)
        self._embedding = EmbeddingQueue(session.lineage, tools, self.texts)
        self._reranking = Reranking(session.lineage, tools)
        self._busy = asyncio.Lock()
        self._last: tuple[object, Recall] | None = None
        self._steady: dict[str, Steady] = {}  # by who speaks
        self._is_started = False
        self._publishing: set[asyncio.Task[None]] = set()

    def start(self) -> None:
        """Index the chat in the background, words first; what changes from now on follows."""
        self._is_started = True
        self._session.on_change = self.wake
        self.wake()

    def wake(self) -> None:
        """Index what is new."""
        settings = self._tools.settings()
        if self._is_started and settings.bool("enabled") and settings.bool("recallEnabled"):
            self._embedding.wake()

    def vector_of(self, text: str) -> Vectors | None:
        """The vector of a text that is searched; None where it has none yet."""
        return self._embedding.vector_of(text)

    def renew_vectors(self) -> None:
        """Make new vectors of all texts; the old ones serve until they are there."""
        self._embedding.renew()

    async def stop(self) -> None:
        """Stop indexing and let go of the index; the next recall makes it anew."""
        self._is_started = False
        await self._embedding.stop()
        async with self._busy:
            self._searched = SearchedChat(self._session)
            self._embedding = EmbeddingQueue(self._session.lineage, self._tools, self.texts)

    async def recall(self, command: ChatRecall) -> Recalled:
        """The injection for the prompt that is being made; empty where recall is off or nothing fits."""
        settings = self._tools.settings()
        answer = NOTHING_RECALLED
        if settings.bool("enabled") and settings.bool("recallEnabled"):
            talk = self._talk()
            query = self._query(command, settings, talk)
            if command.early:
                answer, _ = await self._search(query, self._options(command, settings, talk))
            else:
                answer = await self._search_once(command, query, settings, talk)
                message = self._session.view.keys[-1] if len(self._session.view) else ""
                memories = [item.node_id for item in answer.items if item.type != PASSAGE]
                self._session.recalled(message, [_shown(item) for item in answer.items], memories)
        return _recalled(answer, settings, self._session.log.needed())

    async def _search_once(
        self, command: ChatRecall, query: Query, settings: Values, talk: Sequence[Message]
    ) -> Recall:
        """What a search finds; for a reroll what it found before: such replies differ by the model's dice alone."""
        basis = self._basis(query, settings)
        if command.generation in REROLLS and self._last is not None and self._last[0] == basis:
            return self._last[1]
        answer, self._steady[query.speaker] = await self._search(query, self._options(command, settings, talk))
        self._last = (basis, answer)
        return answer

    def _basis(self, query: Query, settings: Values) -> tuple[object, ...]:
        """What the reply answers to and what the user can change: while it is the same, a recall stands."""
        view = self._session.view
        asked = next((place for place in range(len(view) - 1, -1, -1) if view.roles[place] == "user"), len(view) - 1)
        by_hand = sum(isinstance(record, UserEdit | Mark) for record in self._session.records.all())
        return view.keys[: asked + 1], settings.changed, query.text, query.speaker, query.budget_tokens, by_hand

    async def _search(self, query: Query, options: RecallOptions) -> tuple[Recall, Steady]:
        parts = query_parts(query)
        meaning = await self._embedding.meaning(parts)
        async with self._busy:
            answer, steady = await self._answer(query, options, meaning)
        if parts and meaning is None and self._tools.models.embedder is not None:
            answer = replace(answer, degraded=(*answer.degraded, "vectors"))
        return answer, steady

    async def prepare(self, text: str) -> None:
        """Have the meaning of a text ready that may be asked with."""
        settings = self._tools.settings()
        if settings.bool("enabled") and settings.bool("recallEnabled"):
            await self._embedding.meaning(query_parts(Query(text)))

    def shown_for(self, floor: int) -> Why:
        """What was injected for the message of a floor, or for the user's that it answers, and for which reasons.

        Raises: NotFound: no recall for that message is kept.
        """
        view, graph, side = self._session.view, self._session.graph, self._session.side
        place = view.floors.index(floor) if floor in view.floors else -1
        asked = next((at for at in range(place, -1, -1) if view.roles[at] == "user"), place)
        places = (at for at in (place, asked) if at >= 0)
        found = next(
            ((view.floors[at], shown) for at in places if (shown := side.shown_for(view.keys[at])) is not None), None
        )
        if found is None:
            raise NotFound(f"nothing is kept of a recall for the message of floor {floor}")
        floor, shown = found
        items = []
        for item in shown:
            node = graph.nodes.get(item.node_id)
            values = dataclasses.asdict(item) | {"text": node.name if node else ""}
            items.append(Item.model_validate(values))
        return Why(floor=floor, items=items)

    def publish_later(self) -> None:
        """Send the pages the copy of a changed chat once the prompt is under way."""
        task = asyncio.get_running_loop().create_task(self._session.publish())
        self._publishing.add(task)
        task.add_done_callback(self._publishing.discard)

    async def texts(self) -> Sequence[str]:
        """What should have a vector, first what should have it soonest; the words of all of it are indexed by then.

        Slice by slice, so that a recall need not wait for a whole chat.
        """
        while True:
            async with self._busy:
                is_whole = await asyncio.to_thread(self._refresh)
            if is_whole:
                return self._searched.texts_to_embed()

    def _has_passages(self) -> bool:
        return self._tools.settings().bool("enablePassages")

    def _refresh(self) -> bool:
        has_times = self._tools.settings().text("decayClock") == "real"
        return self._searched.refresh(has_passages=self._has_passages(), has_times=has_times)

    async def _answer(
        self, query: Query, options: RecallOptions, meaning: Meaning | None
    ) -> tuple[Recall, Steady]:
        if self._tools.models.reranker is None:
            # At one go: a second one would wait for the recalls of other chats that came meanwhile.
            return await self._beside(lambda: self._written(query, self._offer(query, options, meaning)[1]))
        reranker, ranking = await self._beside(lambda: self._offer(query, options, meaning))
        index = self._searched.index
        degraded: tuple[str, ...] = ()
        if ranking is not None and reranker is not None:
            chosen = await self._reranking.choose(ranking, index, reranker)
            degraded = () if chosen else ("rerank",)
            ranking = chosen or await self._beside(lambda: rank(index, query, options, meaning))
        found = ranking
        answer, steady = await self._beside(lambda: self._written(query, found))
        return replace(answer, degraded=degraded), steady

    def _offer(
        self, query: Query, options: RecallOptions, meaning: Meaning | None
    ) -> tuple[Reranker | None, Ranking | None]:
        """What the chat as it is now has to say, and the model that shall choose among it."""
        self._refresh()
        index = self._searched.index
        reranker = self._reranking.model_for(index)
        shown = options if reranker is None else replace(options, top_k=MOST_SHOWN)
        return reranker, rank(index, query, shown, meaning)

    def _written(self, query: Query, ranking: Ranking | None) -> tuple[Recall, Steady]:
        """What is injected of it, and what of that stays for the next recall of who speaks."""
        before = self._steady.get(query.speaker, NO_STEADY)
        if ranking is None:
            return NOTHING_RECALLED, before
        return write_out(self._searched.index, ranking, self._tools.counter, before)

    async def _beside(self, work: Callable[[], _Done]) -> _Done:
        """The result of work that would hold the event loop."""
        return await asyncio.get_running_loop().run_in_executor(self._tools.recalls, work)

    def _query(self, command: ChatRecall, settings: Values, talk: Sequence[Message]) -> Query:
        """What the reply answers to: on a reroll the message before it, never the reply that was turned down."""
        if command.generation in REROLLS and talk and talk[-1].role != "user":
            talk = talk[:-1]
        asked = next((place for place in range(len(talk) - 1, -1, -1) if talk[place].role == "user"), None)
        before = talk if asked is None or command.early else talk[:asked]
        own = talk[asked].text if asked is not None and not command.early else ""
        return Query(
            text=command.text or own,
            previous_assistant=next((message.text for message in reversed(before) if message.role != "user"), ""),
            previous_user=next((message.text for message in reversed(before) if message.role == "user"), ""),
            speaker=command.speaker,
            budget_tokens=self._budget(command, settings),
            in_context_from=command.in_context_from,
            hidden=self._session.log.hidden(),
            now_ms=self._tools.clock.now_ms(),
            seed=crc32((talk[asked].key if asked is not None else "").encode()),
        )

    def _budget(self, command: ChatRecall, settings: Values) -> int:
        """Tokens that memories may take: as many as are set, but no memory pushes the newest messages out."""
        budget = settings.int("injectMaxTokens")
        if command.context_tokens is None:
            return int(budget / command.token_ratio)
        room = command.context_tokens - command.fixed_tokens
        for key in reversed(self._session.view.keys[-KEPT_MESSAGES:]):
            size = int(self._tools.counter.count(self._session.log.texts.get(key, "")) * command.token_ratio)
            if size > room:
                break  # it would not be there without memories either
            room -= size
        room = max(0, min(budget, int(command.context_tokens * CONTEXT_SHARE), room))
        return int(room / command.token_ratio)

    def _talk(self) -> list[Message]:
        """The newest messages, cleaned, as far as their texts are here."""
        session, view = self._session, self._session.view
        newest = range(max(0, len(view) - QUERY_SAMPLE), len(view))
        messages = (session.log.message(view, position) for position in newest)
        return [clean_message(message) for message in messages if message is not None]

    def _options(self, command: ChatRecall, settings: Values, talk: Sequence[Message]) -> RecallOptions:
        is_chinese = detect_language(message.text for message in talk) == "zh"
        return replace(
            recall_options(settings),
            language="zh" if is_chinese else "en",
            passages_before=self._held_from(command),
        )

    def _held_from(self, command: ChatRecall) -> int:
        """The first floor that the prompt holds, reckoned from its room where SillyTavern has not said."""
        if command.in_context_from is not None:
            return command.in_context_from
        settings = self._tools.settings()
        room = command.context_tokens or USUAL_CONTEXT
        room -= min(settings.int("injectMaxTokens"), int(room * CONTEXT_SHARE))  # it takes its own place, too
        view, texts = self._session.view, self._session.log.texts
        held = len(view)
        while held > 0 and room > 0:
            held -= 1
            room -= conservative_estimate(texts.get(view.keys[held], ""))
        return view.floors[held] if len(view) else 0


def _shown(item: RecallItem) -> Shown:
    return Shown(item.node_id, item.type, item.section, item.reason, round(item.score, 3))


def _recalled(answer: Recall, settings: Values, need: list[int]) -> Recalled:
    return Recalled(
        text=answer.text,
        steady=answer.steady,
        parts=dict(answer.parts),
        tokens=answer.tokens,
        position=POSITIONS[settings.text("injectPosition")],
        depth=settings.int("injectDepth"),
        role=ROLES[settings.text("injectRole")],
        items=[
            Item(
                node_id=item.node_id,
                type=item.type,
                section=item.section,
                reason=item.reason,
                score=item.score,
                scores=dict(item.scores),
                text=item.text,
            )
            for item in answer.items
        ],
        sections=dict(answer.sections),
        timings_ms=dict(answer.timings_ms),
        degraded=list(answer.degraded),
        need=need,
    )

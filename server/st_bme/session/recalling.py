"""Recall for one chat: the index follows the graph, the answer says what to inject and where."""

from __future__ import annotations

import asyncio

from st_bme.graph.memory_graph import MemoryGraph
from st_bme.model.message import Message
from st_bme.model.recall import NOTHING_RECALLED, Query, Recall
from st_bme.protocol.commands import ChatRecall
from st_bme.protocol.results import Item, Recalled
from st_bme.read.index import RecallIndex, first_floors
from st_bme.read.options import InjectionLanguage, RecallOptions
from st_bme.read.recall import recall
from st_bme.scoring.hybrid import HybridWeights
from st_bme.session.chat_session import ChatSession
from st_bme.session.tools import Tools
from st_bme.settings import Values
from st_bme.write.cleaning import clean_message
from st_bme.write.language import detect_language

POSITIONS = {"afterPrompt": 0, "atDepth": 1, "beforePrompt": 2}
ROLES = {"system": 0, "user": 1, "assistant": 2}
QUERY_SAMPLE = 12
# The injection must leave room for the story itself.
CONTEXT_SHARE = 0.5
# A reroll answers the message before the reply that it takes back or goes on with.
REROLLS = ("swipe", "regenerate", "continue")


class Recalling:
    """Answers recalls of one chat. The index is brought up to date when the graph changed, never during a recall."""

    def __init__(self, session: ChatSession, tools: Tools) -> None:
        self._session = session
        self._tools = tools
        self._index = RecallIndex()
        self._indexed: MemoryGraph | None = None
        self._busy = asyncio.Lock()
        self._publishing: set[asyncio.Task[None]] = set()

    async def recall(self, command: ChatRecall) -> Recalled:
        """The injection for the prompt that is being made; empty where recall is off or nothing fits."""
        settings = self._tools.settings()
        answer = NOTHING_RECALLED
        if settings.bool("enabled") and settings.bool("recallEnabled"):
            query, options = self._query(command, settings), self._options(settings)
            async with self._busy:
                answer = await asyncio.to_thread(self._answer, query, options)
            if not command.early:
                message = self._session.view.keys[-1] if len(self._session.view) else ""
                await self._session.recalled(message, [item.node_id for item in answer.items])
        return _recalled(answer, settings, self._session.log.needed())

    def publish_later(self) -> None:
        """Send the pages the copy of a changed chat once the prompt is under way."""
        task = asyncio.get_running_loop().create_task(self._session.publish())
        self._publishing.add(task)
        task.add_done_callback(self._publishing.discard)

    async def warm_up(self) -> None:
        """Bring the index up to date ahead of the next recall."""
        async with self._busy:
            await asyncio.to_thread(self._refresh)

    def _refresh(self) -> None:
        graph, view = self._session.graph, self._session.view
        if graph is not self._indexed:
            self._index.update(graph.nodes, graph.edges, first_floors(view.keys, view.floors))
            self._indexed = graph

    def _answer(self, query: Query, options: RecallOptions) -> Recall:
        self._refresh()
        return recall(self._index, query, options, self._tools.counter)

    def _query(self, command: ChatRecall, settings: Values) -> Query:
        """What the reply answers to: on a reroll the message before it, never the reply that was turned down."""
        talk = self._talk()
        if command.generation in REROLLS and talk and talk[-1].role != "user":
            talk = talk[:-1]
        asked = next((place for place in range(len(talk) - 1, -1, -1) if talk[place].role == "user"), None)
        before = talk if asked is None or command.early else talk[:asked]
        own = talk[asked].text if asked is not None and not command.early else ""
        budget = settings.int("injectMaxTokens")
        if command.context_tokens is not None:
            budget = min(budget, int(command.context_tokens * CONTEXT_SHARE))
        return Query(
            text=command.text or own,
            previous_assistant=next((message.text for message in reversed(before) if message.role != "user"), ""),
            previous_user=next((message.text for message in reversed(before) if message.role == "user"), ""),
            speaker=command.speaker,
            budget_tokens=budget,
            in_context_from=command.in_context_from,
        )

    def _talk(self) -> list[Message]:
        """The newest messages, cleaned, as far as their texts are here."""
        session, view = self._session, self._session.view
        newest = range(max(0, len(view) - QUERY_SAMPLE), len(view))
        messages = (session.log.message(view, position) for position in newest)
        return [clean_message(message) for message in messages if message is not None]

    def _options(self, settings: Values) -> RecallOptions:
        is_chinese = detect_language(message.text for message in self._talk()) == "zh"
        weights = HybridWeights(
            graph=settings.float("graphWeight"),
            lexical=settings.float("lexicalWeight"),
            importance=settings.float("importanceWeight"),
        )
        language: InjectionLanguage = "zh" if is_chinese else "en"
        return RecallOptions(language=language, top_k=settings.int("recallTopK"), weights=weights)


def _recalled(answer: Recall, settings: Values, need: list[int]) -> Recalled:
    return Recalled(
        text=answer.text,
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

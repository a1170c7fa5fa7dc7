"""Speed of recall: `python3 benchmarks/recall.py [--nodes N] [--dim D] [--serve] [--json]`.

A recall is timed inside one process, with the vectors of the query at hand; with `--serve` as a page waits for it.
Ratios are held to their limits by `tests/benchmarks/test_recall.py`.
"""

# ruff: noqa: E402 - the package is found only in the environment that is entered first

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import time
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "server")]
import bootstrap

bootstrap.enter()

# As the server does: two threads of BLAS on two busy cores wait for each other for tens of milliseconds.
os.environ["OPENBLAS_NUM_THREADS"] = "1"

import numpy as np
from benchmarks.plain_recall import PlainMemory, plain_recall
from benchmarks.recall_graph import GeneratedGraph, generate_graph, ledgers_of
from benchmarks.serving import Load, measure_serving

from st_bme.adapters.process_memory import settle_collector
from st_bme.adapters.token_counter import LocalTokenCounter
from st_bme.read.index import RecallIndex
from st_bme.read.options import RecallOptions
from st_bme.read.recall import rank, recall
from st_bme.read.vectors import Vectors

NODES, DIMENSION = 5_000, 384
ROUNDS = 5
PLAIN_QUERIES = 3
LEDGERS = (0, 3, 20)
LOAD = Load()
OPTIONS = RecallOptions()
MEMORIES_ALONE = RecallOptions(passage_tokens=0)

Figures = Mapping[str, float | Mapping[str, float]]


def measure(nodes: int = NODES, dimension: int = DIMENSION) -> Figures:
    """All figures by the names of the report.

    What is divided is time of the processor, which other programs lengthen least; `p50_ms`, `p99_ms`, the stages and
    the ledgers are time of the clock.
    """
    graph = generate_graph(nodes, dimension)
    counter = LocalTokenCounter()
    counter.load()
    indexes = {count: graph.index(ledgers=ledgers_of(graph, count)) for count in LEDGERS}
    matrix = _matrix(graph, indexes[0])
    times: dict[int, list[float]] = {count: [] for count in LEDGERS}
    matmul, ours, stages = list[float](), list[float](), dict[str, list[float]]()
    for asked in graph.asked:  # once unmeasured: rows are counted, as in a chat that goes on
        recall(indexes[0], asked.query, OPTIONS, counter, graph.meaning(asked))
    settle_collector()  # as the server does
    for asked in graph.asked * ROUNDS:
        queries = np.stack(asked.vectors).T.copy()
        started = time.thread_time()
        matrix @ queries
        matmul.append((time.thread_time() - started) * 1000)
        for count, index in indexes.items():
            meaning = graph.meaning(asked)
            started, worked = time.perf_counter(), time.thread_time()
            answer = recall(index, asked.query, OPTIONS, counter, meaning)
            if count == 0:
                ours.append((time.thread_time() - worked) * 1000)
            times[count].append((time.perf_counter() - started) * 1000)
            for name, lap_ms in answer.timings_ms.items() if count == 0 else ():
                stages.setdefault(name, []).append(lap_ms)
    p50_ms, matmul_ms = statistics.median(times[0]), statistics.median(matmul)
    return {
        "p50_ms": p50_ms,
        "p99_ms": float(np.percentile(times[0], 99)),
        "stages_ms": {name: statistics.median(laps) for name, laps in stages.items()},
        "matmul_ms": matmul_ms,
        "ratio_matmul": statistics.median(ours) / matmul_ms,
        **measure_plain(graph),
        "ledgers": {str(count): statistics.median(found) for count, found in times.items()},
    }


def _matrix(graph: GeneratedGraph, index: RecallIndex) -> Vectors:
    """All vectors that a recall compares."""
    texts = [*index.placed.texts, *index.passages.placed.texts]
    return np.stack([vector for text in texts if (vector := graph.table.vector(text)) is not None])


def measure_plain(graph: GeneratedGraph) -> Mapping[str, float]:
    """What a ranking of memories takes with dictionaries and loops, and how many times as long that is."""
    index, memory = graph.index(has_passages=False), PlainMemory(graph)
    plain, ours = [], []
    for asked in graph.asked[:PLAIN_QUERIES]:
        started = time.thread_time()
        plain_recall(memory, asked, MEMORIES_ALONE)
        plain.append((time.thread_time() - started) * 1000)
        for _ in range(ROUNDS):
            meaning = graph.meaning(asked)
            started = time.thread_time()
            rank(index, asked.query, MEMORIES_ALONE, meaning)
            ours.append((time.thread_time() - started) * 1000)
    plain_ms = statistics.median(plain)
    return {"plain_ms": plain_ms, "ratio_plain": plain_ms / statistics.median(ours)}


def main() -> None:
    parser = argparse.ArgumentParser(description="Speed of recall.")
    parser.add_argument("--nodes", type=int, default=NODES)
    parser.add_argument("--dim", type=int, default=DIMENSION)
    parser.add_argument("--json", action="store_true", help="one JSON object and nothing else")
    parser.add_argument("--serve", action="store_true", help="ask a real server over loopback from many chats instead")
    parser.add_argument("--chats", type=int, default=LOAD.chats, help="that ask it every two seconds (%(default)s)")
    parser.add_argument("--seconds", type=float, default=LOAD.seconds, help="so long (%(default)s)")
    options = parser.parse_args()
    if options.serve:
        figures: Figures = measure_serving(Load(options.chats, options.nodes, options.seconds))
    else:
        figures = measure(options.nodes, options.dim)
    if options.json:
        print(json.dumps(figures))
        return
    for name, value in figures.items():
        shown = value if isinstance(value, Mapping) else {"": value}
        print(f"{name:>14} ", "  ".join(f"{part} {number:,.2f}".strip() for part, number in shown.items()))


if __name__ == "__main__":
    main()

"""The figures of `benchmarks/recall.py`: what is compared does the same, and is as much slower as is promised."""

import json
import subprocess
import sys

import pytest
from benchmarks.plain_recall import PlainMemory, plain_recall
from benchmarks.recall_graph import generate_graph, ledgers_of
from benchmarks.serving import Load, measure_serving

from benchmarks import recall as benchmark
from repository.files import ROOT
from st_bme.read.recall import rank

SERVING_FIGURES = {
    "chats",
    "requests",
    "overhead_p50_ms",
    "overhead_p99_ms",
    "loop_lag_p99_ms",
    "cpu_ms_per_recall",
}
FIGURES = {
    "p50_ms",
    "p99_ms",
    "stages_ms",
    "matmul_ms",
    "ratio_matmul",
    "plain_ms",
    "ratio_plain",
    "ledgers",
}


@pytest.mark.parametrize("characters", [0, 5])
def test_loops_and_arrays_choose_the_same_memories(characters):
    graph = generate_graph(600, 32, queries=10)
    ledgers = ledgers_of(graph, characters)
    index, memory = graph.index(ledgers=ledgers, has_passages=False), PlainMemory(graph, ledgers)

    for asked in graph.asked:
        ranking = rank(index, asked.query, benchmark.MEMORIES_ALONE, graph.meaning(asked))
        assert ranking is not None
        chosen = [index.nodes[choice.row].id for choice in ranking.chosen]
        assert chosen == plain_recall(memory, asked, benchmark.MEMORIES_ALONE)


@pytest.mark.slow
def test_the_report_has_every_figure():
    command = [sys.executable, str(ROOT / "benchmarks/recall.py"), "--nodes", "300", "--dim", "16", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)

    figures = json.loads(done.stdout)
    assert figures.keys() == FIGURES
    assert figures["ledgers"].keys() == {"0", "3", "20"}


@pytest.mark.slow
@pytest.mark.timeout(120)
def test_a_real_server_is_measured_by_what_a_page_waits_for():
    figures = measure_serving(Load(chats=2, nodes=200, seconds=2))

    assert figures.keys() == SERVING_FIGURES
    assert figures["requests"] > 0
    assert figures["cpu_ms_per_recall"] > 0


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_arrays_are_far_faster_than_loops():
    """Held on a machine that has much else to do; the aim on an idle one is 100."""
    assert benchmark.measure_plain(generate_graph(5_000, 384))["ratio_plain"] >= 30

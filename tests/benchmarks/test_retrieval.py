"""`benchmarks/retrieval.py`: its figures on a chat small enough to follow, and a floor for the own sets."""

import json
import subprocess
import sys

import pytest
from benchmarks.evidence import Ranked, Witness
from benchmarks.question_sets import AskedQuestion, read_conversations
from benchmarks.retrieval import CUTS, Answer, Benchmark, Score, main
from benchmarks.searching import CachedEmbedder

from repository.files import ROOT
from st_bme.adapters.testing import HashEmbedder
from st_bme.adapters.token_counter import LocalTokenCounter
from st_bme.adapters.vector_store import SqliteVectorStore

DATA = ROOT / "benchmarks" / "data"
SYSTEMS = ["ours", "bm25", "dense", "rrf", "flat"]
CUT_NAMES = ["recall@5", "recall@10", "recall@20", "recall@600tok", "recall@1200tok"]
FIGURES = [*CUT_NAMES, "mrr", "ms_per_query", "by_category"]


@pytest.fixture
async def embedder(tmp_path):
    """Vectors of letters alone: quick, and near only where words are."""
    store = SqliteVectorStore(tmp_path / "vectors.sqlite3")
    await store.open()
    yield CachedEmbedder(HashEmbedder(), store)
    await store.close()


async def _report(embedder, language):
    counter = LocalTokenCounter()
    counter.load()
    benchmark = Benchmark(embedder, counter)
    for conversation in read_conversations(DATA / f"roleplay-{language}.json"):
        await benchmark.add(conversation)
    return benchmark.report()


def test_a_score_is_the_mean_over_its_questions():
    witness = Witness(["The vault opens.", "A mare neighs.", "Rain falls."])
    score = Score()
    hit, miss = Ranked((0,), "The vault opens."), Ranked((2,), "Rain falls.")
    score.add(AskedQuestion("?", (0, 1), 1), Answer([miss, hit], {600: [miss, hit]}, 0.002), witness)
    score.add(AskedQuestion("?", (2,), 4), Answer([miss], {600: []}, 0.004), witness)

    assert score.report() == {
        **{f"recall@{cut}": 0.75 for cut in CUTS},
        "recall@600tok": 0.25,
        "mrr": 0.75,
        "ms_per_query": 3.0,
        "by_category": {
            "1": {**{f"recall@{cut}": 0.5 for cut in CUTS}, "recall@600tok": 0.5},
            "4": {**{f"recall@{cut}": 1.0 for cut in CUTS}, "recall@600tok": 0.0},
        },
    }


@pytest.mark.slow
@pytest.mark.timeout(120)
@pytest.mark.parametrize(("language", "floor"), [("en", 0.56), ("zh", 0.69)])
async def test_what_answers_is_found_by_words_and_letters_alone(embedder, language, floor):
    """A fall of these is a fall of recall itself; the figures with a real model stand in benchmarks/README.md."""
    systems = (await _report(embedder, language))["systems"]

    assert list(systems) == SYSTEMS
    assert all(list(figures) == FIGURES for figures in systems.values())
    assert systems["ours"]["recall@10"] >= floor
    assert systems["ours"]["recall@10"] > systems["flat"]["recall@10"]


def test_notes_are_of_one_conversation(tmp_path, capsys):
    notes, data = (str(DATA / name) for name in ("roleplay-en.notes.json", "roleplay-en.json"))

    with pytest.raises(SystemExit) as ended:
        main(["--data", data, "--notes", notes, "--cache", str(tmp_path)])

    assert ended.value.code == 2
    assert "--conversations" in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_the_command_prints_one_json_object(tmp_path):
    source = json.loads((DATA / "roleplay-en.json").read_text())[0]
    source["qa"] = source["qa"][:2]
    path = tmp_path / "set.json"
    path.write_text(json.dumps([source, {**source, "sample_id": "other"}]))
    command = [sys.executable, "benchmarks/retrieval.py", "--data", str(path), "--conversations", "other"]

    ended = subprocess.run(
        [*command, "--cache", str(tmp_path), "--json"], cwd=ROOT, capture_output=True, text=True, check=True
    )

    report = json.loads(ended.stdout)
    assert report["questions"] == 2
    assert list(report["systems"]) == SYSTEMS
    assert all(list(figures) == FIGURES for figures in report["systems"].values())

"""Writes the golden folds of the current operation version: `python tests/graph/write_golden_folds.py`.

What is there stays: a released version means what it means. `--again` writes all anew, for a version that no release
has yet.
"""

import json
import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path[:0] = [str(Path(__file__).parents[1]), str(Path(__file__).parents[2] / "server")]

from graph.golden_stories import STORIES
from st_bme.graph.base_json import BaseGraph, base_graph_to_json
from st_bme.graph.fold import fold
from st_bme.graph.ledger_json import LEDGER_KEYS
from st_bme.graph.memory_graph import MemoryGraph
from st_bme.graph.records import OPERATION_VERSION, RecordSet, record_from_json, record_to_json

FOLDER = Path(__file__).parent / "golden_folds"


def graph_to_json(graph: MemoryGraph) -> dict:
    """All that a fold makes, in fold order; edges with their ids."""
    keys = tuple(dict.fromkeys(graph.view))
    nodes = (*graph.nodes.values(), *graph.summaries.values())
    made = base_graph_to_json(BaseGraph(keys, (), nodes, tuple(graph.edges.values()), graph.ledgers))
    return {
        "nodes": made.get("nodes", []),
        "edges": [
            {"id": edge.id, **said} for edge, said in zip(graph.edges.values(), made.get("edges", []), strict=True)
        ],
        **{name: made[name] for name in LEDGER_KEYS if name in made},
        "pending": list(graph.pending),
        "drops": [[drop.index, drop.refusal.code] for drop in graph.drops],
    }


def golden(view, listed) -> dict:
    written = [record_to_json(record) for record in listed]
    kept = RecordSet(record_from_json(record) for record in written)
    return {"view": list(view), "records": written, "graph": graph_to_json(fold(view, kept))}


def write() -> None:
    folder = FOLDER / f"v{OPERATION_VERSION}"
    folder.mkdir(parents=True, exist_ok=True)
    for name, (view, listed) in STORIES.items():
        path = folder / f"{name}.json"
        if not path.exists() or "--again" in sys.argv:
            path.write_text(json.dumps(golden(view, listed), ensure_ascii=False, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    write()

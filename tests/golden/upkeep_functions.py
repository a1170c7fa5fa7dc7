"""Our upkeep functions, given inputs and giving outputs in the form of the golden files."""

from typing import Any

from st_bme.model.node import Node
from st_bme.upkeep.compression import WINDOWS
from st_bme.upkeep.forgetting import worth_keeping

FORGOTTEN_BELOW = 0.5


def sleep_retention(given: dict[str, Any], _now_ms: int) -> dict[str, Any]:
    node = Node("n", given["type"], {}, (), importance=given["importance"])
    worth = worth_keeping(node, age=given["age_hours"], accesses=given["accessCount"])
    return {"archived_at_0_5": worth is not None and worth < FORGOTTEN_BELOW, "retention": worth}


def compression_gate(given: dict[str, Any], _now_ms: int) -> dict[str, Any]:
    window = WINDOWS.get(given["type"])
    count = window.batch.open_of(given["n"]) if window else 0
    if window is None or count == 0:
        nothing = dict.fromkeys(("candidateCount", "threshold", "fanIn", "keepRecent"), 0)
        return {"hasCandidates": False, "typeId": "", "level": None} | nothing
    batch = window.batch
    return {
        "hasCandidates": True,
        "typeId": given["type"],
        "level": 0,
        "candidateCount": count,
        "threshold": batch.above,
        "fanIn": batch.size,
        "keepRecent": batch.keep_newest,
    }


def without_reason(recorded: dict[str, Any]) -> dict[str, Any]:
    """The original's sentence is its own."""
    return {key: value for key, value in recorded.items() if key != "reason"}

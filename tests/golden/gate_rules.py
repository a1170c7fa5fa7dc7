"""Where the gates answer otherwise than the original ST-BME on purpose, and what they then answer."""

from typing import Any

ELIN, RHEN = "character:艾琳", "character:雷恩"
SURE = {(ELIN, "k1"), (ELIN, "ch"), (ELIN, "p1"), (RHEN, "o1")}
IN_PART = {(ELIN, "v1"): 0.6, (ELIN, "v2"): 0.35, (RHEN, "v1"): 0.9}
NEEDED = {"objectiveCurrentRegion": 0.34, "objectiveAdjacentRegion": 0.42, "objectiveGlobal": 0.56}


def is_like_what_is_asked(given: dict[str, Any]) -> bool:
    """The original shows what is like the query or linked with it to those who do not know it."""
    return bool({"vectorScore", "graphScore"} & set(given["opt"])) and bool(given["owner"])


def is_own_view(given: dict[str, Any]) -> bool:
    return given["node"] == "p1" and ELIN in given["owner"]


def is_of_no_ones_knowledge(given: dict[str, Any]) -> bool:
    """Nothing was said of who knows it."""
    return given["node"] == "ch" and RHEN in given["owner"]


def by_what_was_said(given: dict[str, Any], _recorded: dict[str, Any]) -> dict[str, Any]:
    node = given["node"]
    sees = [_sees(owner, node, given["opt"]["scopeBucket"]) for owner in given["owner"]]
    return {
        "visible": any(sees),
        "anchored": any((owner, node) in SURE for owner in given["owner"]),
        "ownerCoverage": sum(sees) / len(sees),
    }


def _sees(owner: str, node: str, bucket: str) -> bool:
    return (owner, node) in SURE or IN_PART.get((owner, node), 0) >= NEEDED[bucket] or node == "ch"

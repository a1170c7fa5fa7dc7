"""How old memories are by each clock, and how alive their uses keep them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from st_bme.graph.ledgers import Ledgers
from st_bme.model.node import Node
from st_bme.model.story_time import Segment, StoryTime
from st_bme.read.ages import LastUse, Uses
from st_bme.read.candidates import Candidates, Evidence
from st_bme.read.index import RecallIndex
from st_bme.read.options import RecallOptions
from st_bme.read.select import Weights, select
from st_bme.scoring.lifecycle import Tier

OPTIONS = RecallOptions()
DAY_MS = 86_400_000
FLOORS = {f"k{floor}": floor for floor in range(101)}


def scores(nodes: list[Node], uses: Uses, options: RecallOptions, *, now_ms: int = 0, ledgers: Ledgers | None = None):
    """What is said of each memory where all of them are recalled."""
    index = RecallIndex()
    index.update({node.id: node for node in nodes}, {}, FLOORS)
    index.update_uses(uses)
    if ledgers is not None:
        index.update_ledgers(ledgers)
    ones = np.ones(len(nodes))
    evidence = Evidence(ones, ones, 0 * ones, 0 * ones, ones, ones, frozenset(), frozenset(), now_ms)
    found = select(index, Candidates(np.arange(len(nodes)), lambda _: "words"), Weights(evidence, ones), options)
    return {index.nodes[choice.row].id: choice.scores for choice in found}


def event(name: str, floor: int, importance: float = 5.0) -> Node:
    return Node(name, "event", {"summary": name}, (f"k{floor}",), importance)


def test_by_real_days_a_memory_is_as_old_as_the_reading_of_its_last_message():
    nodes = [replace(event("a", 0), sources=("k0", "k50")), event("b", 100)]
    uses = Uses(read_ms={"k0": DAY_MS, "k50": 8 * DAY_MS, "k100": 10 * DAY_MS})

    found = scores(nodes, uses, replace(OPTIONS, clock="real"), now_ms=10 * DAY_MS)

    # two days: 0.8 + 0.2 / (1 + ln 3) = 0.895301
    assert [found[name]["decay"] for name in "ab"] == pytest.approx([0.895301, 1], abs=1e-6)


def test_what_has_no_day_fades_by_turns():
    found = scores([event("a", 0)], Uses(), replace(OPTIONS, clock="real"), now_ms=10 * DAY_MS)

    assert found["a"]["decay"] == pytest.approx(0.840553, abs=1e-6)


@pytest.mark.parametrize("clock", ["turns", "story", "real"])
def test_with_a_lifecycle_use_keeps_a_memory_fresh_by_every_clock(clock):
    nodes = [event("rested", 0), event("used", 0)]
    timed = [replace(node, story_time=StoryTime("then", segment_id="then")) for node in nodes]
    segments = {"then": Segment("then", "then", 1, "k0"), "now": Segment("now", "now", 90, "k0", now_since="k0")}
    uses = Uses({"used": 3}, {"used": LastUse("k100", 90 * DAY_MS)}, {"k0": 0, "k100": 90 * DAY_MS})
    options = replace(OPTIONS, clock=clock, has_lifecycle=True)

    found = scores(timed, uses, options, now_ms=90 * DAY_MS, ledgers=Ledgers(segments))

    assert found["used"]["decay"] == pytest.approx(1)
    assert found["rested"]["decay"] < 0.9
    assert found["used"]["tier"] == Tier.WORKING


def test_a_tier_is_told_with_the_scores():
    nodes = [event("core", 90, importance=8.0), event("working", 90)]
    uses = Uses({"core": 12}, {"core": LastUse("k100", 0)})

    found = scores(nodes, uses, replace(OPTIONS, has_lifecycle=True))

    assert {name: said["tier"] for name, said in found.items()} == {"core": Tier.CORE, "working": Tier.WORKING}
    assert "tier" not in scores(nodes, uses, OPTIONS)["core"]

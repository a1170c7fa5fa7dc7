"""Who knows of a memory, whose it is and where it lies, seen from who speaks."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from read.stories import COUNTER, OPTIONS
from st_bme.graph.ledgers import NOTHING_SAID, Ledgers, owner_key, region_key
from st_bme.model.ledger import Knowledge, RegionFact
from st_bme.model.message import Message
from st_bme.model.node import Node
from st_bme.model.recall import Query
from st_bme.model.scope import Scope
from st_bme.model.story_time import Segment, StoryTime
from st_bme.read.gates import gate
from st_bme.read.index import RecallIndex
from st_bme.read.options import GateOptions
from st_bme.read.recall import recall

FLOORS = {f"k{floor}": floor for floor in range(20)}
GATES = GateOptions()


def _index(*nodes, ledgers=NOTHING_SAID):
    index = RecallIndex()
    index.update({node.id: node for node in nodes}, {}, FLOORS)
    index.update_ledgers(ledgers)
    return index


def _event(name, summary, *, participants="", floor=0, **changes):
    fields = {"summary": summary, "participants": participants}
    return Node(name, "event", {key: value for key, value in fields.items() if value}, (f"k{floor}",), **changes)


def _said(owner, node_id, stance="known", visibility=1.0):
    key = owner_key("character", owner)
    return (key, node_id), Knowledge(key, owner, node_id, stance, "k0", visibility)


def _view(name, owner):
    return Node(name, "pov_memory", {"summary": "thinks"}, ("k0",), scope=Scope("pov", "character", owner, owner))


def _open(index, speaker, gates=GATES):
    found = gate(index, Query("x", speaker=speaker), gates)
    return {node.id for node, is_open in zip(index.nodes, found.is_open, strict=True) if is_open}


def test_what_was_told_to_one_is_known_to_that_one_alone():
    ledgers = Ledgers(knowledge=dict([_said("Ada", "secret"), _said("Ben", "other")]))
    index = _index(_event("secret", "The key lies under the stone"), _event("other", "A duel"), ledgers=ledgers)

    assert _open(index, "Ada") == {"secret"}
    assert _open(index, "Ben") == {"other"}


def test_one_of_whom_nothing_was_said_is_kept_from_nothing():
    ledgers = Ledgers(knowledge=dict([_said("Ada", "secret")]))
    index = _index(_event("secret", "The key lies under the stone"), ledgers=ledgers)

    assert _open(index, "Narrator") == {"secret"}
    assert _open(index, "") == {"secret"}


def test_somebody_of_the_story_lacks_what_only_others_were_said_to_know():
    ledgers = Ledgers(knowledge=dict([_said("Ada", "secret"), _said("Ada", "heresy", "mistaken")]))
    index = _index(
        _event("secret", "The key lies under the stone"),
        _event("heresy", "The sun goes round the stone"),
        _event("duel", "They fought at dawn", participants="Ada, Ben"),
        Node("boris", "character", {"name": "Boris", "state": "tired"}, ("k1",)),
        ledgers=ledgers,
    )

    assert _open(index, "Boris") == {"heresy", "duel", "boris"}


def test_who_was_not_there_did_not_see_it_but_the_world_is_everyones():
    index = _index(
        _event("duel", "They fought at dawn", participants="Ada, Ben"),
        Node("law", "rule", {"title": "No magic", "constraint": "Magic is forbidden"}, ("k1",)),
        _view("thought", "Cleo"),
        _view("other thought", "Ben"),
    )

    assert _open(index, "Cleo") == {"law", "thought"}
    assert _open(index, "Ben") == {"duel", "law", "other thought"}


def test_who_is_named_in_a_memory_knows_of_it():
    index = _index(_event("duel", "Cleo saw them fight", participants="Ada, Ben"), _view("thought", "Cleo"))

    assert "duel" in _open(index, "Cleo Voss") | _open(index, "Cleo")


@pytest.mark.parametrize(("stance", "visibility"), [("hidden", 0.0), ("mistaken", 0.0), ("partial", 0.3)])
def test_what_is_hidden_mistaken_or_hardly_known_stays_out(stance, visibility):
    ledgers = Ledgers(knowledge=dict([_said("Ada", "fact", stance, visibility)]))

    assert _open(_index(_event("fact", "Ada is the heir"), ledgers=ledgers), "Ada") == set()


def test_a_view_of_ones_own_may_be_mistaken():
    ledgers = Ledgers(knowledge=dict([_said("Ada", "belief", "mistaken", 0.0)]))

    assert _open(_index(_view("belief", "Ada"), ledgers=ledgers), "Ada") == {"belief"}


def test_knowledge_can_be_switched_off():
    ledgers = Ledgers(knowledge=dict([_said("Ada", "secret"), _said("Ben", "other")]))
    index = _index(_event("secret", "The key"), _event("other", "A duel"), ledgers=ledgers)

    assert _open(index, "Ben", replace(GATES, has_knowledge=False)) == {"secret", "other"}


@pytest.mark.parametrize(
    ("visibility", "viewer", "is_seen"),
    [
        ("Ada, Ben", "ben", True),
        ("Ada，Ben", "Cleo", False),
        ('["Ada", "Ben"]', "Ada", True),
        ("*", "Cleo", True),
        ("", "Cleo", True),
        ("Ada", "", True),
    ],
)
def test_visibility_names_who_may_recall_a_memory(visibility, viewer, is_seen):
    node = Node("n", "event", {"summary": "A duel", "visibility": visibility}, ("k0",))
    index = _index(node)

    assert (_open(index, viewer, replace(GATES, has_visibility=True)) == {"n"}) is is_seen
    assert _open(index, viewer) == {"n"}


def test_what_lies_where_the_scene_is_counts_more():
    facts = [
        RegionFact("at", "Harbour", "", "k0"),
        RegionFact("beside", "Harbour", "Market", "k0"),
        RegionFact("within", "Harbour", "Old Town", "k0"),
    ]
    regions = {region_key(fact.relation, fact.place, fact.other): fact for fact in facts}
    names = ("harbour", "Market", "Old Town", "Moon", "")
    nodes = [_event(name or "nowhere", "x", scope=Scope(region_primary=name)) for name in names]
    index = _index(*nodes, ledgers=Ledgers(regions=regions))

    assert gate(index, Query("x"), GATES).weights == pytest.approx(np.array([1.15, 0.9, 0.9, 0.75, 0.75]) / 0.75)
    assert gate(index, Query("x"), replace(GATES, has_regions=False)).weights == pytest.approx(np.ones(5))


def test_what_is_to_come_waits_for_its_time_or_its_question():
    segments = {"a": Segment("a", "a", 1, "k0", now_since="k0"), "b": Segment("b", "b", 2, "k0")}
    node = _event("siege", "The siege begins", story_time=StoryTime("b", segment_id="b"))
    index = _index(node, ledgers=Ledgers(segments=segments))

    assert _open(index, "") == set()
    assert gate(index, Query("What is the plan?"), GATES).is_open[0]
    assert _open(index, "", replace(GATES, has_story_time=False)) == {"siege"}


def test_nobody_is_quoted_a_turn_of_which_a_memory_is_kept_from_them():
    """The words of a secret are as secret as the memory of it; who spoke themselves may recall their words."""
    index = _index(
        _event("secret", "The key lies under the stone", participants="Ada", floor=1),
        _view("thought", "Ben"),
    )
    said = [
        ("user", "Mira", "Ada, the brass key lies under the third stone."),
        ("assistant", "Ada", "Under the third stone, the brass key. I will keep it."),
        ("user", "Mira", "Ben, have you seen a brass stone?"),
        ("assistant", "Ben", "A brass stone? Never."),
    ]
    index.passages.update([Message(f"k{floor}", *spoken, floor) for floor, spoken in enumerate(said)])

    def quoted(speaker):
        answer = recall(index, Query("Where is the brass key, under a stone?", speaker=speaker), OPTIONS, COUNTER)
        return {item.node_id.partition(":")[0] for item in answer.items if item.type == "passage"}

    assert quoted("Ben") == {"k2", "k3"}
    assert quoted("Ada") >= {"k0", "k1"}

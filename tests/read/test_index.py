"""The index of recall follows the graph."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from read.stories import indexed, node_named, told
from st_bme.model.edge import INHIBITORY, Edge
from st_bme.model.node import Node
from st_bme.read.index import RecallIndex, embedded_text, first_floors
from st_bme.read.links import FAN, TIME_STRENGTH
from st_bme.read.wording import AskedWords, wording

FLOORS = {f"k{floor}": floor for floor in range(6)}


def _node(name, *, type="character", floor=0, **changes):
    fields = {"name": name} if type == "character" else {"summary": name}
    return Node(name, type, fields, (f"k{floor}",), **changes)


def _edge(start, end, **changes):
    return Edge(f"{start}-{end}", start, end, "related", 0.8, "k0", **changes)


def _words(index, *terms):
    return wording(index, [AskedWords(1.0, terms, [])])


def _index(nodes, edges=()):
    index = RecallIndex()
    index.update({node.id: node for node in nodes}, {edge.id: edge for edge in edges}, FLOORS)
    return index


def test_archived_memories_and_those_of_a_type_with_a_strange_name_have_no_row():
    index = _index([_node("Gareth"), _node("Isolde", archived_by="user"), replace(_node("Spell"), type="spell |")])

    assert [node.name for node in index.nodes] == ["Gareth"]
    assert index.names.find("Isolde, Spell") == []


def test_floors_are_those_of_the_sources_that_stand_in_the_chat():
    index = _index([Node("a", "event", {"summary": "x"}, ("k4", "gone", "k1")), Node("b", "event", {}, ("gone",))])

    assert index.arrays.first_floors.tolist() == [1, -1]
    assert index.arrays.last_floors.tolist() == [4, -1]
    assert index.head_floor == 5


def test_a_key_that_stands_twice_has_the_floor_where_it_stands_first():
    assert first_floors(["a", "b", "a"], [3, 5, 7]) == {"a": 3, "b": 5}


def test_current_edges_lead_both_ways_and_inhibiting_ones_join_nobody():
    nodes = [_node("a"), _node("b"), _node("c")]
    index = _index(nodes, [_edge("a", "b"), _edge("b", "c", ended="k3"), _edge("a", "c", edge_type=INHIBITORY)])

    assert [index.neighbours(row) for row in range(3)] == [[1], [0], []]
    assert index.flows().inhibits.sum() == 2


def test_events_are_linked_in_time_and_states_are_not():
    events = [_node(name, type="event", floor=floor) for name, floor in (("late", 4), ("early", 0), ("middle", 2))]
    index = _index([*events, _node("Gareth"), _node("Isolde", floor=1)])

    assert sorted(index.flows().targets[index.flows().offsets[2] : index.flows().offsets[3]].tolist()) == [0, 1]
    assert set(index.flows().strengths.tolist()) == {TIME_STRENGTH}
    assert index.flows().offsets[3] == index.flows().offsets[5]
    assert [index.neighbours(row) for row in range(5)] == [[]] * 5
    assert index.flows(in_time=False).targets.size == 0


def test_who_is_linked_with_everything_passes_less_along_each_link():
    leaves = [_node(f"leaf{i}") for i in range(4 * FAN)]
    index = _index([_node("hub"), *leaves], [_edge("hub", leaf.id) for leaf in leaves])

    hub, leaf = index.flows().strengths[0], index.flows().strengths[-1]
    assert (hub, leaf) == (0.8 * 0.5, 0.8)


def test_an_update_looks_only_at_what_changed():
    graph = told("[character Gareth state=wary]", "[event the feast ends]")
    index = indexed(graph)
    gareth = node_named(graph, "Gareth")
    terms = index.terms_of(index.row_of[gareth.id])

    index.update({gareth.id: gareth}, {}, first_floors(graph.view, [0, 1]))

    assert [node.name for node in index.nodes] == ["Gareth"]
    assert index.terms_of(0) is terms
    assert _words(index, "feast").tolist() == [0.0]


_NAMES = st.sampled_from(["Gareth", "Isolde", "the old mill", "钟楼", "Mira"])
_GRAPHS = st.lists(
    st.lists(
        st.tuples(_NAMES, st.sampled_from(["character", "event"]), st.integers(0, 6), st.booleans()),
        max_size=6,
        unique_by=lambda entry: entry[0],
    ),
    min_size=1,
    max_size=4,
)


@settings(max_examples=80, deadline=None)
@given(_GRAPHS)
def test_updates_one_after_the_other_equal_an_index_from_nothing(graphs):
    followed = RecallIndex()
    for entries in graphs:
        nodes = {name: _node(name, type=kind, floor=floor, pinned=pinned) for name, kind, floor, pinned in entries}
        ids = list(nodes)
        edges = {edge.id: edge for edge in (_edge(*pair) for pair in pairwise(ids))}
        followed.update(nodes, edges, FLOORS)
    fresh = RecallIndex()
    fresh.update(nodes, edges, FLOORS)

    text = "Gareth asks Isolde and Mira about the old mill and 钟楼"
    query = ("gareth", "isolde", "mill", "钟楼", "mira")
    assert list(followed.nodes) == list(fresh.nodes)
    assert np.array_equal(_words(followed, *query), _words(fresh, *query))
    assert {match.id for match in followed.names.find(text)} == {match.id for match in fresh.names.find(text)}
    assert np.array_equal(followed.flows().targets, fresh.flows().targets)
    assert np.array_equal(followed.flows().strengths, fresh.flows().strengths)
    assert np.array_equal(followed.arrays.last_floors, fresh.arrays.last_floors)


def test_what_tells_most_of_a_memory_is_embedded():
    place = Node("n", "location", {"features": "a wheel", "state": "flooded", "name": "Mill"}, ("k",))

    assert embedded_text(place) == "Mill\nflooded"

"""Edges in lists of their kind, one text each, in a state (docs/storage.md, Edge)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from st_bme.errors import CorruptState
from st_bme.graph.codec import KnownMessages, edge_from_json, edge_to_json
from st_bme.graph.json_reader import JsonReader
from st_bme.graph.packed import ShortIds, in_lists, pack_edge, unpack_edges
from st_bme.model.edge import ENDED_BY_HAND, Edge
from st_bme.model.scope import OBJECTIVE, Scope

KNOWN = KnownMessages(("Aaaaaaaa", "Bbbbbbbb", "Cccccccc"), (0, 4, 5))
SCOPE = Scope("pov", "character", "mira", "Mira")
NODES = ("t6ivpon3d5", "t6ivxxxxxx", "otsw5rzakk", "otsw", "ejo3fofwxr")
EDGES = st.builds(
    Edge,
    id=st.just(""),
    from_id=st.text(min_size=1, max_size=3) | st.sampled_from(("-", "ejo3", *NODES)),
    to_id=st.sampled_from(("-", " ", *NODES)),
    relation=st.sampled_from(("related", "involved_in", "updates")),
    strength=st.sampled_from((0.0, 0.0001, 0.25, 0.8, 1.0)),
    source=st.sampled_from(("", *KNOWN.keys)),
    edge_type=st.sampled_from((0, 0, 255)),
    scope=st.sampled_from((OBJECTIVE, OBJECTIVE, SCOPE)),
    ended=st.sampled_from(("", ENDED_BY_HAND, *KNOWN.keys)),
)
IDS = ShortIds(NODES)


def said(edges):
    return [edge_to_json(edge, KNOWN, KNOWN.places()) for edge in edges]


def packed_of(edges):
    return in_lists(pack_edge(edge, IDS) for edge in edges)


def read(packed):
    readers = [JsonReader(edge, where) for edge, where in unpack_edges(packed, "edges", IDS)]
    return [edge_to_json(edge_from_json(reader, 0, KNOWN), KNOWN, KNOWN.places()) for reader in readers]


@given(st.lists(EDGES, max_size=6))
def test_edges_are_read_as_they_were_written_by_kind(edges):
    written = said(edges)

    assert read(packed_of(written)) == sorted(written, key=lambda edge: pack_edge(edge, IDS)[0])


@pytest.mark.parametrize(
    ("edge", "kind", "text"),
    [
        ({"fromId": "a", "toId": "b"}, "related 0.8", "a b"),
        ({"fromId": "a", "toId": "b", "strength": 0.25, "source": 17}, "related 0.25", "a b 17"),
        ({"fromId": "a", "toId": "b", "relation": "updates", "invalidAt": -1}, "updates 0.8", "a b - -1"),
        ({"fromId": "ejo3fofwxr", "toId": "t6ivpon3d5"}, "related 0.8", "ejo3 t6ivpon3d5"),
    ],
)
def test_what_is_not_there_is_left_out_at_the_end_and_marked_before_it(edge, kind, text):
    assert pack_edge(edge, IDS) == (kind, text)


@pytest.mark.parametrize("more", [{"edgeType": 255}, {"scope": {"layer": "pov"}}], ids=str)
def test_an_edge_of_which_more_is_to_be_said_stays_an_object(more):
    edge = {"fromId": "a", "toId": "b", **more}

    packed = packed_of([edge])

    assert packed == {"related 0.8": [edge]}
    assert list(unpack_edges(packed, "edges", IDS)) == [(edge, "edges[related 0.8][0]")]


def test_only_an_id_that_begins_like_no_other_is_shortened():
    assert [IDS.short(node) for node in NODES] == ["t6ivpon3d5", "t6ivxxxxxx", "otsw5rzakk", "otsw", "ejo3"]
    assert [IDS.full(IDS.short(node)) for node in NODES] == list(NODES)


def test_edges_in_one_list_are_read_too():
    """So they stood in states before they had lists of their kind."""
    first = {"fromId": "t6ivpon3d5", "toId": "otsw5rzakk", "relation": "related", "strength": 0.25, "source": 17}
    second = {"fromId": "a", "toId": "b", "relation": "updates"}

    found = unpack_edges(["t6ivpon3d5 otsw5rzakk related 0.25 17", second], "edges", IDS)

    assert [edge for edge, _ in found] == [first, second]


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("related 1", ""),
        ("related", "a b"),
        ("related x", "a b"),
        ("related 1", "a b x"),
        ("related 1", "a b 1 2 3"),
        ("is nan", "a b"),
        ("is [1]", "a b"),
    ],
)
def test_a_damaged_edge_is_named_with_its_place(kind, text):
    with pytest.raises(CorruptState, match=r"edges\[.*\]\[1\]"):
        list(unpack_edges({kind: [{}, text]}, "state edges", IDS))


@pytest.mark.parametrize("edges", ["", 7, None, {"related 1": "a b"}, {"related 1": {}}], ids=repr)
def test_what_is_no_list_of_edges_is_named(edges):
    with pytest.raises(CorruptState, match="state edges"):
        list(unpack_edges(edges, "state edges", IDS))

"""Edges as one text each in a state (docs/storage.md, Edge)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from st_bme.errors import CorruptState
from st_bme.graph.codec import KnownMessages, edge_from_json, edge_to_json
from st_bme.graph.json_reader import JsonReader
from st_bme.graph.packed import pack_edge, unpack_edge
from st_bme.model.edge import ENDED_BY_HAND, Edge
from st_bme.model.scope import OBJECTIVE, Scope

KNOWN = KnownMessages(("Aaaaaaaa", "Bbbbbbbb", "Cccccccc"), (0, 4, 5))
SCOPE = Scope("pov", "character", "mira", "Mira")
EDGES = st.builds(
    Edge,
    id=st.just("edge0"),
    from_id=st.text(min_size=1, max_size=3) | st.just("-"),
    to_id=st.sampled_from(("t6ivpon3d5", "-", " ")),
    relation=st.sampled_from(("related", "involved_in", "updates")),
    strength=st.sampled_from((0.0, 0.0001, 0.25, 0.8, 1.0)),
    source=st.sampled_from(("", *KNOWN.keys)),
    edge_type=st.sampled_from((0, 0, 255)),
    scope=st.sampled_from((OBJECTIVE, OBJECTIVE, SCOPE)),
    ended=st.sampled_from(("", ENDED_BY_HAND, *KNOWN.keys)),
)


@given(EDGES)
def test_an_edge_is_read_as_it_was_written(edge):
    packed = pack_edge(edge_to_json(edge, KNOWN, KNOWN.places()))

    assert edge_from_json(JsonReader(unpack_edge(packed, "edge"), "edge"), 0, KNOWN) == edge


@pytest.mark.parametrize(
    ("edge", "text"),
    [
        ({"fromId": "a", "toId": "b"}, "a b related 0.8"),
        ({"fromId": "a", "toId": "b", "strength": 0.25, "source": 17}, "a b related 0.25 17"),
        ({"fromId": "a", "toId": "b", "relation": "updates", "invalidAt": -1}, "a b updates 0.8 - -1"),
    ],
)
def test_what_is_not_there_is_left_out_at_the_end_and_marked_before_it(edge, text):
    assert pack_edge(edge) == text


@pytest.mark.parametrize("more", [{"edgeType": 255}, {"scope": {"layer": "pov"}}], ids=str)
def test_an_edge_of_which_more_is_to_be_said_stays_an_object(more):
    edge = {"fromId": "a", "toId": "b", **more}

    assert pack_edge(edge) == edge == unpack_edge(edge, "edge")


@pytest.mark.parametrize(
    "text",
    ["", "a b related", "a b related x", "a b related 1 x", "a b related 1 2 3 4", "a b is nan", "a b is [1]"],
)
def test_a_damaged_edge_is_named_with_its_place(text):
    with pytest.raises(CorruptState, match=r"edges\[3\]"):
        unpack_edge(text, "state edges[3]")

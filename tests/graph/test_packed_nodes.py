"""What of nodes and anchors a state says once, or elsewhere (docs/storage.md, Node and State)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from st_bme.errors import CorruptState
from st_bme.graph.operation_json import without_defaults
from st_bme.graph.packed_nodes import NodePacking, columns_of_types, without_children_but
from st_bme.graph.packed_records import pack_record, unpack_record
from st_bme.model.story_time import Segment

DAY = Segment("s1", "day 1", 0, "Aaaaaaaa", "after")
PACKING = NodePacking.of(columns_of_types({"event", "character"}), [DAY])
DAY_JSON = {"label": "day 1", "tense": "ongoing", "relation": "after", "segmentId": "s1"}
FIELDS = st.dictionaries(st.sampled_from(("title", "summary", "name", "state", "status", "mood")), st.text(max_size=2))
NODES = st.builds(
    lambda fields, setters, **said: without_defaults(fields=fields, setters=setters(fields), **said),
    id=st.just("n1"),
    type=st.sampled_from(("event", "character", "rule", "beast")),
    fields=FIELDS,
    setters=st.sampled_from(
        [lambda fields, value=value: dict.fromkeys(fields, value) for value in (-2, 3, [1, 2])]
        + [lambda fields: {}, lambda fields: {name: place for place, name in enumerate(fields)}]
    ),
    sources=st.lists(st.integers(0, 9), max_size=3),
    storyTime=st.sampled_from(({}, DAY_JSON, {**DAY_JSON, "tense": "past"}, {"label": "dusk", "segmentId": "s2"})),
    childIds=st.sampled_from(([], ["n2"], ["n2", "n3"])),
)


@given(NODES)
def test_a_node_is_read_as_it_was_written(node):
    packed = PACKING.pack(node)

    assert PACKING.unpack(packed, "node") == node


@given(NODES)
def test_a_node_that_was_not_packed_is_read_as_it_stands(node):
    """So nodes stood in states before."""
    assert PACKING.unpack(node, "node") == node


def test_nothing_is_written_that_the_state_says_anyway():
    node = {"id": "n1", "type": "event", "fields": {"title": "Dawn", "status": "over"}, "storyTime": DAY_JSON}

    packed = PACKING.pack(node | {"setters": {"status": -2, "title": -2}})

    assert packed == {"id": "n1", "fields": ["Dawn", None, None, "over"], "storyTime": "s1", "setters": -2}


@pytest.mark.parametrize(
    ("children", "left"),
    [(["n2"], {"childIds": ["n2"]}), (["n2", "gone"], {"childIds": ["n2"]}), (["gone"], {})],
    ids=str,
)
def test_children_that_are_gone_are_not_named(children, left):
    assert without_children_but({"n2"}, {"id": "n1", "childIds": children}) == {"id": "n1", **left}


@pytest.mark.parametrize(
    ("node", "named"),
    [
        ({"fields": ["a", "b", "c", "d", "e"]}, "4 columns"),
        ({"fields": ["a"], "type": "beast"}, "'beast'"),
        ({"fields": ["a"], "type": [1]}, "'type'"),
        ({"storyTime": "s9"}, "'s9'"),
    ],
    ids=str,
)
def test_what_nothing_in_the_state_explains_is_named(node, named):
    with pytest.raises(CorruptState, match=rf"nodes\[3\].*{named}"):
        PACKING.unpack(node, "state nodes[3]")


KEYS = ("Aaaaaaaa", "Bbbbbbbb")


def test_an_anchor_names_places_of_known_messages_and_keys_of_others():
    record = {"kind": "user", "anchor": ["Bbbbbbbb", "Cccccccc", "Aaaaaaaa"]}

    packed = pack_record(record, {key: place for place, key in enumerate(KEYS)})

    assert packed["anchor"] == [1, "Cccccccc", 0]
    assert unpack_record(packed, KEYS, "tail[0]") == record
    assert unpack_record(record, KEYS, "tail[0]") == record


@pytest.mark.parametrize("place", [-1, 2])
def test_an_anchor_at_no_known_message_is_named(place):
    with pytest.raises(CorruptState, match=rf"tail\[0\].*{place}"):
        unpack_record({"anchor": [0, place]}, KEYS, "tail[0]")

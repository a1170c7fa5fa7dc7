"""States as earlier programs wrote them are read (docs/storage.md, State).

`earlier_states` holds one of all records, one of a tail alone, and this one with its edges as objects. They are not
written anew: no program writes such states any more.
"""

from collections import Counter
from dataclasses import replace
from pathlib import Path

import orjson
import pytest

from st_bme.graph.fold import fold
from st_bme.graph.records import RecordSet
from st_bme.graph.restore import records_to_take
from st_bme.graph.state import Placement, decode_state, encode_state

FOLDER = Path(__file__).parent / "earlier_states"
NAMES = sorted(path.name for path in FOLDER.glob("*.json"))
VIEW_OF_ALL_RECORDS = ("aaaaaaaa", "bbbbbbbb", "cccccccc", "dddddddd")


def read(name):
    return decode_state(orjson.loads((FOLDER / name).read_bytes()))


def told(nodes, edges):
    """Active nodes, and what joins them now."""
    active = {node.id: node for node in nodes if not node.archived}
    joined = [edge for edge in edges if edge.is_current and {edge.from_id, edge.to_id} <= active.keys()]
    return active, Counter(replace(edge, id="") for edge in joined)


@pytest.mark.parametrize("name", NAMES)
def test_what_it_says_of_the_graph_is_what_its_records_make(name):
    state = read(name)

    graph = fold(state.known.keys, RecordSet(records_to_take(state, RecordSet())))

    assert told(state.nodes.values(), state.edges.values()) == told(graph.nodes.values(), graph.edges.values())
    assert state.edges
    assert state.ledgers == graph.ledgers
    assert state.is_complete == (name == "all_records.json")


def test_it_is_read_as_the_one_that_is_written_now():
    before = read("all_records.json")
    records = RecordSet(before.records)
    floors = tuple(range(len(VIEW_OF_ALL_RECORDS)))
    placement = Placement("lineage", "Chat", "ann.png", 3, records.head, floors, "chain", 3)

    now = decode_state(encode_state(fold(VIEW_OF_ALL_RECORDS, records), records, placement))

    assert (now.nodes, now.ledgers) == (before.nodes, before.ledgers)
    assert (now.records, now.head) == (before.records, before.head)
    assert told(now.nodes.values(), now.edges.values()) == told(before.nodes.values(), before.edges.values())


def test_edges_that_were_objects_say_the_same():
    texts, objects = read("tail_alone.json"), read("edges_as_objects.json")

    assert texts.edges == objects.edges
    assert texts.before == objects.before

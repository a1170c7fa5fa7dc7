"""What a copy carries of a base once messages are gone (docs/storage.md, rule 36)."""

import json
from dataclasses import replace

import pytest

from graph.story import off
from graph.test_legacy_import import FLOORS, STATES, VIEW, imported
from st_bme.graph.base_part import GONE, base_part
from st_bme.graph.fold import fold
from st_bme.graph.legacy_import import import_original
from st_bme.graph.records import RecordSet, record_from_json, record_id, record_to_json
from st_bme.graph.state import Placement, decode_state, encode_state


def without(floor):
    return VIEW[:floor] + VIEW[floor + 1 :]


def part_of(base, view):
    """What a copy carries, as it is read back."""
    return record_from_json(json.loads(json.dumps(record_to_json(base_part(base, record_id(base), view)))))


def content(graph):
    """The graph without places of its sources and without ids of edges."""
    nodes = {**graph.nodes, **graph.summaries}
    return nodes, {replace(edge, id="") for edge in graph.edges.values()}, graph.ledgers


@pytest.mark.parametrize("name", STATES)
@pytest.mark.parametrize("gone", [2, 4, 10, 18])
def test_a_part_says_what_the_whole_says_of_the_messages_that_are_there(name, gone):
    base, view = imported(name).base, without(gone)

    part = part_of(base, view)

    whole_graph, part_graph = fold(view, RecordSet([base])), fold(view, RecordSet([part]))
    assert content(part_graph) == content(whole_graph)
    assert part_graph.pending == whole_graph.pending
    assert VIEW[gone] not in part.known


@pytest.mark.parametrize("name", STATES)
@pytest.mark.parametrize("gone", [2, 4, 10, 18])
def test_a_part_beside_its_whole_says_nothing(name, gone):
    base = imported(name).base
    part = part_of(base, without(gone))

    for view in (VIEW, without(gone), without(6)):
        assert content(fold(view, RecordSet([base, part]))) == content(fold(view, RecordSet([base])))


def test_of_two_parts_the_fuller_counts():
    base = imported("v9-en-voyage").base
    fuller, smaller = part_of(base, without(2)), part_of(base, VIEW[4:])

    together = fold(VIEW, RecordSet([fuller, smaller]))

    assert content(together) == content(fold(VIEW, RecordSet([fuller])))


def test_a_message_that_comes_back_to_a_part_is_read_again():
    base = imported("v9-en-voyage").base

    graph = fold(VIEW, RecordSet([part_of(base, without(18))]))

    assert next(floor for floor, pending in enumerate(graph.pending) if pending) == 18
    assert all(node.fields.get("state") != "wounded" for node in graph.nodes.values())


def test_an_import_undone_stays_undone_in_its_part():
    base = imported("v9-en-voyage").base
    part = part_of(base, without(2))

    assert fold(without(2), RecordSet([part, off(2, base)])).nodes == {}


@pytest.mark.parametrize("gone", [2, 18])
def test_nothing_of_a_message_that_is_gone_is_in_the_copy(gone):
    """Captain Roe is wounded by floor 2 or by floor 18."""
    kept, view = RecordSet([imported("v9-en-voyage").base]), without(gone)
    placement = Placement("l", "Chat", "", 1, kept.head, tuple(FLOORS)[:-1], "c", 22)

    state = encode_state(fold(view, kept), kept, placement)

    assert "wounded" not in json.dumps(state)
    assert VIEW[gone] not in json.dumps(state)
    assert content(fold(view, RecordSet(decode_state(state).records))) == content(fold(view, kept))


def test_a_base_with_a_gap_from_the_start_is_carried_whole():
    """A chat that was shorter than its state when it was imported."""
    state = {"version": 3, "lastProcessedSeq": 30, "edges": []}
    state["nodes"] = [{"id": "a", "type": "character", "seq": 30, "seqRange": [2, 30], "fields": {"name": "Ann"}}]

    kept = RecordSet([import_original(state, VIEW, FLOORS).base])
    placement = Placement("l", "Chat", "", 1, kept.head, tuple(FLOORS), "c", 23)

    carried = decode_state(encode_state(fold(VIEW, kept), kept, placement)).records

    assert GONE in kept.all()[0].known
    assert list(carried) == kept.all()

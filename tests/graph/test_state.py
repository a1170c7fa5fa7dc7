"""The copy that travels with the chat, version 10 (docs/storage.md, rules 33 to 37)."""

import copy
import re
from collections import Counter
from dataclasses import replace

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph import strategies
from graph.story import answer, archive, character, edit, event, know, link, region, set_to, time, unlink, update
from scenarios.memory_model import canonical
from st_bme.errors import CorruptState, NewerState
from st_bme.graph.fold import fold
from st_bme.graph.ledger_json import LEDGER_KEYS
from st_bme.graph.ranges import to_ranges
from st_bme.graph.records import RecordSet, Stamp
from st_bme.graph.state import (
    SOFT_LIMIT_BYTES,
    TAIL_ANSWERS,
    TAIL_BYTES,
    Placement,
    decode_state,
    encode_state,
    tail_of,
)
from st_bme.history.keys import short_hash

A, B, C, D = VIEW = ("aaaaaaaa", "bbbbbbbb", "cccccccc", "dddddddd")


def state_of(view, listed, floors=None, **placed):
    kept = RecordSet(listed)
    places = tuple(range(len(view))) if floors is None else floors
    given = Placement("lineage", "Chat", "ann.png", 3, kept.head, places, "chain", max(places, default=-1))
    return encode_state(fold(view, kept), kept, replace(given, **placed))


def plain_edges(edges):
    """Edges as a state tells them: without ids, in no order."""
    return Counter(replace(edge, id="") for edge in edges)


STORY = (
    answer(1, (A, B), character("Ann", state="sad"), character("Bob"), link("Ann", "Bob", cite=1), related=0.25),
    answer(2, (C,), update("Ann", name="Queen", state="glad"), unlink("Ann", "Bob"), event("Dawn", importance=7.5)),
    edit(3, (A, B, C), archive("Bob", None)),
)
SAID_BESIDE = answer(
    4, (D,), time("dawn"), know("Ann", "Bob", "mistaken", belief="a spy"), know("Bob", "Ann", "partial", strength=0.5),
    region("Town", "Pier", who="Ann"), set_to(hp="9"),
)  # fmt: skip


def test_a_state_reads_back_as_the_graph():
    graph = fold(VIEW, RecordSet(STORY))

    decoded = decode_state(orjson.loads(orjson.dumps(state_of(VIEW, STORY))))

    assert list(decoded.nodes.items()) == list(graph.nodes.items())
    assert plain_edges(decoded.edges.values()) == plain_edges(graph.edges.values())
    assert RecordSet(decoded.records).all() == RecordSet(STORY).all()
    assert (decoded.lineage, decoded.chat, decoded.owner, decoded.rev) == ("lineage", "Chat", "ann.png", 3)
    assert decoded.is_complete


@given(
    st.lists(st.one_of(strategies.answers, strategies.edits), max_size=6),
    st.lists(strategies.keys, max_size=8).map(tuple),
)
def test_any_state_reads_back_as_its_graph(listed, view):
    kept = RecordSet(replace(record, stamp=Stamp(n)) for n, record in enumerate(listed, 1))
    graph = fold(view, kept)
    rounded = {key: replace(node, importance=round(node.importance, 4)) for key, node in graph.nodes.items()}

    decoded = decode_state(orjson.loads(orjson.dumps(state_of(view, kept.all()))))

    assert decoded.ledgers == graph.ledgers
    assert list(decoded.nodes.items()) == list(rounded.items())
    assert plain_edges(decoded.edges.values()) == plain_edges(graph.edges.values())
    assert decoded.ledgers == graph.ledgers
    assert canonical(fold(view, RecordSet(decoded.records))) == canonical(graph)


def test_known_names_each_covered_message_once_at_its_first_floor():
    listed = [answer(1, (A,)), answer(2, (C,))]

    state = state_of((A, B, A, C), listed, floors=(0, 2, 3, 7))

    assert state["known"] == A + C
    assert state["knownFloors"] == [[0, 0], [7, 7]]
    assert state["pending"] == [[2, 2]]
    assert state["covered"] == {"floor": 7, "chain": "chain"}


def test_floors_are_written_as_ranges():
    assert to_ranges([0, 1, 2, 5, 7, 8]) == [[0, 2], [5, 5], [7, 8]]
    assert to_ranges([]) == []


def test_a_node_tells_the_places_of_its_messages():
    state = state_of(VIEW, STORY, floors=(0, 4, 5, 9))
    queen = next(node for node in state["nodes"] if "Queen" in node["fields"])

    assert queen["sources"] == [0, 2]
    assert queen["setters"] == 2
    assert queen["formerNames"] == ["Ann"]


def test_only_what_differs_from_the_default_is_written():
    (node,) = state_of((A,), [answer(1, (A,), event("Dawn"))])["nodes"]

    assert node.keys() == {"id", "fields", "sources"}


def test_an_ended_edge_tells_the_floor_of_its_end():
    edges = state_of(VIEW, STORY, floors=(0, 4, 5, 9))["edges"]

    assert [edge.split()[3] for edge in edges["involved_in 0.8"]] == ["5"]


def test_an_edge_that_the_user_ended_stays_ended():
    listed = [
        answer(1, (A,), character("Ann"), character("Bob"), link("Ann", "Bob")),
        edit(2, (A,), unlink("Ann", "Bob", cite=None)),
    ]

    state = state_of((A,), listed)

    assert [edge.split()[3] for edge in state["edges"]["involved_in 0.8"]] == ["-1"]
    assert [edge.is_current for edge in decode_state(state).edges.values()] == [False]


def test_a_recall_and_aliases_are_carried():
    state = state_of((A,), [answer(1, (A,))], last_recall=("x", "y"), aliases={B: A})

    assert state["lastRecallResult"] == ["x", "y"]
    assert decode_state(state).aliases == {B: A}


def test_an_empty_graph_is_an_empty_state_that_reads_back():
    state = state_of((), ())

    assert (state["nodes"], state["edges"], state["tail"], state["known"]) == ([], {}, [], "")
    assert decode_state(state).is_complete


def test_the_state_has_no_vectors_and_no_secrets():
    text = orjson.dumps(state_of(VIEW, STORY)).decode().lower()

    assert not re.search(r"[-0-9.]+(?:,[-0-9.]+){8}", text), "a vector would be a long list of numbers"
    for word in ("embedding", "vector", "token", "http", "api_key", "apikey", "password", "/home", "localhost"):
        assert word not in text


REQUIRED = ("version", "lineage", "rev", "head", "known", "knownFloors", "nodes", "edges", "tail")


@pytest.mark.parametrize("key", REQUIRED)
def test_a_state_without_a_part_is_corrupt_and_never_empty(key):
    state = state_of(VIEW, STORY)
    del state[key]

    with pytest.raises(CorruptState, match=re.escape(repr(key))):
        decode_state(state)


@pytest.mark.parametrize("value", [1.5, True, {"name": [1]}, ["x", 1]], ids=repr)
@pytest.mark.parametrize("key", [*REQUIRED, "chat", "aliases"])
def test_a_damaged_part_is_named(key, value):
    state = state_of(VIEW, STORY) | {key: value}

    with pytest.raises(CorruptState, match=f"state.*{key}"):
        decode_state(state)


def _read_paths(value, path=()):
    """Path of everything inside nodes, edges and records, but for what is only shown."""
    entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in entries:
        if key != "archived":
            yield (*path, key)
            yield from _read_paths(inner, (*path, key))


_STATE = state_of(VIEW, (*STORY, SAID_BESIDE))
_INSIDE = [(part, *path) for part in ("nodes", "edges", "tail", *LEDGER_KEYS) for path in _read_paths(_STATE[part])]


@pytest.mark.parametrize("path", _INSIDE, ids=lambda path: ".".join(map(str, path)))
def test_a_damaged_value_at_any_depth_is_named_with_its_place(path):
    state = copy.deepcopy(_STATE)
    inner = state
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = [[{}]]
    keys = [key for key in path[2:] if isinstance(key, str)]

    with pytest.raises(CorruptState) as raised:
        decode_state(state)
    assert f"{path[0]}[{path[1]}]" in str(raised.value)
    assert not keys or any(key in str(raised.value) for key in keys)


@pytest.mark.parametrize("value", [None, [], "", 7])
def test_what_is_no_object_is_no_state(value):
    with pytest.raises(CorruptState, match="no JSON object"):
        decode_state(value)


def test_a_newer_version_is_told_apart_from_damage():
    with pytest.raises(NewerState, match="version 11"):
        decode_state(state_of(VIEW, STORY) | {"version": 11, "nodes": "in some other form"})


@pytest.mark.parametrize("version", [0, 3, 9])
def test_an_older_version_is_not_read_as_ours(version):
    with pytest.raises(CorruptState, match=f"version {version}"):
        decode_state(state_of(VIEW, STORY) | {"version": version})


@pytest.mark.parametrize(
    "floors", [[[3, 1]], [[0, 0], [0, 0]], [[5, 6], [1, 2]], [[-1, 0]], [[0, 10_000_001]], [[0]], [["0", "1"]], [0, 1]]
)
def test_floors_that_are_no_ascending_pairs_are_named(floors):
    with pytest.raises(CorruptState, match="knownFloors"):
        decode_state(state_of(VIEW, STORY) | {"knownFloors": floors})


def test_an_id_that_stands_for_two_nodes_is_named():
    first, *others = _STATE["nodes"]
    state = _STATE | {"nodes": [first, *others, first]}

    with pytest.raises(CorruptState, match=f"more than one node, '{first['id']}'"):
        decode_state(state)


@pytest.mark.parametrize("key", ["knownFloors", "newMessages", "wasPending", "newNodes", "newEdges"])
def test_a_pair_names_no_more_than_there_can_be(key):
    with pytest.raises(CorruptState, match=f"{key}.*more than"):
        decode_state(state_of(VIEW, STORY) | {"was": [], key: [[0, 9_999_999]]})


@pytest.mark.parametrize("known", ["aaaaaaa", "aaaaaaaabbbbbbbb", ""])
def test_messages_that_do_not_fit_their_floors_are_named(known):
    with pytest.raises(CorruptState, match="known"):
        decode_state(state_of(VIEW, STORY) | {"known": known})


def test_a_source_that_is_no_known_message_is_named():
    state = copy.deepcopy(_STATE)
    state["nodes"][1]["sources"] = [99]

    with pytest.raises(CorruptState, match=r"nodes\[1\].*99"):
        decode_state(state)


def long_story(answers, words):
    view = tuple(short_hash(str(number)) for number in range(answers))
    return view, [answer(n + 1, (key,), event(f"{n} {'word ' * words}")) for n, key in enumerate(view)]


def test_the_tail_is_all_records_while_they_fit():
    _, listed = long_story(200, 10)

    assert len(tail_of(listed, SOFT_LIMIT_BYTES, {})) == 200


def test_above_the_limit_the_tail_is_the_newest_answers_and_what_came_after_the_first_of_them():
    view, listed = long_story(200, 10)
    listed.insert(150, edit(150, view[:150], archive("x", None)))

    tail = tail_of(listed, 20_000, {})

    assert [record["n"] for record in tail] == [record.stamp.n for record in listed[-len(tail) :]]
    assert sum(record["kind"] == "answer" for record in tail) <= TAIL_ANSWERS
    assert len(tail) == TAIL_ANSWERS + 1


def test_a_graph_beyond_the_limit_still_has_its_tail():
    _, listed = long_story(200, 10)

    assert len(tail_of(listed, -500_000, {})) == TAIL_ANSWERS


def test_above_the_limit_the_tail_stays_within_its_bytes():
    _, listed = long_story(400, 2_000)

    tail = tail_of(listed, SOFT_LIMIT_BYTES, {})

    assert 0 < len(orjson.dumps(tail)) <= TAIL_BYTES
    assert len(tail) < TAIL_ANSWERS


def test_a_state_at_the_limit_stays_below_it():
    view, listed = long_story(1_500, 50)

    state = state_of(view, listed)

    assert len(orjson.dumps(state)) <= SOFT_LIMIT_BYTES
    assert not decode_state(state).is_complete

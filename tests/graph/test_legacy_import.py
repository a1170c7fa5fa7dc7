"""States of the original ST-BME, version 1 to 9, become a base (docs/storage.md, rule 39).

The files in legacy_states are written for these tests, in the original's shape and with what is known to be broken in
such states. The chat has 24 messages, floors 0 to 23.
"""

import json
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from graph.story import answer, character, event, find
from st_bme.errors import CorruptState
from st_bme.graph.fold import fold
from st_bme.graph.ids import segment_id
from st_bme.graph.legacy_import import import_original
from st_bme.graph.records import RecordSet, record_from_json, record_id, record_to_json
from st_bme.graph.state import Placement, decode_state, encode_state
from st_bme.model.node import SET_BY_ALL
from st_bme.model.scope import Scope
from st_bme.model.story_time import StoryTime

VIEW = tuple(f"m{floor:07}" for floor in range(24))
FLOORS = range(24)
FOLDER = Path(__file__).parent / "legacy_states"


@dataclass(frozen=True)
class Counts:
    """What is in the file, and what the whole chat has of it."""

    nodes: int
    active: int
    edges: int
    covered: int
    graph: tuple[int, int, int]  # nodes, active nodes, edges that hold
    mended: dict = field(default_factory=dict)
    left: dict = field(default_factory=dict)


STATES = {
    "v1-en-lighthouse": Counts(3, 3, 3, 5, (3, 3, 2), {"dangling_edges": 1, "embeddings": 3}),
    "v2-zh-clock-tower": Counts(4, 4, 2, 7, (4, 4, 2), {"embeddings": 4}),
    "v3-en-harbor": Counts(4, 4, 3, 9, (4, 4, 2), {"dangling_edges": 1, "embeddings": 4, "floors": 1, "numbers": 3}),
    "v4-zh-inn": Counts(5, 4, 6, 11, (5, 4, 4), {"duplicate_edges": 1, "embeddings": 5}),
    "v5-en-caravan": Counts(6, 3, 3, 15, (6, 3, 3), {"embeddings": 6, "lost_relatives": 1}, {"batches": 2}),
    "v6-zh-sect": Counts(6, 6, 2, 13, (6, 6, 2), {"embeddings": 6}),
    "v7-en-school": Counts(
        6,
        6,
        4,
        17,
        (4, 4, 2),
        {"dangling_edges": 1, "duplicate_edges": 1, "duplicates": 2, "embeddings": 6, "unknown_types": 1},
        {"maintenance": 1, "regions": 2},
    ),
    "v8-zh-palace": Counts(5, 5, 4, 21, (4, 4, 3), {"beyond_chat": 1, "dangling_edges": 1, "embeddings": 4}),
    "v9-en-voyage": Counts(4, 4, 4, 19, (4, 4, 3), {"embeddings": 4, "summaries": 1}, {"evolution": 1}),
    "v9-zh-street": Counts(
        6,
        5,
        4,
        23,
        (4, 4, 1),
        {"dangling_edges": 3, "duplicates": 1, "empty_nodes": 1, "floors": 1, "numbers": 1, "unreadable": 1},
    ),
}


def read(name):
    return json.loads((FOLDER / f"{name}.json").read_text("utf-8"))


def imported(name):
    return import_original(read(name), VIEW, FLOORS)


def graph_of(name, view=VIEW, *more):
    return fold(view, RecordSet([imported(name).base, *more]))


def texts(graph):
    return " ".join(said for node in graph.nodes.values() for said in node.fields.values())


def test_the_ten_states_are_here():
    assert {path.stem for path in FOLDER.iterdir()} == set(STATES)


@pytest.mark.parametrize("name", STATES)
def test_a_state_is_imported_with_its_counts(name):
    told, report = STATES[name], imported(name).report

    graph = graph_of(name)

    assert report.version == int(name[1])
    assert (report.nodes, report.active, report.edges, report.covered) == (
        told.nodes,
        told.active,
        told.edges,
        told.covered,
    )
    assert (report.mended, report.left) == (told.mended, told.left)
    assert (len(graph.nodes), len(graph.active_nodes()), len(graph.current_edges())) == told.graph
    assert graph.pending == (False,) * told.covered + (True,) * (24 - told.covered)


@pytest.mark.parametrize("name", STATES)
def test_an_import_is_one_record_wherever_it_is_made(name):
    base = imported(name).base

    assert record_from_json(record_to_json(base)) == base
    assert record_id(base) == record_id(imported(name).base)


@pytest.mark.parametrize("name", STATES)
def test_no_vector_is_taken_over(name):
    written = json.dumps(record_to_json(imported(name).base))

    assert "embedding" not in written
    assert "0.0123" not in written


@pytest.mark.parametrize("name", STATES)
def test_an_import_travels_in_the_state(name):
    kept = RecordSet([imported(name).base])
    graph = fold(VIEW, kept)
    placement = Placement("l", "Chat", "", 1, kept.head, tuple(FLOORS), "c", 23)

    decoded = decode_state(json.loads(json.dumps(encode_state(graph, kept, placement))))

    assert decoded.is_complete
    assert fold(VIEW, RecordSet(decoded.records)) == graph
    assert decoded.nodes == graph.nodes


@pytest.mark.parametrize("name", STATES)
@pytest.mark.parametrize("gone", FLOORS)
def test_nothing_shows_of_a_node_whose_messages_are_gone(name, gone):
    """The first and the last message of a node are all that its state knows."""
    view = VIEW[:gone] + VIEW[gone + 1 :]

    graph = graph_of(name, view)

    for node in graph.nodes.values():
        assert VIEW[gone] not in node.sources
        assert set(node.sources) <= set(view)
    whole = graph_of(name).nodes
    lost = [node for node in whole.values() if node.sources == (VIEW[gone],)]
    assert not {node.id for node in lost} & set(graph.nodes)


def test_a_field_shows_while_first_and_last_message_are_there():
    """Captain Roe: floors 2 to 18. Which of them told that he is wounded, the state does not say."""
    roe = find(graph_of("v9-en-voyage"), "Captain Roe")

    assert (roe.fields["state"], roe.sources, roe.setters) == ("wounded", (VIEW[2], VIEW[18]), {"state": SET_BY_ALL})
    for gone in (2, 18):
        left = find(graph_of("v9-en-voyage", VIEW[:gone] + VIEW[gone + 1 :]), "Captain Roe")
        assert left.fields == {"name": "Captain Roe"}


def test_numbers_lists_and_ranges_that_are_broken_are_read_as_what_they_mean():
    graph = graph_of("v3-en-harbor")

    ilse = find(graph, "Ilse")
    assert (ilse.fields["inventory"], ilse.fields["age"], ilse.importance) == ("rope, lantern", "41", 8.0)
    assert [edge.strength for edge in graph.current_edges() if edge.relation == "involved_in"] == [0.9]
    assert find(graph, "A pilot takes the job").sources == (VIEW[6],)
    assert imported("v3-en-harbor").access == {find(graph, "A pilot takes the job").id: 3}
    assert imported("v3-en-harbor").last_recall == (ilse.id, find(graph, "A pilot takes the job").id)


def test_edges_told_twice_are_one_and_ended_ones_stay_ended():
    graph = graph_of("v4-zh-inn")

    between = [edge for edge in graph.current_edges() if edge.relation == "related"]
    against = [edge for edge in graph.current_edges() if edge.relation == "contradicts"]
    assert [edge.strength for edge in between] == [0.7]
    assert [edge.edge_type for edge in against] == [255]
    assert [edge.relation for edge in graph.edges.values() if not edge.is_current] == ["involved_in"]


def test_what_was_compressed_needs_all_messages_of_its_parts():
    whole, without_one = graph_of("v5-en-caravan"), graph_of("v5-en-caravan", VIEW[:8] + VIEW[9:])

    (product,) = [node for node in whole.nodes.values() if node.level]
    assert product.sources == (VIEW[4], VIEW[8], VIEW[10])
    assert {whole.nodes[child].parent_id for child in product.child_ids} == {product.id}
    assert {node.name for node in without_one.active_nodes()} == {
        "The caravan leaves at dawn",
        "Bandits watch from the ridge",
        "Camp at the dry well",
        "Tomas",
    }


def test_points_of_view_stay_points_of_view():
    graph = graph_of("v6-zh-sect")

    scopes = [node.scope for node in graph.nodes.values() if node.type == "pov_memory"]
    assert scopes == [
        Scope("pov", "character", "洛青", "洛青"),
        Scope("pov", "user", "玩家", "玩家"),
        Scope("pov"),
    ]
    assert find(graph, "洛青").scope == Scope(region_primary="后山", region_path=("云隐宗", "后山"))


def test_two_nodes_of_one_name_become_one():
    mia = find(graph_of("v7-en-school"), "mia ")

    assert mia.fields == {
        "name": "mia ",
        "traits": "curious",
        "state": "thrilled",
        "goal": "open the locked room",
    }
    assert mia.sources == (VIEW[2], VIEW[10])


def test_a_type_of_the_users_own_is_kept():
    key = next(node for node in graph_of("v7-en-school").nodes.values() if node.type == "artifact")

    assert key.fields == {"label": "Brass key", "power": "opens one door a day"}


def test_story_times_are_taken_over():
    graph = graph_of("v8-zh-palace")

    times = {node.fields.get("title", node.name): node.story_time for node in graph.nodes.values()}
    night, morning = (segment_id(label) for label in ("入宫当夜", "次日清晨"))
    assert times == {
        "入宫": StoryTime("入宫当夜", "ongoing", "after", "", "high", night),
        "请安": StoryTime("次日清晨", "unknown", "after", "入宫当夜", "high", morning),
        "遗诏的下落": StoryTime("入宫当夜", segment_id=night, end_label="次日清晨", end_segment_id=morning),
        "苏绾": None,
    }


def test_summaries_need_the_stretch_that_they_condense():
    whole, without_one = graph_of("v9-en-voyage"), graph_of("v9-en-voyage", VIEW[:3] + VIEW[4:])

    assert [summary.name for summary in whole.frontier()] == ["They sail and lose the mast.", "The mutiny begins."]
    assert [summary.name for summary in without_one.frontier()] == ["A storm takes the mast.", "The mutiny begins."]


def test_floors_follow_the_chat_as_it_stands():
    """A hidden note at floor 3 does not count; floor 4 is the fourth message that does."""
    floors = (0, 1, 2, 4, 5, 6)

    found = import_original(read("v1-en-lighthouse"), VIEW[:6], floors)

    ship = next(node for node in found.base.nodes if node.type == "event")
    assert ship.sources == (VIEW[3],)
    assert found.report.covered == 4


def test_a_chat_that_became_shorter_shows_nothing_of_what_it_lost():
    view = VIEW[:10]

    found = import_original(read("v9-en-voyage"), view, range(10))

    graph = fold(view, RecordSet([found.base]))
    assert {node.name for node in graph.nodes.values()} == {"Captain Roe", "Deck"}
    assert "wounded" not in texts(graph)
    assert [summary.name for summary in graph.summaries.values()] == ["The crew loads the ship."]


def test_nodes_behind_the_last_read_floor_show_and_their_messages_are_read_again():
    state = read("v9-en-voyage") | {"lastProcessedSeq": 12}

    found = import_original(state, VIEW, FLOORS)

    graph = fold(VIEW, RecordSet([found.base]))
    assert find(graph, "Captain Roe").fields["state"] == "wounded"
    assert [floor for floor, pending in enumerate(graph.pending) if pending] == list(range(13, 24))


def test_the_chat_goes_on_from_an_import():
    more = answer(2, VIEW[19:20], character("captain roe", state="healed"), event("Roe gets up"))

    graph = graph_of("v9-en-voyage", VIEW, more)

    assert [node.fields["state"] for node in graph.nodes.values() if node.type == "character"] == ["healed"]
    assert "Captain Roe: state: wounded -> healed" in texts(graph)


def test_a_state_may_come_as_a_text():
    state = read("v3-en-harbor")

    assert import_original(json.dumps(state), VIEW, FLOORS) == import_original(state, VIEW, FLOORS)


@pytest.mark.parametrize(
    "damage",
    [
        "{",
        "",
        [],
        7,
        {},
        {"version": 9},
        {"version": 9, "nodes": [], "edges": None},
        {"version": 9, "nodes": {}, "edges": []},
        {"nodes": [], "edges": []},
        {"version": 0, "nodes": [], "edges": []},
        {"version": 10, "nodes": [], "edges": []},
        {"version": "new", "nodes": [], "edges": []},
        '{"version": 3, "nodes": [{"importance": NaN}], "edges": []}',
    ],
    ids=repr,
)
def test_what_cannot_be_read_is_no_empty_graph(damage):
    with pytest.raises(CorruptState):
        import_original(damage, VIEW, FLOORS)


def test_half_characters_do_not_break_a_state():
    state = {"version": 3, "lastProcessedSeq": 2, "edges": []}
    state["nodes"] = [
        {"id": "a", "type": "event", "seq": 2, "fields": {"summary": "half \ud83d", "x": {"y": "\udc00"}}}
    ]

    (node,) = import_original(state, VIEW, FLOORS).base.nodes

    assert node.fields == {"summary": "half \ufffd", "x": '{"y": "\ufffd"}'}

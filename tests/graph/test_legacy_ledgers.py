"""Timeline, knowledge and the scene of a state of the original ST-BME (docs/storage.md, rule 39)."""

from graph.test_legacy_import import FLOORS, VIEW, graph_of, read
from st_bme.graph.legacy_import import import_original


def test_the_timeline_is_taken_over():
    timeline = graph_of("v8-zh-palace").ledgers.timeline()

    assert [(segment.label, segment.order, segment.is_now) for segment in timeline] == [
        ("入宫当夜", 1, False),
        ("次日清晨", 2, True),
    ]


def test_a_segment_is_gone_with_the_memory_that_told_of_it():
    whole = graph_of("v8-zh-palace").ledgers
    morning = next(segment for segment in whole.timeline() if segment.label == "次日清晨")

    without = graph_of("v8-zh-palace", tuple(key for key in VIEW if key != morning.source)).ledgers

    assert "次日清晨" not in {segment.label for segment in without.timeline()}


def test_who_knows_what_is_taken_over_with_the_messages_of_the_memories():
    graph = graph_of("v7-en-school")

    (said,) = graph.ledgers.knowledge.values()

    assert (said.owner, said.owner_name, said.stance) == ("character:mia", "Mia", "known")
    assert said.source == graph.nodes[said.node_id].sources[-1]
    assert not graph_of("v7-en-school", tuple(key for key in VIEW if key != said.source)).ledgers.knowledge


def test_every_stance_of_the_original_has_one_of_ours():
    state = read("v7-en-school")
    ids = [entry["id"] for entry in state["nodes"] if not entry.get("archived")]
    said = ("knownNodeIds", "mistakenNodeIds", "manualHiddenNodeIds", "manualKnownNodeIds")
    owner = {"ownerName": "Mia", **{name: [identity] for name, identity in zip(said, ids, strict=False)}}
    owner["visibilityScores"] = {ids[0]: 1, ids[4]: 0.4, "nobody": 1, ids[1]: 0.9}
    state["knowledgeState"] = {"owners": {f"character:mia#{ids[0]}": owner}}

    found = import_original(state, VIEW, FLOORS).base.ledgers.knowledge.values()

    told = {said.stance: (said.source == "", said.visibility) for said in found}
    assert told.items() >= {"mistaken": (False, 0.0), "hidden": (True, 0.0)}.items()
    assert {said.owner for said in found} == {"character:mia"}


def test_the_scene_is_where_a_memory_tells_of_the_place():
    state = read("v9-en-voyage")
    scopes = (entry.get("scope", {}) for entry in state["nodes"])
    places = [scope["regionPrimary"] for scope in scopes if scope.get("regionPrimary")]
    state["historyState"]["activeRegion"] = places[0]

    told = import_original(state, VIEW, FLOORS).base.ledgers.active_region()
    state["historyState"]["activeRegion"] = "a place that no memory names"

    assert told == places[0]
    assert import_original(state, VIEW, FLOORS).base.ledgers.active_region() == ""

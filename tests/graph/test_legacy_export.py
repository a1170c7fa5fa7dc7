"""Our graph as a state of the original ST-BME, and back (docs/storage.md, rule 39)."""

import json
from dataclasses import replace

import pytest

from graph.golden_stories import STORIES
from graph.story import answer, character, event, find, link, told, unlink
from st_bme.graph.fold import fold
from st_bme.graph.legacy_export import ExportPlace, export_original
from st_bme.graph.legacy_import import import_original
from st_bme.graph.records import RecordSet

NOW = 1_760_000_000_000
# What a state of the original has, at the top and in a node and an edge.
TOP = {
    "version",
    "lastProcessedSeq",
    "nodes",
    "edges",
    "lastRecallResult",
    "historyState",
    "vectorIndexState",
    "batchJournal",
    "maintenanceJournal",
    "knowledgeState",
    "regionState",
    "timelineState",
    "summaryState",
}


def exported(graph, **said):
    floors = tuple(range(len(graph.view)))
    return json.loads(export_original(graph, ExportPlace("Chat", floors, len(floors) - 1, NOW, **said)))


def again(graph, state):
    """The graph that an import of this state makes over the same chat."""
    view = tuple(f"message{key}" for key in graph.view)
    return fold(view, RecordSet([import_original(state, view, range(len(view))).base]))


def told_time(node, segments):
    """The time in words: those of the segment where the memory has none of its own."""
    time = node.story_time
    if time is None:
        return None
    words = (time.label, time.segment_id), (time.end_label, time.end_segment_id)
    start, end = (said or (segments[identity].label if identity else "") for said, identity in words)
    return replace(time, label=start, end_label=end)


def content(graph):
    """Active nodes and the edges between them, without what the original does not note: setters, mentions, keys."""
    nodes = {
        node.id: (
            node.type,
            node.fields,
            node.importance,
            node.scope,
            told_time(node, graph.ledgers.segments),
            node.clusters,
            node.level,
        )
        for node in (*graph.active_nodes(), *graph.frontier())
    }
    edges = {
        (edge.from_id, edge.to_id, edge.relation, edge.strength, edge.edge_type, edge.scope)
        for edge in graph.current_edges()
        if edge.from_id in nodes and edge.to_id in nodes
    }
    return nodes, edges


@pytest.mark.parametrize("name", STORIES)
def test_an_export_comes_back_with_the_same_active_nodes_and_edges(name):
    view, listed = STORIES[name]
    graph = told(view, *listed)

    back = content(again(graph, exported(graph)))

    assert back == content(graph)
    assert content(graph)[0]


def test_an_export_has_all_that_the_original_reads():
    graph = told(
        "ab", answer(1, "ab", character("Ann", 1, state="glad"), event("Dawn"), link("Ann", "Dawn"), related=0.25)
    )

    state = exported(graph, access={graph.active_nodes()[0].id: 4}, last_recall=("x",))

    assert set(state) == TOP
    assert (state["version"], state["lastProcessedSeq"], state["lastRecallResult"]) == (9, 1, ["x"])
    dawn, ann = state["nodes"]
    assert (dawn["seq"], dawn["seqRange"], ann["seq"], ann["seqRange"]) == (0, [0, 0], 1, [1, 1])
    assert (dawn["accessCount"], dawn["embedding"], dawn["createdTime"]) == (4, None, NOW)
    assert state["historyState"]["lastProcessedAssistantFloor"] == 1
    assert state["historyState"]["processedMessageHashesNeedRefresh"] is True
    assert state["vectorIndexState"]["dirty"] is True


def test_nodes_and_edges_have_the_original_s_fields():
    graph = told("a", answer(1, "a", character("Ann", 0, state="glad"), event("Dawn"), related=0.25))

    state = exported(graph)

    dawn, edge = state["nodes"][-1], state["edges"][0]
    links = {"parentId", "childIds", "prevId", "nextId"}
    times = {"createdTime", "lastAccessTime", "accessCount", "updatedAt"}
    said = {"id", "type", "level", "fields", "seq", "seqRange", "importance", "archived", "embedding", "clusters"}
    assert said | times | links | {"scope"} <= set(dawn)
    assert {"id", "fromId", "toId", "relation", "strength", "edgeType", "scope"} <= set(edge)
    assert {"createdTime", "validAt", "invalidAt", "expiredAt"} <= set(edge)


def test_events_are_chained_in_the_order_of_the_story():
    graph = told("abc", *(answer(n, key, event(key)) for n, key in enumerate("abc", 1)))

    nodes = exported(graph)["nodes"]

    ids = [node["id"] for node in nodes]
    assert [(node["prevId"], node["nextId"]) for node in nodes] == [(None, ids[1]), (ids[0], ids[2]), (ids[1], None)]


def test_ended_edges_say_so():
    listed = [
        answer(1, "a", character("Ann"), character("Bob"), link("Ann", "Bob")),
        answer(2, "b", unlink("Ann", "Bob")),
    ]
    graph = told("ab", *listed)

    (edge,) = exported(graph)["edges"]

    assert edge["invalidAt"] == NOW
    assert again(graph, exported(graph)).current_edges() == []


def test_an_export_is_laid_out_for_reading():
    text = export_original(told("a", answer(1, "a", event("晨"))), ExportPlace("Chat", (0,), 0, NOW))

    assert '\n  "version": 9,\n' in text
    assert "晨" in text


def test_accesses_and_the_last_recall_come_back():
    graph = told("a", answer(1, "a", event("Dawn")))
    dawn = find(graph, "Dawn").id

    found = import_original(exported(graph, access={dawn: 3}, last_recall=(dawn,)), ("messagea",), (0,))

    assert (found.access, found.last_recall) == ({dawn: 3}, (dawn,))


@pytest.mark.parametrize("name", STORIES)
def test_timeline_and_knowledge_come_back(name):
    """What is tied to a memory; places that lie beside each other and variables have no home there."""
    view, listed = STORIES[name]
    graph = told(view, *listed)

    back = again(graph, exported(graph))

    def timeline(ledgers):
        return [(segment.label, segment.order, segment.relation, segment.is_now) for segment in ledgers.timeline()]

    def knowledge(ledgers):
        return {(said.owner, said.node_id, said.stance, said.visibility) for said in ledgers.knowledge.values()}

    assert timeline(back.ledgers) == timeline(graph.ledgers)
    assert knowledge(back.ledgers) == knowledge(graph.ledgers)

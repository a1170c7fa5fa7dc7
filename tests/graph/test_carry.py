"""What a chat takes over from another one."""

from graph.story import answer, character, event, link, told
from st_bme.graph.carry import carry
from st_bme.graph.fold import fold
from st_bme.graph.records import RecordSet, Stamp, UserEdit

THEY_MET, RAIN = event("They met", importance=8.0), event("Rain", importance=2.0)
OLD = told("a", answer(1, "a", character("Ann", mood="glad"), THEY_MET, RAIN))
NOTHING = told("")


def brought(operations, view="", *records):
    """The graph of a chat that begins with these operations."""
    return fold(tuple(view), RecordSet([*records, UserEdit(Stamp(100), "bring", tuple(operations), ())]))


def said(graph):
    return sorted((node.type, node.name, node.importance) for node in graph.active_nodes())


def test_memories_and_relations_come_along_without_any_message():
    old = told("a", answer(1, "a", character("Ann"), character("Bo"), link("Ann", "Bo", "related")))

    new = brought(carry(old, NOTHING))

    assert said(new) == said(old)
    assert [(edge.relation, edge.source) for edge in new.current_edges()] == [("related", "")]
    assert all(node.sources == () and node.user_edited for node in new.nodes.values())


def test_what_is_known_word_by_word_is_not_taken_over_again():
    once = brought(carry(OLD, NOTHING))

    assert carry(OLD, once) == []


def test_what_matters_least_is_left_out_where_there_is_too_much():
    operations = carry(OLD, NOTHING, most=2)

    assert [operation.fields for operation in operations] == [{"name": "Ann", "mood": "glad"}, {"summary": "They met"}]


def test_someone_whom_the_new_chat_knows_by_name_stays_one():
    new = brought(carry(OLD, NOTHING), "x", answer(1, "x", character("Ann", mood="sad")))

    [ann] = [node for node in new.active_nodes() if node.type == "character"]
    assert ann.fields["mood"] == "glad"


def test_what_is_said_later_holds():
    new = brought(carry(OLD, NOTHING), "xy", answer(1, "y", character("Ann", mood="sad")))

    [ann] = [node for node in new.active_nodes() if node.type == "character"]
    assert ann.fields["mood"] == "sad"

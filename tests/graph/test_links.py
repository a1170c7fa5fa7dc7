"""Edges that operations make and end."""

import pytest

from graph.story import answer, character, edit, joined, link, named, reasons, told, unlink, update
from st_bme.model.operation import Operation, Target


def crowd(*names, related=0.25):
    return answer(1, "a", *(character(name) for name in names), related=related)


PAIR = answer(1, "a", character("Ann"), character("Bob"))


def test_links_come_after_all_nodes_of_the_message():
    graph = told("a", answer(1, "a", link("Ann", "Bob"), character("Ann"), character("Bob")))

    assert joined(graph) == {("Ann", "involved_in", "Bob")}
    assert reasons(graph) == []


def test_a_link_to_nobody_is_dropped():
    assert reasons(told("a", answer(1, "a", character("Ann"), link("Ann", "Bob")))) == ["target_missing"]


def test_a_link_of_a_node_with_itself_is_dropped():
    assert reasons(told("a", answer(1, "a", character("Ann"), link("Ann", "Ann")))) == ["self_link"]


def test_a_link_told_twice_is_one_edge_of_the_higher_strength():
    def told_with(strength):
        return Operation("link", 0, target=named("Ann"), to=named("Bob"), relation="advances", strength=strength)

    graph = told("abc", PAIR, answer(2, "b", told_with(0.4)), answer(3, "c", told_with(0.3)))

    assert [(edge.strength, edge.source) for edge in graph.edges.values()] == [(0.4, "b")]


@pytest.mark.parametrize(
    "relation",
    [
        "related",
        "involved_in",
        "occurred_at",
        "advances",
        "updates",
        "contradicts",
        "evolves",
        "temporal_update",
    ],
)
def test_a_link_is_of_the_relation_that_was_said(relation):
    graph = told("a", answer(1, "a", character("Ann"), character("Bob"), link("Ann", "Bob", relation)))

    assert [edge.relation for edge in graph.current_edges()] == [relation]


def test_an_unknown_relation_is_related():
    assert joined(told("ab", PAIR, answer(2, "b", link("Ann", "Bob", "adores")))) == {("Ann", "related", "Bob")}


def test_a_contradiction_inhibits():
    graph = told("ab", PAIR, answer(2, "b", link("Ann", "Bob", "contradicts")))

    assert [(edge.edge_type, edge.strength) for edge in graph.edges.values()] == [(255, 0.8)]


def test_an_unlink_by_an_unknown_relation_ends_what_such_a_link_made():
    graph = told(
        "abc", PAIR, answer(2, "b", link("Ann", "Bob", "adores")), answer(3, "c", unlink("Ann", "Bob", "adores"))
    )

    assert joined(graph) == set()


def test_an_unlink_of_what_is_not_joined_is_dropped():
    assert reasons(told("ab", PAIR, answer(2, "b", unlink("Ann", "Bob")))) == ["edge_missing"]


@pytest.mark.parametrize("ends", [("Ann", "Bob"), ("Bob", "Ann")])
def test_an_unlink_ends_the_edge_from_either_side(ends):
    graph = told("abc", PAIR, answer(2, "b", link("Ann", "Bob")), answer(3, "c", unlink(*ends)))

    assert joined(graph) == set()
    assert [edge.ended for edge in graph.edges.values()] == ["c"]


def test_the_user_ends_an_edge():
    graph = told("ab", PAIR, answer(2, "b", link("Ann", "Bob")), edit(3, "ab", unlink("Ann", "Bob", cite=None)))

    assert joined(graph) == set()


def test_an_edge_that_ended_and_is_told_again_is_a_new_one():
    listed = [
        answer(2, "b", link("Ann", "Bob")),
        answer(3, "c", unlink("Ann", "Bob")),
        answer(4, "d", link("Ann", "Bob")),
    ]

    graph = told("abcd", PAIR, *listed)

    assert [edge.is_current for edge in graph.edges.values()] == [False, True]
    assert len(graph.edges) == 2


def test_without_the_message_that_ended_it_the_edge_holds():
    listed = [answer(2, "b", link("Ann", "Bob")), answer(3, "c", unlink("Ann", "Bob"))]

    assert joined(told("ab", PAIR, *listed)) == {("Ann", "involved_in", "Bob")}


def test_what_one_message_made_is_related():
    graph = told("a", crowd("Ann", "Bob"))

    assert joined(graph) == {("Ann", "related", "Bob")}
    assert [edge.strength for edge in graph.edges.values()] == [0.25]


def test_no_node_gets_more_than_two_default_edges():
    graph = told("a", crowd(*(f"C{number}" for number in range(9))))

    ends = [end for edge in graph.edges.values() for end in (edge.from_id, edge.to_id)]
    assert {ends.count(node) for node in graph.nodes} == {2}


def test_what_is_joined_otherwise_gets_no_default_edge():
    graph = told("a", answer(1, "a", character("Ann"), character("Bob"), link("Bob", "Ann"), related=0.25))

    assert joined(graph) == {("Bob", "involved_in", "Ann")}


def test_what_a_message_parts_it_does_not_relate():
    first = answer(1, "a", character("Ann"), character("Bob"), link("Ann", "Bob", "related"))
    apart = answer(2, "b", update("Ann", state="cold"), update("Bob", state="sad"), unlink("Bob", "Ann", "related"),
                   related=0.25)  # fmt: skip

    graph = told("ab", first, apart)

    assert ("Ann", "related", "Bob") not in joined(graph)
    assert ("Bob", "related", "Ann") not in joined(graph)


def test_what_different_messages_made_is_not_related():
    assert told("ab", answer(1, "ab", character("Ann"), character("Bob", 1), related=0.25)).edges == {}


def test_no_default_edges_where_they_are_off():
    assert told("a", crowd("Ann", "Bob", related=0.0)).edges == {}


def test_a_link_by_ref_joins_what_the_message_made():
    by_ref = Operation("link", 0, target=Target(ref="r1"), to=named("Bob"), relation="advances")

    graph = told("a", answer(1, "a", character("Ann", ref="r1"), character("Bob"), by_ref))

    assert joined(graph) == {("Ann", "advances", "Bob")}

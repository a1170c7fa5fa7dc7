"""What upkeep put away sleeps, and comes back where a query matches it strongly."""

from dataclasses import replace

import pytest

from read.stories import asked, folded, indexed, node_named, told
from st_bme.model.operation import Operation, Target

COMET = "the comet Vesna fell into the lake"
DAYS = [f"[event they ride past mill {i} in the rain]" for i in range(12)]


def put_away(graph, name, **changes):
    """The graph where upkeep put this memory away."""
    node = node_named(graph, name)
    return replace(graph, nodes={**graph.nodes, node.id: replace(node, archived_by="upkeep", **changes)})


def says_comet(answer):
    return any(COMET in item.text for item in answer.items)


def test_what_was_put_away_comes_back_by_its_words():
    graph = put_away(told(f"[event {COMET}]", *DAYS), COMET)

    assert says_comet(asked(graph, "Where did the comet Vesna fall?"))


def test_what_was_put_away_comes_back_by_its_name():
    graph = put_away(told("[character Gareth state=lost_an_eye]", *DAYS), "Gareth")

    assert "lost an eye" in asked(graph, "Gareth!").text


def test_few_are_woken_and_what_stands_for_them_gives_way():
    nights = [f"[event the comet Vesna was seen from tower {i}]" for i in range(9)]
    graph = told(*nights, "[event comets]", *DAYS)
    whole = node_named(graph, "comets")
    for i in range(9):
        graph = put_away(graph, f"the comet Vesna was seen from tower {i}", parent_id=whole.id)

    answer = asked(graph, "Who saw the comet Vesna, the best of all comets?")

    assert [item.reason for item in answer.items if "Vesna" in item.text] == ["woken"] * 5
    assert all(item.section == "core" for item in answer.items if item.node_id == whole.id)


def test_a_change_that_bears_a_name_as_its_title_is_not_named_by_it():
    graph = told("[character Gareth state=lost_an_eye]", "[update character Gareth state=blind]", *DAYS)

    assert [item.type for item in asked(graph, "Gareth!").items if item.reason == "names"] == ["character"]


@pytest.mark.parametrize("question", ["What of the rain at mill 3?", "What did they do in the rain?"])
def test_it_sleeps_where_little_or_nothing_speaks_for_it(question):
    graph = put_away(told(f"[event {COMET}]", *DAYS), COMET)

    assert not says_comet(asked(graph, question))


def test_what_the_user_or_the_model_put_away_does_not_come_back():
    graph = told(f"[event {COMET}]", *DAYS)
    node = node_named(graph, COMET)
    for who in ("user", "model"):
        gone = replace(graph, nodes={**graph.nodes, node.id: replace(node, archived_by=who)})

        assert not says_comet(asked(gone, "Where did the comet Vesna fall?"))


def test_what_went_into_another_memory_is_told_by_that_one():
    graph = told(f"[event {COMET}]", "[event a light fell]", *DAYS)
    graph = put_away(graph, COMET, redirect=node_named(graph, "a light fell").id)

    assert not says_comet(asked(graph, "Where did the comet Vesna fall?"))


def test_a_sleeping_memory_has_no_links_and_the_energy_of_what_stands_for_it():
    link = Operation("link", 0, target=Target(ref="a"), to=Target(ref="b"), relation="related", strength=0.8)
    graph = folded(
        Operation("create", 0, "event", {"summary": COMET}, ref="a"),
        Operation("create", 0, "character", {"name": "Bob"}, ref="b"),
        Operation("create", 0, "event", {"summary": "the whole night"}),
        link,
    )
    whole = node_named(graph, "the whole night")
    index = indexed(put_away(graph, COMET, parent_id=whole.id))

    row = index.row_of[node_named(graph, COMET).id]
    assert index.neighbours(row) == []
    assert row not in index.rows_of_type("event")
    assert row not in index.arrays.core
    assert index.standing_for.tolist()[row] == index.row_of[whole.id]

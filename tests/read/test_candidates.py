"""How candidates are found, and in what order the core stands."""

from __future__ import annotations

import numpy as np
import pytest

from read.stories import indexed, told
from st_bme.model.node import Node
from st_bme.read.candidates import Question, core_rows, find_candidates, gather_evidence
from st_bme.read.index import RecallIndex
from st_bme.read.options import RecallOptions
from st_bme.read.query import blend
from st_bme.read.stop_words import telling
from st_bme.read.wording import asked_words
from st_bme.scoring.terms import terms

OPTIONS = RecallOptions()


def _question(parts, speaker=""):
    return Question(parts, asked_words(parts), speaker, None)


def _reasons(graph, text, *, assistant="", options=OPTIONS):
    index = indexed(graph)
    evidence = gather_evidence(index, _question(blend(text, assistant, "")), options)
    found = find_candidates(index, evidence, np.ones(len(index), np.bool_), options)
    return {index.nodes[row].name: found.reason_of(row) for row in found.rows.tolist()}


def test_each_way_to_find_a_memory_gives_its_reason():
    graph = told(
        "[character Gareth] [character Isolde] [link Gareth Isolde related]",
        "[event Mira sells lemons] [character Tobin]",
    )

    assert _reasons(graph, "Gareth buys lemons") == {
        "Gareth": "names",
        "Isolde": "diffusion",
        "Mira sells lemons": "words",
    }


def test_from_a_name_the_search_crosses_to_the_events_that_are_linked_with_it():
    graph = told(
        "[character Gareth] [event the mill burned] [character Isolde]"
        " [link Gareth #2 involved_in] [link Gareth Isolde related]"
    )
    index = indexed(graph)

    def energies(options):
        found = gather_evidence(index, _question(blend("Is Gareth here?", "", "")), options).energies
        return {node.name: float(found[row]) for row, node in enumerate(index.nodes)}

    plain, crossed = (energies(RecallOptions(has_cross_recall=is_on)) for is_on in (False, True))

    strength = index.links_of(index.row_of[next(node.id for node in index.nodes if node.name == "Gareth")])[0][1]
    assert crossed["the mill burned"] == pytest.approx(1.5 * strength)
    assert plain["the mill burned"] < crossed["the mill burned"]
    assert crossed["Isolde"] == pytest.approx(plain["Isolde"])


def test_energy_flows_between_what_follows_in_time_where_that_is_wanted():
    graph = told("[character Gareth] [event the mill burned] [link Gareth #2 involved_in]", "[event rain fell]")
    index = indexed(graph)
    row = next(row for row, node in enumerate(index.nodes) if node.name == "rain fell")

    found = [
        gather_evidence(
            index, _question(blend("Is Gareth here?", "", "")), RecallOptions(has_time_links=is_on)
        ).energies
        for is_on in (True, False)
    ]

    assert [energies[row] > 0 for energies in found] == [True, False]


def test_what_was_told_next_to_a_hit_comes_with_it_and_states_do_not():
    graph = told(
        "[event Mira sells lemons]", "[event Tobin sneezes] [character Gareth]", "x", "x", "[event rain falls]"
    )

    assert _reasons(graph, "Who has lemons?", options=RecallOptions(recent=0)) == {
        "Mira sells lemons": "words",
        "Tobin sneezes": "nearby",
    }


def test_a_word_that_says_nothing_is_no_reason():
    graph = told("[event the ship sank with all of them]", "[event what a feast]")

    assert _reasons(graph, "What is the capital of it all?") == {}


def test_a_slight_sign_is_enough_for_the_newest_only():
    graph = told("[event she lost a red lemon tart]", *["x"] * 30, "[event a red sunset]")
    weak = "red lemon tart please"

    newest = _reasons(graph, weak, options=RecallOptions(min_words=0.9, min_energy=3, recent=1))

    assert newest == {"she lost a red lemon tart": "words", "a red sunset": "recent"}
    assert "a red sunset" not in _reasons(graph, weak, options=RecallOptions(min_words=0.9, min_energy=3, recent=0))


def test_a_long_reply_does_not_drown_a_short_question():
    graph = told("[event Mira sells lemons]", "[event Tobin mends a boat at the quay]")
    reply = "The boat lies at the quay, and Tobin mends and mends it; the quay is quiet, the boat too."

    index = indexed(graph)
    evidence = gather_evidence(index, _question(blend("Who has lemons?", reply, "")), OPTIONS)

    assert evidence.wording.tolist() == pytest.approx([1.0, 0.222 / 0.778])  # shares without a user's text before


def test_a_name_in_the_reply_gives_less_energy():
    graph = told("[character Gareth]", "[character Isolde]")
    index = indexed(graph)

    evidence = gather_evidence(index, _question(blend("Gareth!", "Isolde sighs.", "")), OPTIONS)

    assert np.allclose(evidence.energies, [2.0, 2.0 * 0.222 / 0.778])


def test_words_that_say_nothing_are_not_searched_for():
    assert telling(terms("What did you say about the lemons?")) == terms("lemons")


def test_core_stands_by_pin_and_type_then_the_newest():
    kinds = {
        "e1": "event",
        "e2": "event",
        "t": "thread",
        "r": "rule",
        "s": "synopsis",
        "c": "character",
        "p": "character",
    }
    nodes = {
        name: Node(name, kind, {}, (f"k{floor}",), pinned=name == "p")
        for floor, (name, kind) in enumerate(kinds.items())
    }
    index = RecallIndex()
    index.update(nodes, {}, {f"k{floor}": floor for floor in range(7)})

    rows = core_rows(index, np.ones(7, np.bool_))

    assert [index.nodes[row].id for row in rows] == ["p", "s", "r", "t", "e2", "e1"]

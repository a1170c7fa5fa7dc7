"""What we do where the original ST-BME's recorded outputs show something else.

The files of tests/golden are for reference here: each case of `deserialize_*` and `history_mutation_new` has a test
that states our value.
"""

import json
from pathlib import Path

import pytest

from st_bme.errors import CorruptState
from st_bme.graph.fold import Folder
from st_bme.graph.legacy_import import import_original
from st_bme.graph.records import Answer, RecordSet, Stamp
from st_bme.history.keys import message_key
from st_bme.model.operation import Operation

GOLDEN = Path(__file__).parents[1] / "golden"
VIEW = tuple(f"m{floor:07}" for floor in range(10))


def cases(name):
    return {case["id"]: case for case in json.loads((GOLDEN / f"{name}.json").read_text("utf-8"))["cases"]}


DESERIALIZE = ("deserialize_v0", "deserialize_new")


def imported(name, case_id):
    return import_original(cases(name)[case_id]["input"], VIEW, range(len(VIEW)))


@pytest.mark.parametrize("name", DESERIALIZE)
def test_every_case_has_a_test_here(name):
    assert set(cases(name)) == {1, 3, 5, 7, 9}
    assert set(cases("history_mutation_new")) == {1, 3, 5, 7, 9, 11}


@pytest.mark.parametrize("name", DESERIALIZE)
def test_no_state_is_none_and_not_an_empty_one(name):
    """Case 1: null. The original makes an empty graph."""
    assert imported(name, 1) is None


@pytest.mark.parametrize("name", DESERIALIZE)
def test_what_is_no_json_is_reported(name):
    """Case 3: "not json". The original makes an empty graph, and the next save makes the loss final."""
    with pytest.raises(CorruptState):
        imported(name, 3)


@pytest.mark.parametrize("name", DESERIALIZE)
def test_an_edge_without_an_end_is_left_out(name):
    """Case 5: version 1, one node at floor 3, an edge to a node that is not there. The original keeps the edge.

    The state says of no message that it was read; what it has a node of was, so nothing is asked about twice.
    """
    found = imported(name, 5)

    (node,) = found.base.nodes
    assert (node.type, node.fields, node.sources) == ("event", {"summary": "x"}, (VIEW[3],))
    assert found.base.edges == ()
    assert found.report.mended == {"dangling_edges": 1, "embeddings": 1}
    assert found.base.known == VIEW[:4]


@pytest.mark.parametrize("name", DESERIALIZE)
def test_a_synopsis_stays_what_it_is(name):
    """Case 7: version 3 with a synopsis over floors 1 to 8. The original's later version makes it a summary too."""
    found = imported(name, 7)

    event, synopsis = found.base.nodes
    assert (synopsis.type, synopsis.fields, synopsis.sources) == ("synopsis", {"summary": "旧概要"}, (VIEW[1], VIEW[8]))
    assert found.last_recall == (event.id,)
    assert found.report.covered == 10
    assert found.report.mended == {"dangling_edges": 1, "embeddings": 1}


@pytest.mark.parametrize("name", DESERIALIZE)
def test_an_empty_graph_covers_what_it_read(name):
    """Case 9: a state in a text, without nodes, that read up to floor 2. So does ours."""
    found = imported(name, 9)

    assert (found.base.nodes, found.base.edges) == ((), ())
    assert found.base.known == VIEW[:3]


def messages(chat):
    return tuple(message_key("user" if line["is_user"] else "assistant", line["mes"]) for line in chat)


WHOLE = messages(cases("history_mutation_new")[1]["input"]["chat"])
GREETING, FIRST, SECOND, THIRD, FOURTH = WHOLE


def records():
    """Each reply read with what was said before it, one memory a reply."""

    def read(n, run, word):
        return Answer(Stamp(n), run, (Operation("create", len(run) - 1, "event", {"summary": word}),))

    return RecordSet(
        [read(1, (GREETING,), "g"), read(2, (FIRST, SECOND), "2"), read(3, (THIRD, FOURTH), "4")],
    )


def after_the_change(case_id):
    """What is remembered and which messages are to be read once the chat is as in the case."""
    folder, kept = Folder(), records()
    folder.fold(WHOLE, kept)
    view = messages(cases("history_mutation_new")[case_id]["input"]["chat"])
    graph = folder.fold(view, kept)
    remembered = [node.fields["summary"] for node in graph.active_nodes()]
    return remembered, [place for place, pending in enumerate(graph.pending) if pending]


def test_an_unchanged_chat_stays_as_it_is():
    """Case 1: neither does the original do anything."""
    assert after_the_change(1) == (["g", "2", "4"], [])


def test_an_edit_touches_what_was_edited_and_nothing_behind_it():
    """Case 3: reply 2 was edited. The original rolls back to floor 2 and reads the rest of the chat again."""
    assert after_the_change(3) == (["g", "4"], [2])


def test_what_is_new_is_read_and_nothing_else():
    """Case 5: one more message. The original's history is not dirty; neither is anything of ours."""
    assert after_the_change(5) == (["g", "2", "4"], [5])


def test_there_are_no_hashes_to_lose():
    """Case 7: the hash of floor 1 is missing, and the original reads all from there again. Ours are the list itself."""
    assert after_the_change(7) == (["g", "2", "4"], [])


def test_a_deletion_asks_nothing_where_memories_cite():
    """Case 9: message 1 was deleted. The original takes the chat for cut off and replays from floor 4."""
    assert after_the_change(9) == (["g", "2", "4"], [])


def test_there_is_no_state_that_needs_a_refresh():
    """Case 11: the original binds its hashes anew after an import. An import of ours points to keys from the start."""
    assert after_the_change(11) == (["g", "2", "4"], [])

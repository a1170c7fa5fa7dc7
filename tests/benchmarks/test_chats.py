"""Generated chats are the same for the same seed, as dense as they claim, and hold together."""

import pytest
from benchmarks.chats import generate

from st_bme.graph.fold import fold
from st_bme.graph.records import RecordSet

COUNT = 1_201


@pytest.fixture(scope="module")
def chat():
    return generate(COUNT)


@pytest.fixture(scope="module")
def graph(chat):
    return fold([message.key for message in chat.messages], RecordSet(chat.records()))


def test_a_seed_gives_one_chat_however_long_it_is(chat):
    assert generate(301).turns == chat.upto(301).turns
    assert generate(301, seed=2).turns != chat.upto(301).turns


def test_a_chat_has_as_many_messages_as_asked_for(chat):
    assert len(chat.messages) == COUNT
    assert [message.floor for message in chat.messages] == list(range(COUNT))


def test_everything_that_was_noted_takes_effect(graph):
    assert graph.drops == ()
    assert not graph.dormant
    assert not any(graph.pending)


def test_a_message_has_a_quarter_of_an_active_memory_and_a_memory_two_relations(chat, graph):
    active = {node.id for node in graph.active_nodes()}
    edges = [edge for edge in graph.current_edges() if {edge.from_id, edge.to_id} <= active]

    assert len(active) / len(chat.messages) == pytest.approx(0.25, abs=0.05)
    assert len(edges) / len(active) == pytest.approx(2, abs=0.3)
    assert len(graph.nodes) > 1.4 * len(active)


def test_each_operation_is_found_under_the_message_that_it_cites(chat):
    noted = chat.operations_by_message()

    assert sum(map(len, noted.values())) == sum(len(turn.operations) for turn in chat.turns)
    assert all(turn.messages[operation.cite].key in noted for turn in chat.turns for operation in turn.operations)

"""Which memories may be injected at all."""

from __future__ import annotations

import pytest

from st_bme.model.node import Node
from st_bme.model.recall import Query
from st_bme.read.gates import gate
from st_bme.read.index import RecallIndex
from st_bme.read.options import GateOptions

FLOORS = {f"k{floor}": floor for floor in range(10)}


def _is_open(node, in_context_from=None):
    index = RecallIndex()
    index.update({node.id: node}, {}, FLOORS)
    return bool(gate(index, Query("x", in_context_from=in_context_from), GateOptions()).is_open[0])


def _node(*sources, **changes):
    return Node("n", "character", {"name": "Gareth"}, sources, **changes)


@pytest.mark.parametrize(
    ("sources", "in_context_from", "is_open"),
    [
        (("k4",), None, True),
        (("k4",), 5, True),
        (("k5",), 5, False),
        (("k4", "k9"), 5, True),
        (("k5", "k9"), 5, False),
        (("k5",), 0, False),
    ],
)
def test_a_memory_is_closed_when_the_prompt_holds_all_it_comes_from(sources, in_context_from, is_open):
    assert _is_open(_node(*sources), in_context_from) is is_open


def test_a_memory_without_a_place_in_the_chat_is_closed():
    assert not _is_open(_node("gone"))


def test_what_the_user_wrote_needs_no_place():
    assert _is_open(_node(user_edited=True))
    assert _is_open(_node(user_edited=True), in_context_from=0)


def test_what_the_user_pinned_is_open_even_in_the_prompt():
    assert _is_open(_node("k9", pinned=True), in_context_from=0)

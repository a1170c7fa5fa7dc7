"""Records in facts, as the history shows them."""

import pytest

from graph.story import answer, archive, character, event, know, link, named, region, set_to, time, update
from st_bme.graph.fold_state import Drop
from st_bme.model.node import Node
from st_bme.model.operation import Operation, Refusal, Target
from st_bme.session.describe import describe_record

ANN, BOB = {"type": "character", "name": "Ann"}, {"type": "character", "name": "Bob"}


def told(*operations, nodes=(), drops=()):
    """What is said of an answer, without what is as it is by default."""
    said = describe_record(answer(1, "a", *operations), {node.id: node for node in nodes}, drops)
    return [one.model_dump(exclude_defaults=True) for one in said]


@pytest.mark.parametrize(
    ("operation", "facts"),
    [
        (character("Ann", state="glad"), {"action": "create", "about": ANN, "fields": {"state": "glad"}}),
        (event("the lamp broke"), {"action": "create", "about": {"type": "event", "name": "the lamp broke"}}),
        (update("Ann", state="sad"), {"action": "update", "about": ANN, "fields": {"state": "sad"}}),
        (update("Ann", name="Anna"), {"action": "update", "about": ANN, "fields": {"name": "Anna"}}),
        (link("Ann", "Bob"), {"action": "link", "about": ANN, "to": BOB, "relation": "involved_in"}),
        (time("the feast"), {"action": "time", "about": {"name": "the feast"}}),
        (know("Ann", "Bob"), {"action": "know", "about": BOB, "owner": "Ann", "relation": "known"}),
        (
            know("Ann", "Bob", "mistaken", belief="a spy"),
            {"action": "know", "about": BOB, "owner": "Ann", "relation": "mistaken", "fields": {"belief": "a spy"}},
        ),
        (region("Town", "Pier"), {"action": "region", "about": {"name": "Town / Pier"}}),
        (region("Pier", who="Ann"), {"action": "region", "about": {"name": "Pier"}, "owner": "Ann"}),
        (set_to(name="9"), {"action": "set", "fields": {"name": "9"}}),
        (Operation("pin", target=named("Ann"), flag=False), {"action": "pin", "about": ANN, "on": False}),
    ],
    ids=lambda value: value.action if isinstance(value, Operation) else "",
)
def test_what_an_operation_says(operation, facts):
    assert told(operation) == [facts]


def test_memories_go_by_their_names_not_by_ids_and_refs():
    operations = (character("Ann", ref="a"), Operation("link", target=Target(ref="a"), to=Target(id="n1")))

    said = told(*operations, nodes=[Node("n1", "character", {"name": "Bob"}, ("k",))])

    assert said[1] == {"action": "link", "about": ANN, "to": BOB}


def test_what_had_no_effect_says_why():
    refusal = Refusal("target_missing", "no node 'Bob' at this place of the story")

    said = told(character("Ann"), archive("Bob"), drops=[Drop("r", 1, refusal)])

    assert "refused" not in said[0]
    assert (said[1]["refused"], said[1]["detail"]) == (refusal.code, refusal.detail)


def test_what_is_long_is_cut_to_a_line():
    [said] = told(event("x" * 161, importance=1.0))

    assert said["about"]["name"] == "x" * 159 + "…"

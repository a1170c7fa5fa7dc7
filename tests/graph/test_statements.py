"""Who knows what, where everyone is, what variables hold: folded like everything else."""

import pytest

from graph.story import (
    answer,
    character,
    edit,
    event,
    find,
    know,
    named,
    off,
    pov,
    reasons,
    region,
    set_to,
    told,
    update,
    upkeep,
)
from st_bme.graph.fold_state import node_digest
from st_bme.graph.ledgers import owner_key
from st_bme.model.operation import Operation, Target

ANN = owner_key("character", "Ann")
BOB = owner_key("character", "Bob")


def stance(graph, owner, name):
    """(stance, visibility, belief) of what someone knows of a memory; None if nothing was said."""
    said = graph.ledgers.knowledge.get((owner, find(graph, name).id))
    return (said.stance, said.visibility, said.belief) if said else None


def values(graph):
    return {variable.name: variable.value for variable in graph.ledgers.variables.values()}


@pytest.mark.parametrize(
    ("said", "stands"),
    [
        (know("Ann", "Bob"), ("known", 1.0, "")),
        (know("Ann", "Bob", ""), ("known", 1.0, "")),
        (know("Ann", "Bob", "partial", strength=0.4), ("partial", 0.4, "")),
        (know("Ann", "Bob", "partial", strength=7), ("partial", 1.0, "")),
        (know("Ann", "Bob", "mistaken", belief="a spy"), ("mistaken", 0.0, "a spy")),
        (know("Ann", "Bob", "hidden"), ("hidden", 0.0, "")),
    ],
    ids=lambda said: said.relation or "unsaid" if isinstance(said, Operation) else "",
)
def test_what_someone_knows(said, stands):
    assert stance(told("a", answer(1, "a", character("Bob"), said)), ANN, "Bob") == stands


@pytest.mark.parametrize(
    ("first", "second", "stands"),
    [
        (("mistaken", None), ("known", None), "known"),
        (("known", None), ("mistaken", None), "mistaken"),
        (("hidden", None), ("partial", 0.3), "partial"),
        (("known", None), ("partial", 0.3), "known"),
        (("mistaken", None), ("partial", 0.3), "mistaken"),
        (("partial", 0.6), ("partial", 0.3), "partial"),
    ],
    ids=lambda one: one[0] if isinstance(one, tuple) else one,
)
def test_what_is_said_later_counts_and_a_glimpse_takes_nothing_away(first, second, stands):
    said = [know("Ann", "Bob", name, cite, strength=part) for cite, (name, part) in enumerate((first, second))]

    found = stance(told("ab", answer(1, "ab", character("Bob"), *said)), ANN, "Bob")

    assert found[0] == stands
    assert found[1] == max([part or (name == "known") for name, part in (first, second) if name == stands])


def test_what_a_message_said_is_gone_with_it():
    listed = [
        answer(1, "a", character("Bob")),
        answer(2, "b", know("Ann", "Bob"), region("Pier"), region("Mill", who="Ann"), set_to(hp="3")),
    ]

    without = told("a", *listed)

    assert told("ab", *listed).ledgers
    assert not without.ledgers


def test_what_was_said_before_stands_again_when_the_later_message_is_gone():
    listed = [
        answer(1, "a", character("Bob"), know("Ann", "Bob", "mistaken"), region("Pier"), set_to(hp="9")),
        answer(2, "b", know("Ann", "Bob"), region("Mill"), set_to(hp="3")),
    ]

    before, after = told("a", *listed), told("ab", *listed)

    assert (stance(after, ANN, "Bob")[0], after.ledgers.active_region(), values(after)) == (
        "known",
        "Mill",
        {"hp": "3"},
    )
    assert (stance(before, ANN, "Bob")[0], before.ledgers.active_region(), values(before)) == (
        "mistaken",
        "Pier",
        {"hp": "9"},
    )


def test_an_undone_answer_says_nothing():
    first = answer(1, "a", character("Bob"), know("Ann", "Bob"), region("Pier"), set_to(hp="9"))

    assert not told("a", first, off(2, first)).ledgers


@pytest.mark.parametrize(
    ("said", "code"),
    [
        (know("Ann", "Nobody"), "target_missing"),
        (know("Ann", "Bob", "guessed"), "unknown_stance"),
        (Operation("know", 0, target=named("Bob")), "no_owner"),
        (Operation("region", 0), "no_region"),
        (Operation("region", 0, scope=pov("", region_primary="Pier")), "no_owner"),
        (Operation("set", 0), "no_variable"),
        (Operation("set", 0, fields={" ": "x"}), "no_variable"),
    ],
)
def test_what_cannot_be_is_left_out_with_its_reason(said, code):
    assert reasons(told("a", answer(1, "a", character("Bob"), said))) == [code]


def test_a_renamed_character_stays_who_knew_it():
    graph = told("abc", answer(1, "abc", character("Ann"), character("Bob"), know("Ann", "Bob", "hidden"),
                 update("Ann", 1, name="Queen"), know("Queen", "Bob", cite=2)))  # fmt: skip

    (said,) = graph.ledgers.knowledge.values()
    assert (said.owner, said.owner_name, said.stance) == (ANN, "Queen", "known")


def test_what_is_known_of_a_merged_memory_is_known_of_the_one_that_stays():
    first = answer(1, "ab", character("Ann"), character("Anna", 1), event("It burns", 1),
                   know("Bob", "Anna", cite=1))  # fmt: skip
    ann, anna = (find(told("ab", first), name) for name in ("Ann", "Anna"))
    knows = Operation("know", 1, scope=pov("Anna"), target=Target(type="character", name="Ann"))
    merge = Operation("merge", target=Target(id=anna.id), to=Target(id=ann.id))

    graph = told("ab", answer(1, "ab", *first.operations, knows), edit(2, "ab", merge))

    assert set(graph.ledgers.knowledge) == {(BOB, ann.id), (ANN, ann.id)}


def test_upkeep_may_say_what_is_known_of_what_the_user_edited():
    by_hand = edit(1, "a", character("Bob", None, state="well"))
    bob = find(told("a", by_hand), "Bob")
    says = Operation("know", scope=pov("Ann"), target=Target(id=bob.id))

    graph = told("a", by_hand, upkeep(2, "a", {bob.id: node_digest(bob)}, says))

    assert stance(graph, ANN, "Bob")[0] == "known"


def test_what_the_user_says_waits_for_its_memory():
    said = edit(2, "ab", know("Ann", "Bob", "hidden", None))

    assert reasons(told("a", said)) == ["target_missing"]
    assert stance(told("ab", said, answer(1, "b", character("Bob"))), ANN, "Bob")[0] == "hidden"


def test_the_scene_and_each_character_are_somewhere():
    graph = told(
        "ab", answer(1, "ab", region("Pier"), region("Mill", who="Ann"), region("Town", cite=1, is_there=False))
    )

    assert graph.ledgers.active_region() == "Pier"
    assert graph.ledgers.active_region(ANN) == "Mill"
    assert graph.ledgers.active_region(BOB) == ""


def test_places_lie_within_and_beside_others():
    graph = told("ab", answer(1, "ab", region("Realm", "Town", "Pier", beside=("Mill",)), region("Mill", cite=1,
                 beside=("pier", "Wood"), is_there=False)))  # fmt: skip

    assert graph.ledgers.parents_of("PIER") == ["Town", "Realm"]
    assert graph.ledgers.adjacent_to("mill") == ["Wood", "pier"]
    assert graph.ledgers.adjacent_to("Pier") == ["Mill"]


def test_places_that_hold_each_other_end_the_walk():
    graph = told("ab", answer(1, "ab", region("Town", "Pier"), region("Pier", "Town", cite=1)))

    assert graph.ledgers.parents_of("Pier") == ["Town", "Pier"]


def test_an_empty_value_removes_a_variable():
    graph = told("ab", answer(1, "ab", set_to(hp="9", mood="calm"), set_to(1, HP="")))

    assert values(graph) == {"mood": "calm"}

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from st_bme.model.message import Message
from st_bme.model.operation import Operation, Target
from st_bme.model.scope import Scope
from st_bme.model.story_time import StoryTime
from st_bme.ports import KnownNode
from st_bme.prompts.answer import RawAnswer
from st_bme.write.answer_context import AnswerContext
from st_bme.write.normalize import MOST_OPERATIONS, Normalized
from st_bme.write.normalize import normalize as normalize_answers

RUN = [Message(key=f"k{floor}", role="user", name="", text="t", floor=floor) for floor in (11, 12, 13)]
KNOWN = [
    KnownNode("N1", "id-iris", "character", "Iris", "Iris"),
    KnownNode("N2", "id-duel", "event", "The duel at dawn", "The duel at dawn"),
]
IRIS = Target(id="id-iris", type="character", name="Iris")
DUEL = Target(id="id-duel", type="event")


def normalize(*raw: dict[str, object], **more: object) -> Normalized:
    return normalize_answers([RawAnswer(raw)], AnswerContext(run=RUN, known=KNOWN, **more))


def codes(read: Normalized) -> list[tuple[str, int | None]]:
    return [(refusal.code, refusal.index) for refusal in read.refused]


def event(**changes: object) -> dict[str, object]:
    return {"action": "create", "type": "event", "fields": {"summary": "x"}, "ref": "e", **changes}


def test_create_with_everything():
    read = normalize(
        event(importance="9", cite="#12", clusters="war", storyTime={"label": "dusk"}, scope={"regionPrimary": "Mill"})
    )

    assert read.refused == ()
    assert read.operations == (
        Operation(
            "create", 1, "event", {"summary": "x"}, 9.0, Scope(region_primary="Mill"), StoryTime("dusk"), ("war",), "e"
        ),
    )


@pytest.mark.parametrize(
    "raw",
    [
        pytest.param({"op": "CREATE", "type": "Event", "fields": {"summary": "x"}, "reference": "e"}, id="aliases"),
        pytest.param({"type": "event", "summary": "x", "id": "e"}, id="no action, flat fields, id for ref"),
        pytest.param(
            {"action": "add", "type": "event", "fields": {"description": "x"}, "ref": "e"}, id="filled column"
        ),
        pytest.param(
            {"action": "create", "type": "event", "fields": {"summary": " x "}, "ref": "e", "nodeId": None}, id="null"
        ),
    ],
)
def test_other_words_for_the_same(raw):
    assert normalize(raw).operations == (Operation("create", type="event", fields={"summary": "x"}, ref="e"),)


@pytest.mark.parametrize(
    ("cite", "position"),
    [("#12", 1), (13, 2), ([11, 12], 1), ("#11-#13", 2), ("#10", None), ("", None), ("the first", None)],
)
def test_citation_is_a_position_in_the_run(cite, position):
    assert normalize(event(cite=cite)).operations[0].cite == position


def test_a_run_of_one_message_needs_no_citation():
    read = normalize_answers([RawAnswer([event()])], AnswerContext(run=RUN[:1]))

    assert read.operations[0].cite == 0


def test_update_names_what_was_shown():
    read = normalize({"action": "update", "nodeId": "n1", "fields": {"state": "tired"}, "sourceNodeId": "N2"})

    assert read.operations == (Operation("update", fields={"state": "tired"}, target=IRIS, to=DUEL),)


def test_update_by_name_stands_for_a_type_with_one_node_a_name():
    """The fold makes a create of it where there is none."""
    read = normalize(
        {"action": "update", "type": "character", "fields": {"name": "Tam", "state": "glad"}},
        {"action": "update", "type": "character", "nodeId": "char-7", "fields": {"name": "iris", "state": "glad"}},
        {"action": "update", "type": "event", "fields": {"title": "Tam"}},
    )

    assert [operation.target for operation in read.operations] == [Target(type="character", name="Tam"), IRIS]
    assert codes(read) == [("unknown_ref", 2)]


def test_only_what_was_shown_is_deleted():
    read = normalize(
        {"action": "delete", "nodeId": "N2"},
        {"action": "delete", "type": "character", "fields": {"name": "Tam"}},
        {"action": "delete"},
        {"action": "delete", "nodeId": "N99"},
    )

    assert read.operations == (Operation("archive", target=DUEL),)
    assert codes(read) == [("unknown_ref", 1), ("unknown_ref", 2), ("unknown_ref", 3)]


def test_links_find_earlier_later_and_shown_nodes():
    read = normalize(
        event(cite=11, links=[{"targetRef": "c", "relation": "involved_in", "strength": 7}, "N1", {"target": "Tam"}]),
        {"action": "create", "type": "character", "fields": {"name": "Tam"}, "ref": "c"},
    )
    tam = Target(type="character", name="Tam")

    assert read.refused == ()
    assert [operation for operation in read.operations if operation.action == "link"] == [
        Operation("link", 0, target=Target(ref="e"), to=tam, relation="involved_in", strength=1.0),
        Operation("link", 0, target=Target(ref="e"), to=IRIS, relation="related"),
        Operation("link", 0, target=Target(ref="e"), to=tam, relation="related"),
    ]


def test_bad_links_are_refused_and_the_operation_stands():
    read = normalize(event(links=[{"target": "N9"}, {"target": "N1", "relation": "made up"}]))

    assert [operation.relation for operation in read.operations] == ["", "related"]
    assert codes(read) == [("unknown_ref", 0), ("unknown_relation", 0)]


def test_links_may_stand_alone_and_end():
    read = normalize(
        {"action": "link", "nodeId": "N1", "links": [{"target": "N2", "relation": "involved_in"}]},
        {"action": "update", "nodeId": "N1", "links": [{"target": "N2", "relation": "related", "action": "remove"}]},
    )

    assert [(operation.action, operation.relation) for operation in read.operations] == [
        ("link", "involved_in"),
        ("update", ""),
        ("unlink", "related"),
    ]


@pytest.mark.parametrize(
    ("raw", "code"),
    [
        ({"action": "fly", "type": "event"}, "unknown_action"),
        ({"fields": {"a": 1}}, "unknown_action"),
        ({"action": "create", "type": "spaceship", "fields": {"name": "x"}}, "unknown_type"),
        ({"action": "create", "type": "character", "fields": {"state": "x"}}, "missing_field"),
        ({"action": "_skip"}, "skipped"),
        ({"action": "update", "nodeId": "N1"}, "nothing_to_change"),
        ({"action": "create", "type": "pov_memory", "fields": {"summary": "x"}}, "pov_without_owner"),
        ({"action": "create", "type": ["a"], "links": {"x": [{}]}, "fields": 7}, "unknown_type"),
    ],
)
def test_a_bad_operation_is_refused_and_the_rest_stands(raw, code):
    read = normalize(raw, event())

    assert codes(read) == [(code, 0)]
    assert [operation.ref for operation in read.operations] == ["e"]


def test_only_a_point_of_view_has_an_owner():
    owner = {"layer": "pov", "ownerType": "character", "ownerName": "Iris"}
    read = normalize(
        {"action": "create", "type": "pov_memory", "fields": {"summary": "x"}, "scope": owner}, event(scope=owner)
    )

    assert [operation.scope for operation in read.operations] == [Scope("pov", "character", "Iris", "Iris"), Scope()]


def test_a_rule_keeps_its_scope_in_words():
    read = normalize(
        {"action": "create", "type": "rule", "title": "No magic", "constraint": "none", "scope": "the mill"}
    )

    assert read.operations[0].fields == {"title": "No magic", "constraint": "none", "scope": "the mill"}


def test_values_become_short_well_formed_texts():
    fields = {
        "summary": "a" * 3_000,
        "b": float("nan"),
        "c": ["x", 2, None],
        "d": "\ud800",
        "e": True,
        "f": 1234567.5,
        "g": None,
        "h": 1234567,
        "i": 2.0,
    }
    read = normalize(event(fields=fields, importance=float("inf")))

    assert read.operations[0].fields == {
        "summary": "a" * 2_000,
        "c": "x, 2",
        "d": "\ufffd",
        "e": "true",
        "f": "1234567.5",
        "h": "1234567",
        "i": "2",
    }
    assert read.operations[0].importance is None


@pytest.mark.parametrize(("said", "importance"), [(-3, 0.0), (12, 10.0), ("7", 7.0), ("high", None), (True, None)])
def test_numbers_are_clamped(said, importance):
    assert normalize(event(importance=said)).operations[0].importance == importance


def test_a_ref_used_twice_means_the_first():
    read = normalize(event(), event(fields={"summary": "y"}), event(ref="f", links=["e"]))

    assert [operation.ref for operation in read.operations[:2]] == ["e", "op1"]
    assert read.operations[-1].to == Target(ref="e")
    assert codes(read) == [("many_events", None), ("duplicate_ref", 1)]


def test_more_events_than_were_asked_for_are_taken_and_noted():
    read = normalize(event(), event(ref="f"))

    assert len(read.operations) == 2
    assert codes(read) == [("many_events", None)]


def test_more_operations_than_the_cap_are_left_out():
    read = normalize(*[event(ref=f"r{number}") for number in range(MOST_OPERATIONS + 5)])

    assert len(read.operations) == MOST_OPERATIONS
    assert codes(read) == [("many_events", None), ("too_many_operations", MOST_OPERATIONS)]


json_values = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers(-(10**400), 10**400) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
keys = [
    "action",
    "type",
    "nodeId",
    "id",
    "ref",
    "fields",
    "links",
    "importance",
    "scope",
    "storyTime",
    "cite",
    "clusters",
]


@given(st.dictionaries(st.sampled_from(keys), json_values | st.sampled_from(["create", "update", "event", "N1"])))
def test_any_object_is_read_or_refused(raw):
    read = normalize(raw)

    assert len(read.operations) + len(read.refused) > 0

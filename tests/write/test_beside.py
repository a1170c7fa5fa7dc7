"""What an answer says beside its operations."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from st_bme.model.message import Message
from st_bme.model.operation import Operation, Target
from st_bme.model.scope import Scope
from st_bme.model.story_time import StoryTime
from st_bme.ports import Asking, KnownNode
from st_bme.prompts.answer import RawAnswer, read_answer
from st_bme.write.answer_context import AnswerContext
from st_bme.write.normalize import Normalized, normalize

RUN = [Message(key=f"k{floor}", role="user", name="", text="t", floor=floor) for floor in (11, 12)]
KNOWN = [KnownNode("N1", "id-iris", "character", "Iris", "Iris"), KnownNode("N2", "id-duel", "event", "The duel", "")]
EVENT = {"action": "create", "type": "event", "fields": {"summary": "x"}, "ref": "e", "cite": "#12"}
IRIS = Target(id="id-iris", type="character", name="Iris")
DUEL = Target(id="id-duel", type="event")
VIEW = Scope("pov", "character", "Iris", "Iris")


def said(*operations: dict[str, object], asking: Asking | None = None, **beside: object) -> Normalized:
    context = AnswerContext(
        run=RUN,
        known=KNOWN,
        user_name="Sam",
        asking=asking or Asking(),
        variables=("mood", "gold"),
        forbidden=("pass word",),
    )
    folded = {key.casefold(): value for key, value in beside.items()}
    return normalize([RawAnswer(operations, folded)], context)


def beside(read: Normalized) -> list[Operation]:
    return [each for each in read.operations if each.action in ("time", "know", "region", "set")]


def test_the_time_of_the_story_cites_its_message_and_moves_on_only_where_it_says_so():
    dusk = {"label": "dusk", "tense": "ongoing", "relation": "after", "anchorLabel": "noon", "cite": "#11"}
    moved = said(EVENT, batchStoryTime={**dusk, "advancesActiveTimeline": True})
    stood = said(EVENT, batchStoryTime="dusk")

    assert beside(moved) == [Operation("time", 0, story_time=StoryTime("dusk", "ongoing", "after", "noon"))]
    assert beside(stood) == [Operation("time", 1, story_time=StoryTime("dusk"), flag=False)]


def test_what_cites_nothing_cites_what_all_operations_do_or_the_whole_run():
    other = {**EVENT, "ref": "f", "cite": "#11"}

    assert [each.cite for each in beside(said(EVENT, batchStoryTime="dusk"))] == [1]
    assert [each.cite for each in beside(said(EVENT, other, batchStoryTime="dusk"))] == [None]


def test_who_knows_names_what_was_shown_and_what_was_made():
    update = {"ownerType": "character", "ownerName": "Iris", "knownRefs": ["e", "N2"], "mistakenRefs": ["N1"]}
    read = said(EVENT, cognitionUpdates=[{**update, "belief": "she won", "visibility": {"N2": 0.4}, "cite": "#11"}])

    assert beside(read) == [
        Operation("know", 0, scope=VIEW, target=Target(ref="e"), relation="known"),
        Operation("know", 0, scope=VIEW, target=DUEL, relation="known"),
        Operation("know", 0, fields={"belief": "she won"}, scope=VIEW, target=IRIS, relation="mistaken"),
        Operation("know", 0, scope=VIEW, target=DUEL, relation="partial", strength=0.4),
    ]


@pytest.mark.parametrize(
    ("said_of_it", "share"),
    [(2, 1.0), (-1, 0.0), ("0.5", 0.5), (True, 1.0), (10**400, None), (float("nan"), None), ("much", None)],
    ids=["above", "below", "a text", "yes", "more than a float holds", "none", "words"],
)
def test_a_share_is_a_number_from_0_to_1_or_is_not_told(said_of_it, share):
    read = said(EVENT, cognitionUpdates=[{"ownerName": "Iris", "visibility": {"N2": said_of_it}}])

    assert [each.strength for each in beside(read)] == ([] if share is None else [share])
    assert read.operations[0].type == "event"


def test_who_bears_the_users_name_is_the_user():
    read = said(cognitionUpdates={"ownerType": "character", "ownerName": "sam!", "knownRefs": "N2"})

    assert [each.scope.owner_type for each in beside(read)] == ["user"]


def test_knowledge_of_what_was_not_shown_is_refused():
    read = said(
        cognitionUpdates=[{"ownerName": "Iris", "knownRefs": ["N9", "N2"]}, {"knownRefs": ["N2"]}, "Iris", None]
    )

    assert [each.target for each in beside(read)] == [DUEL]
    assert [refusal.code for refusal in read.refused] == ["unknown_ref"]


def test_where_the_story_is_and_what_lies_next_to_it():
    adjacency = [{"region": "Mill", "adjacent": ["Ford", "mill"]}, {"region": "Ford", "adjacent": []}, "Ford"]
    read = said(EVENT, regionUpdates={"activeRegionHint": "Valley > Mill", "adjacency": adjacency, "cite": "#11"})

    assert beside(read) == [
        Operation("region", 0, scope=Scope(region_primary="Mill", region_path=("Valley", "Mill"))),
        Operation("region", 0, scope=Scope(region_primary="Mill", region_secondary=("Ford",)), flag=False),
    ]


@pytest.mark.parametrize(
    "variables",
    [
        {"Mood": "glad", "gold": 1234567, "weather": "wet", "note": None},
        [
            {"name": "mood", "value": "glad"},
            {"variable_key": "gold", "variable_value": "1234567"},
            {"name": "weather", "value": "x"},
        ],
    ],
    ids=["object", "list"],
)
def test_variables_are_those_that_are_followed(variables):
    read = said(EVENT, variables=variables)

    assert beside(read) == [Operation("set", 1, fields={"mood": "glad", "gold": "1234567"})]
    assert [refusal.code for refusal in read.refused] == ["unknown_variable"]


def test_empty_values_set_nothing():
    assert beside(said(EVENT, variables={"mood": "", "gold": None})) == []


def test_forbidden_names_and_values_that_look_like_secrets_are_dropped():
    read = said(variables={"mood": "sk-" + "a1" * 12, "Pass Word": "x", "gold": "4111 1111 1111 1111"})

    assert beside(read) == []
    assert sorted(refusal.code for refusal in read.refused) == ["secret_value", "secret_value", "unknown_variable"]


def test_what_was_not_asked_for_is_passed_over():
    nothing = Asking(has_story_time=False, has_cognition=False, has_adjacency=False)
    read = said(
        EVENT,
        asking=nothing,
        batchStoryTime="dusk",
        cognitionUpdates=[{"ownerName": "Iris", "knownRefs": ["N2"]}],
        regionUpdates={"activeRegionHint": "Mill"},
    )

    assert beside(read) == []


@pytest.mark.parametrize("value", [None, 7, "x", [], {}, [[1]], {"a": {"b": [None]}}, [{"ownerName": {"x": 1}}]])
@pytest.mark.parametrize("key", ["batchStoryTime", "cognitionUpdates", "regionUpdates", "variables"])
def test_anything_strange_beside_leaves_the_operations(key, value):
    read = said(EVENT, **{key: value})

    assert [each.ref for each in read.operations if each.action == "create"] == ["e"]


def test_it_is_read_under_other_spellings_and_from_a_whole_answer():
    answer = read_answer(
        '{"operations":[],"batch_story_time":{"label":"dusk"},"region_updates":{"active_region":"Mill"},'
        '"Cognition Updates":{"Iris":{"known_refs":["N2"]}}}'
    )
    read = normalize([answer], AnswerContext(run=RUN, known=KNOWN))

    assert [each.action for each in read.operations] == ["time", "region", "know"]


PARTS = ["ownerName", "ownerType", "knownRefs", "visibility", "label", "cite", "region", "adjacent", "activeRegionHint"]
values = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers(-(10**400), 10**400) | st.sampled_from(["N1", "Iris", ""]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from([*PARTS, "mood", "N2"]), inner),
    max_leaves=8,
)


@given(st.dictionaries(st.sampled_from(["batchStoryTime", "cognitionUpdates", "regionUpdates", "variables"]), values))
def test_whatever_stands_beside_the_operations_stand(found):
    read = said(EVENT, **found)

    assert read.operations[0].fields == EVENT["fields"]
    assert all(len(value) <= 2_000 for each in read.operations for value in each.fields.values())

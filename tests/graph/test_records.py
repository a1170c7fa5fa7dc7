"""Records keep their ids through every store, and a set of them knows no order (rules 8 and 13)."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph.story import answer, character, edit, off, on, records
from graph.strategies import any_record
from st_bme.errors import CorruptState
from st_bme.graph.records import (
    Answer,
    Mark,
    RecordSet,
    Stamp,
    Upkeep,
    record_from_json,
    record_id,
    record_to_json,
)


def through_javascript(value):
    """What JSON.stringify writes of parsed JSON: a whole number has no point."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, list):
        return [through_javascript(item) for item in value]
    if isinstance(value, dict):
        # The browser keeps insertion order, except for keys that look like array indices: those come first.
        keys = sorted(value, key=lambda key: (0, int(key)) if key.isascii() and key.isdecimal() else (1, 0))
        return {key: through_javascript(value[key]) for key in keys}
    return value


@given(any_record)
def test_a_record_reads_back_as_itself(record):
    assert record_from_json(json.loads(json.dumps(record_to_json(record)))) == record


@given(any_record)
def test_the_id_survives_the_browser(record):
    returned = record_from_json(json.loads(json.dumps(through_javascript(record_to_json(record)))))

    assert record_id(returned) == record_id(record)


def test_a_whole_strength_is_the_same_as_an_integer_in_the_id():
    assert record_id(answer(1, "a", related=1.0)) == record_id(
        record_from_json({"kind": "answer", "run": ["a"], "n": 1, "related": 1})
    )


@given(st.lists(any_record, max_size=8), st.randoms())
def test_a_set_knows_no_order_of_arrival(listed, random):
    shuffled = list(listed)
    random.shuffle(shuffled)

    assert RecordSet(shuffled).in_order() == RecordSet(listed).in_order()
    assert RecordSet(shuffled).head == RecordSet(listed).head


@given(st.lists(any_record, max_size=5), st.lists(any_record, max_size=5))
def test_two_stores_unite_to_the_same_set_from_either_side(ours, theirs):
    one, other = RecordSet(ours), RecordSet(theirs)
    one.add_all(theirs)
    other.add_all(ours)

    assert one.in_order() == other.in_order()
    assert one.head == other.head


def test_a_record_that_is_there_changes_nothing():
    kept = records(answer(1, "ab"))
    head = kept.head

    kept.add(answer(1, "ab"))

    assert len(kept) == 1
    assert kept.head == head


def test_the_head_of_records_to_come_is_the_head_that_they_give():
    kept = records(answer(1, "ab"))
    coming = answer(2, "cd")
    foretold = kept.head_with([record_id(coming)])

    kept.add(coming)

    assert kept.head == foretold


def test_the_highest_n_counts_every_kind():
    first = answer(1, "a")

    assert records(first, edit(7, "a"), off(9, first)).highest_n == 9
    assert records().highest_n == 0


def test_records_are_ordered_by_n_then_id():
    same = [answer(2, "a"), answer(2, "b"), answer(2, "c")]

    ordered = records(*same, answer(1, "z")).all()

    assert ordered[0] == answer(1, "z")
    assert [record_id(record) for record in ordered[1:]] == sorted(record_id(record) for record in same)


def test_the_latest_mark_counts_whatever_arrives_first():
    first = answer(1, "a")

    assert records(first, on(3, first), off(2, first)).switched_off() == frozenset()
    assert records(first, off(4, first), on(3, first)).switched_off() == {record_id(first)}


def test_two_marks_of_one_kind_are_two_records():
    first = answer(1, "a")
    one, other = (Mark(Stamp(2), nonce, record_id(first), off=True) for nonce in ("x", "y"))

    assert record_id(one) != record_id(other)


def test_time_and_model_are_part_of_the_id():
    assert record_id(Answer(Stamp(1, time=5), ("a",))) != record_id(Answer(Stamp(1, time=6), ("a",)))


def test_a_memo_key_is_of_task_and_reads_alone():
    one = Upkeep(Stamp(1), "merge", {"x": "1", "y": "2"}, ("a",))
    other = Upkeep(Stamp(5), "merge", {"y": "2", "x": "1"}, ("b",), (character("Ann"),))

    assert one.memo_key == other.memo_key
    assert one.memo_key != Upkeep(Stamp(1), "forget", {"x": "1", "y": "2"}, ("a",)).memo_key
    assert one.memo_key != Upkeep(Stamp(1), "merge", {"x": "1", "y": "3"}, ("a",)).memo_key
    assert one.memo_key != Upkeep(Stamp(1), "merge", {"x": "1", "y": "2"}, ("a",), run=("a",)).memo_key


def test_a_record_that_says_no_version_is_of_the_first():
    assert record_from_json({"kind": "answer", "run": [], "n": 1}).stamp.version == 1
    assert record_to_json(Answer(Stamp(1, version=2), ()))["v"] == 2
    assert "v" not in record_to_json(Answer(Stamp(1, version=1), ()))


VALID = {
    "answer": {"kind": "answer", "n": 1, "run": ["a"]},
    "upkeep": {"kind": "upkeep", "n": 1, "task": "merge", "reads": {"x": "1"}, "anchor": ["a"]},
    "user": {"kind": "user", "n": 1, "nonce": "x", "operations": [{"action": "pin"}]},
    "mark": {"kind": "mark", "n": 1, "nonce": "x", "record": "r", "off": True},
    "origin": {"kind": "origin", "n": 1, "nonce": "x", "event": "birth"},
}


@pytest.mark.parametrize("kind", VALID)
def test_a_plain_record_of_each_kind_is_read(kind):
    assert record_to_json(record_from_json(VALID[kind])) == VALID[kind]


@pytest.mark.parametrize(
    ("kind", "key", "value"),
    [
        ("answer", "kind", "gossip"),
        ("answer", "n", None),
        ("answer", "n", True),
        ("answer", "n", "1"),
        ("answer", "v", 1.5),
        ("answer", "time", "now"),
        ("answer", "cause", 1),
        ("answer", "model", []),
        ("answer", "tokens", 1.5),
        ("answer", "run", "a"),
        ("answer", "run", [1]),
        ("answer", "context", {}),
        ("answer", "related", "much"),
        ("answer", "operations", {}),
        ("answer", "operations", ["create"]),
        ("upkeep", "task", None),
        ("upkeep", "reads", ["x"]),
        ("upkeep", "reads", {"x": 1}),
        ("upkeep", "anchor", "a"),
        ("upkeep", "run", "a"),
        ("user", "nonce", None),
        ("mark", "record", 1),
        ("mark", "off", "yes"),
        ("origin", "event", None),
        ("origin", "parent", 1),
        ("origin", "rev", "1"),
        ("origin", "cut", 1.5),
    ],
)
def test_a_damaged_record_is_refused_by_its_key(kind, key, value):
    damaged = VALID[kind] | {key: value}

    with pytest.raises(CorruptState, match=f"place 7.*{key}|place 7.*unknown kind"):
        record_from_json(damaged, "place 7")


@pytest.mark.parametrize("value", [None, [], "record", 5])
def test_what_is_no_object_is_no_record(value):
    with pytest.raises(CorruptState, match="no JSON object"):
        record_from_json(value)


def test_a_set_from_a_store_is_the_set_of_its_records():
    listed = [answer(3, "a", character("Ann")), edit(1, "a"), off(2, answer(3, "a", character("Ann")))]

    stored = RecordSet()
    stored.add_known({record_id(record): record for record in listed})

    assert stored.in_order() == RecordSet(listed).in_order()
    assert (stored.head, stored.highest_n) == (RecordSet(listed).head, 3)

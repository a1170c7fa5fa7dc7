"""Which records enter the copy in the chat file (docs/storage.md, rule 36)."""

from dataclasses import replace

from graph.story import answer, archive, character, edit, event, find, off, over, records, told, update, upkeep
from scenarios.memory_model import canonical
from st_bme.graph.fold import fold
from st_bme.graph.records import RecordSet, record_id
from st_bme.graph.tail import records_of_file
from st_bme.model.operation import Operation

BOTH = answer(1, "ab", character("Ann"), event("Dawn", 1))
PART = replace(BOTH, operations=BOTH.operations[:1], part_of=record_id(BOTH), lacks=(1,))


def entering(view, *listed, in_file=()):
    kept = records(*listed)
    return [record for _, record in records_of_file(fold(tuple(view), kept), kept, in_file)]


def test_what_is_all_there_enters_whole():
    older = answer(2, "ab")

    assert entering("ab", BOTH, older) == [BOTH, older]


def test_of_an_answer_enters_what_is_about_messages_that_are_there():
    assert entering("ac", BOTH, answer(2, "c")) == [PART, answer(2, "c")]


def test_an_answer_about_messages_that_are_gone_does_not_enter():
    assert entering("c", BOTH, answer(2, "c")) == [answer(2, "c")]


def test_a_part_that_owns_nothing_does_not_enter():
    """After many swipes each left an answer to the user message before it; only one of them counts."""
    assert entering("ac", BOTH, answer(2, "ac")) == [answer(2, "ac")]


def test_hidden_messages_and_swipes_of_the_last_are_there():
    assert entering("a", BOTH, in_file=("b",)) == [BOTH]


def test_an_undone_answer_enters_as_far_as_its_messages_are_there():
    assert entering("a", BOTH, off(2, BOTH)) == [PART, off(2, BOTH)]


def test_a_part_enters_again_as_it_is():
    assert entering("a", PART) == [PART]
    assert entering("a", PART, off(2, BOTH)) == [PART, off(2, BOTH)]


def test_what_was_said_of_the_run_as_a_whole_enters_only_with_it():
    whole = answer(1, "ab", character("Ann", None), event("Dawn", 0))

    (part,) = entering("a", whole)

    assert [operation.cite for operation in part.operations] == [0]
    assert part.lacks == (0, 1)


def test_upkeep_enters_if_what_it_read_stands():
    first = answer(1, "ab", character("Ann"), update("Ann", 1, state="sad"))
    record = upkeep(2, "ab", over(find(told("ab", first), "Ann")), archive("Ann", None))

    assert record in entering("ab", first, record)
    assert record in entering("ab", first, record, off(3, record))
    assert record not in entering("a", first, record)


def test_what_the_user_did_always_enters():
    made = edit(2, "ab", update("Bob", None, goal="sea"))

    assert entering("", made, off(3, made)) == [made, off(3, made)]


def test_a_part_stands_for_its_answer_until_that_is_there():
    """The message that it lacks is read again, should it come back."""
    assert canonical(told("ac", PART, answer(2, "c"))) == canonical(told("ac", BOTH, answer(2, "c")))
    assert told("ab", PART).pending == (False, True)
    assert canonical(told("ab", PART, BOTH)) == canonical(told("ab", BOTH))


def test_of_two_parts_the_fuller_counts():
    fuller = replace(BOTH, part_of=record_id(BOTH), lacks=())

    assert told("ab", PART, fuller).pending == (False, False)


def test_undoing_an_answer_undoes_its_part():
    assert told("a", PART, off(2, BOTH)).nodes == {}


def test_what_is_carried_in_part_keeps_its_turn():
    """Two servers numbered different answers alike: the higher id wins, whole or in part."""
    for name in ("Bob", "Cleo", "Dora", "Eve"):
        rival = answer(1, "xb", Operation("create", 1, "character", {"name": name}))
        whole, parts = RecordSet([BOTH, rival]), RecordSet(entering("b", BOTH, rival))

        assert canonical(fold(("b",), parts)) == canonical(fold(("b",), whole))

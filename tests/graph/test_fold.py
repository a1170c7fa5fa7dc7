"""The graph is a function of records and view alone; how it is computed shows nowhere (rules 19, 27, 28, 46)."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from graph import strategies
from graph.story import answer, archive, character, edit, find, off, on, over, records, told, update, upkeep
from scenarios.memory_model import canonical
from st_bme.graph.fold import Folder, fold
from st_bme.graph.records import Mark, RecordSet, Stamp, record_id
from st_bme.graph.schedule import anchor_of

KEYS = tuple(f"key{number:05d}" for number in range(48))

_place = st.integers(0, 60)
_splice = st.tuples(st.just("view"), _place, st.integers(0, 3), st.lists(st.sampled_from(KEYS), max_size=3))
_answer = st.tuples(st.just("answer"), _place, st.integers(1, 5), strategies.answers)
_edit = st.tuples(st.just("edit"), _place, st.just(0), strategies.edits)
_mark = st.tuples(st.just("mark"), _place, st.integers(0, 1), st.none())
_history = st.lists(st.one_of(_splice, _answer, _edit, _mark), min_size=1, max_size=15)


def played(history):
    """The view and the records after each step of a history that begins with a chat of 48 messages."""
    view, kept = list(KEYS), RecordSet()
    for kind, place, size, what in history:
        match kind:
            case "view":
                view[place : place + size] = what
            case "answer":
                run = tuple(view[place : place + size])
                kept.add(replace(what, run=run, stamp=Stamp(kept.highest_n + 1)))
            case "edit":
                kept.add(replace(what, anchor=anchor_of(view[: place + 1]), stamp=Stamp(kept.highest_n + 1)))
            case "mark" if len(kept):
                target = list(kept.ids())[place % len(kept)]
                kept.add(Mark(Stamp(kept.highest_n + 1), "m", target, off=bool(size)))
        yield tuple(view), kept


@given(_history)
def test_a_fold_from_checkpoints_is_the_fold_from_the_beginning(history):
    folder = Folder()
    for view, kept in played(history):
        graph, fresh = folder.fold(view, kept), fold(view, kept)

        assert canonical(graph) == canonical(fresh)
        assert (graph.live, graph.dormant, graph.drops) == (fresh.live, fresh.dormant, fresh.drops)


def test_a_growing_chat_keeps_checkpoints_all_along():
    view = tuple(str(number) for number in range(600))
    folder, kept = Folder(), RecordSet()
    for end in range(2, 601, 2):
        kept.add(answer(end, view[end - 2 : end]))
        folder.fold(view[:end], kept)

    places = sorted(folder._checkpoints)

    assert len(places) <= 10
    for distance in (20, 50, 100, 300):
        before = max(place for place in places if place <= 600 - distance)
        assert 600 - before <= 2 * distance + 16, f"a change {distance} from the end refolds from {before}"


def test_going_back_and_forth_never_changes_an_earlier_graph():
    folder = Folder()
    listed = records(*(answer(n, f"{n}", character(f"C{n}")) for n in range(1, 10)))
    whole = folder.fold("123456789", listed)
    shown = list(whole.nodes)

    folder.fold("1234", listed)
    again = folder.fold("123456789", listed)

    assert list(whole.nodes) == shown
    assert canonical(again) == canonical(whole)


def test_a_copied_folder_goes_its_own_way():
    view = tuple(f"m{number}" for number in range(64))
    kept = RecordSet(answer(number + 1, [key], character(f"Node {number}")) for number, key in enumerate(view))
    folder = Folder()
    whole = folder.fold(view, kept)

    twin = folder.copy()
    shorter = twin.fold(view[:40], kept)

    assert canonical(shorter) == canonical(fold(view[:40], kept))
    assert canonical(folder.fold(view, kept)) == canonical(whole)


def test_undo_and_redo_of_an_answer():
    ann, bob = answer(1, "a", character("Ann")), answer(2, "b", character("Bob"))
    both = told("ab", ann, bob)

    undone = told("ab", ann, bob, off(3, ann))

    assert find(undone, "Ann") is None
    assert not any(undone.pending)
    assert canonical(told("ab", ann, bob, off(3, ann), on(4, ann))) == canonical(both)


def test_undo_of_one_answer_keeps_what_later_ones_said():
    listed = [
        answer(1, "a", character("Ann", state="sad")),
        answer(2, "b", update("Ann", state="glad")),
        answer(3, "c", update("Ann", goal="sea")),
    ]

    ann = find(told("abc", *listed, off(4, listed[1])), "Ann")

    assert ann.fields == {"name": "Ann", "state": "sad", "goal": "sea"}


def test_undo_of_a_user_edit_restores_what_the_story_said():
    listed = [answer(1, "a", character("Ann", state="sad"))]
    before = told("a", *listed)
    made = edit(2, "a", update("Ann", None, state="glad"))

    assert canonical(told("a", *listed, made, off(3, made))) == canonical(before)


def test_undo_of_upkeep_wakes_what_it_archived():
    first = answer(1, "a", character("Ann"))
    asleep = upkeep(2, "a", over(find(told("a", first), "Ann")), archive("Ann", None))

    assert find(told("a", first, asleep), "Ann").archived
    assert not find(told("a", first, asleep, off(3, asleep)), "Ann").archived


def test_a_deleted_message_takes_its_memory_along_and_brings_it_back():
    listed = [answer(1, "a", character("Ann")), answer(2, "b", update("Ann", state="sad"))]
    whole = told("ab", *listed)

    assert find(told("a", *listed), "Ann").fields == {"name": "Ann"}
    assert canonical(told("ab", *listed)) == canonical(whole)


def test_moved_messages_are_folded_where_they_stand():
    listed = [answer(1, "a", character("Ann", state="sad")), answer(2, "b", character("Ann", state="glad"))]

    assert find(told("ab", *listed), "Ann").fields["state"] == "glad"
    assert find(told("ba", *listed), "Ann").fields["state"] == "sad"


def test_an_older_message_read_later_does_not_overwrite_a_newer_one():
    late = answer(9, "a", character("Ann", state="sad"))

    assert find(told("ab", answer(1, "b", character("Ann", state="glad")), late), "Ann").fields["state"] == "glad"


def test_a_graph_names_what_lives_and_what_sleeps():
    here, gone, undone = answer(1, "a"), answer(2, "x"), answer(3, "b")
    waits = edit(4, "a", update("Nobody", None, state="sad"))

    graph = told("ab", here, gone, undone, waits, off(5, undone))

    assert graph.live == {record_id(here), record_id(waits)}
    assert graph.dormant == {record_id(gone), record_id(undone)}
    assert [drop.record_id for drop in graph.drops] == [record_id(waits)]


def test_the_fold_of_nothing_is_an_empty_graph():
    graph = fold((), RecordSet())

    assert (graph.view, graph.nodes, graph.edges, graph.pending) == ((), {}, {}, ())


def test_places_are_the_first_of_each_key():
    assert told("aba").places() == {"a": 0, "b": 1}

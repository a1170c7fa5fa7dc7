"""Which answers live, and what is still to be read (docs/storage.md, rules 14 to 16)."""

import time

from graph.story import answer, character, off, on, records
from st_bme.graph.live import cover

NONE = frozenset()


def owners(view, listed):
    """For each message the n of its owner, with * where only what cites it lives; - without one."""
    kept = records(*listed)
    shown = []
    for owner in cover(tuple(view), kept, kept.switched_off()).owners:
        if owner is None:
            shown.append("-")
        elif owner.answer is None:
            shown.append("0")
        else:
            shown.append(f"{owner.answer.stamp.n}{'' if owner.whole else '*'}")
    return " ".join(shown)


def pending(view, listed):
    kept = records(*listed)
    flags = cover(tuple(view), kept, kept.switched_off()).pending
    return "".join(key for key, flag in zip(view, flags, strict=True) if flag)


def test_an_answer_owns_its_run_where_the_run_stands_whole():
    assert owners("abcd", [answer(1, "ab"), answer(2, "cd")]) == "1 1 2 2"


def test_a_message_that_no_answer_read_is_pending():
    assert owners("abc", [answer(1, "ab")]) == "1 1 -"
    assert pending("abc", [answer(1, "ab")]) == "c"


def test_an_empty_answer_covers_its_messages():
    assert pending("ab", [answer(1, "ab")]) == ""


def test_what_is_left_of_a_run_belongs_to_it_by_citation_only():
    assert owners("acd", [answer(1, "ab", character("Ann")), answer(2, "cd")]) == "1* 2 2"
    assert pending("acd", [answer(1, "ab", character("Ann")), answer(2, "cd")]) == ""


def test_what_is_left_of_a_run_is_pending_if_the_run_said_something_as_a_whole():
    whole = answer(1, "ab", character("Ann", None))

    assert owners("a", [whole]) == "1*"
    assert pending("a", [whole]) == "a"


def test_a_message_moved_into_a_run_breaks_it():
    assert owners("axb", [answer(1, "ab"), answer(2, "x")]) == "1* 2 1*"


def test_the_newest_of_overlapping_runs_goes_first():
    assert owners("abc", [answer(1, "ab"), answer(2, "bc")]) == "1* 2 2"
    assert owners("abc", [answer(2, "ab"), answer(1, "bc")]) == "2 2 1*"


def test_of_overlapping_runs_of_one_record_the_left_one_goes_first():
    assert owners("aaa", [answer(1, "aa")]) == "1 1 1*"


def test_one_run_at_two_places_lives_at_both():
    assert owners("abab", [answer(1, "ab")]) == "1 1 1 1"


def test_a_leftover_belongs_to_the_newest_answer_that_had_it():
    assert owners("b", [answer(3, "ab"), answer(2, "bc")]) == "3*"
    assert owners("b", [answer(2, "ab"), answer(3, "bc")]) == "3*"


def test_of_answers_to_one_run_the_newest_not_marked_off_counts():
    first, second = answer(1, "ab"), answer(2, "ab")

    assert owners("ab", [first, second]) == "2 2"
    assert owners("ab", [first, second, off(3, second)]) == "1 1"
    assert owners("ab", [first, second, off(3, second), on(4, second)]) == "2 2"


def test_a_run_whose_answers_are_all_marked_off_is_covered_and_empty():
    first, second = answer(1, "ab", character("Ann", None)), answer(2, "ab")
    listed = [first, second, off(3, first), off(4, second)]

    assert owners("ab", listed) == "0 0"
    assert pending("ab", listed) == ""


def test_an_undone_leftover_is_covered_too():
    whole = answer(1, "ab", character("Ann", None))

    assert owners("a", [whole, off(2, whole)]) == "0"
    assert pending("a", [whole, off(2, whole)]) == ""


def test_of_answers_with_one_n_the_higher_id_counts_in_any_order():
    one, other = answer(1, "ab", character("Ann")), answer(1, "ab", character("Bob"))

    first = cover(("a", "b"), records(one, other), NONE)
    second = cover(("a", "b"), records(other, one), NONE)

    assert first == second


def test_fifty_times_ok_costs_one_answer():
    assert pending(["ok"] * 50, [answer(1, ["ok"])]) == ""


def test_five_thousand_equal_messages_are_covered_quickly():
    listed = records(*(answer(n, ["ok"] * n) for n in range(1, 40)))
    started = time.perf_counter()

    coverage = cover(("ok",) * 5_000, listed, NONE)

    assert time.perf_counter() - started < 5
    assert not any(coverage.pending)

"""What happens at which message (docs/storage.md, rules 19 and 20)."""

from graph.story import answer, character, edit, off, records, upkeep
from st_bme.graph.records import Stamp, UserEdit
from st_bme.graph.schedule import anchor_of, plan_fold


def plan(view, *listed):
    """`key: what happens there`, one entry a message."""
    kept = records(*listed)
    shown = []
    for key, steps in plan_fold(tuple(view), kept).places:
        told = [f"{step.kind}{kept.get(step.record_id).stamp.n}" for step in steps]
        shown.append(f"{key}: {' '.join(told)}".strip())
    return shown


def test_what_cites_a_message_comes_before_what_its_run_said():
    assert plan("ab", answer(1, "ab", character("Ann", 1))) == ["a: cited1", "b: cited1 whole1"]


def test_answers_come_before_upkeep_and_edits_and_these_by_n():
    listed = [edit(2, "ab"), upkeep(3, "ab", {}), edit(4, "ab"), answer(9, "ab")]

    assert plan("ab", *listed) == ["a: cited9", "b: cited9 whole9 user2 upkeep3 user4"]


def test_what_is_marked_off_does_not_happen():
    first = edit(2, "a")

    assert plan("a", answer(1, "a"), first, off(3, first)) == ["a: cited1 whole1"]


def test_of_two_upkeep_records_over_the_same_reads_the_lower_counts():
    assert plan("a", upkeep(1, "a", {"x": "1"}), upkeep(2, "a", {"x": "1"})) == ["a: upkeep1"]


def test_an_undone_upkeep_is_not_replaced_by_its_repeat():
    first = upkeep(1, "a", {"x": "1"})

    assert plan("a", first, upkeep(2, "a", {"x": "1"}), off(3, first)) == ["a: undone1"]


def test_upkeep_over_other_reads_is_another_decision():
    assert plan("a", upkeep(1, "a", {"x": "1"}), upkeep(2, "a", {"x": "2"})) == ["a: upkeep1 upkeep2"]


def test_an_edit_of_an_empty_chat_happens_in_the_empty_view():
    assert plan("", edit(1, "")) == [": user1"]


def test_an_anchor_names_keys_ever_farther_back():
    view = tuple(str(number) for number in range(300))

    assert anchor_of(view) == tuple(
        str(299 - distance) for distance in (0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 128, 256)
    )


def test_the_anchor_of_a_short_chat_is_what_there_is():
    assert anchor_of(("a", "b", "c")) == ("c", "b", "a")
    assert anchor_of(()) == ()


def test_a_record_stays_at_its_message_while_the_chat_goes_on():
    assert plan("abcd", edit(1, "ab")) == ["a:", "b: user1", "c:", "d:"]


def test_a_record_whose_message_is_gone_moves_to_the_one_before():
    assert plan("acd", edit(1, "ab")) == ["a: user1", "c:", "d:"]


def test_a_record_none_of_whose_messages_is_left_goes_to_the_end():
    assert plan("xyz", edit(1, "ab")) == ["x:", "y:", "z: user1"]


def test_a_repeat_of_the_text_later_does_not_draw_a_record_after_it():
    edited = UserEdit(Stamp(1), "e", (), anchor_of(("a", "b", "ok")))

    at = [place for place, told in enumerate(plan(["a", "b", "ok", "c", "ok"], edited)) if "user1" in told]

    assert at == [2]


def test_a_repeat_of_the_text_before_does_not_hold_a_record_back():
    edited = UserEdit(Stamp(1), "e", (), anchor_of(("ok", "a", "ok")))

    at = [place for place, told in enumerate(plan(["ok", "a", "ok", "ok", "ok"], edited)) if "user1" in told]

    assert at == [2]


def test_a_record_between_equal_texts_keeps_its_place_when_one_before_goes():
    edited = UserEdit(Stamp(1), "e", (), anchor_of(("ok", "ok", "a", "ok")))

    at = [place for place, told in enumerate(plan(["ok", "a", "ok", "ok"], edited)) if "user1" in told]

    assert at == [2]


def test_a_condensed_run_is_taken_once():
    """The lower n takes it, wherever the two are anchored."""
    first, second = upkeep(1, "abcd", {}, run="abc"), upkeep(2, "abc", {}, run="bc")

    assert plan("abcd", first, second) == ["a:", "b:", "c:", "d: upkeep1"]
    assert plan("xbcd", first, second) == ["x:", "b:", "c: upkeep2", "d:"]


def test_an_undone_run_stays_taken():
    first, second = upkeep(1, "abc", {}, run="ab"), upkeep(2, "abc", {}, run="bc")

    assert plan("abc", first, second, off(3, first)) == ["a:", "b:", "c: undone1"]


def test_tasks_do_not_take_runs_from_each_other():
    first, second = upkeep(1, "ab", {}, run="ab"), upkeep(2, "ab", {}, run="ab", task="other")

    assert plan("ab", first, second) == ["a:", "b: upkeep1 upkeep2"]


def test_a_run_is_condensed_where_it_ends_now():
    assert plan("cab", upkeep(1, "abc", {}, run="ab")) == ["c:", "a:", "b: upkeep1"]


def test_what_was_made_before_the_first_message_comes_first():
    assert plan("ab", edit(1, "")) == ["a: user1", "b:"]

"""Which runs are due. `u` is a user message, `a` a reply, `n` a narrator's line; a capital letter is pending."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from st_bme.model.message import Role
from st_bme.write.plan import Plan, PlanRules, plan_extraction, tail_of

_ROLES: dict[str, Role] = {"u": "user", "a": "assistant", "n": "narrator"}


def planned(view: str, rules: PlanRules) -> Plan:
    return plan_extraction([_ROLES[letter.lower()] for letter in view], [letter.isupper() for letter in view], rules)


def plan(view: str, *, every: int = 1, greeting: bool = True, flush: bool = False) -> list[tuple[int, int]]:
    runs = planned(view, PlanRules(every=every, greeting=greeting, flush=flush)).runs
    return [(run.start, run.stop) for run in runs]


@pytest.mark.parametrize(
    ("view", "every", "runs"),
    [
        pytest.param("", 1, [], id="empty chat"),
        pytest.param("A", 1, [], id="a greeting alone waits"),
        pytest.param("AU", 1, [], id="a greeting and a question wait"),
        pytest.param("AUA", 1, [(0, 3)], id="the greeting goes with the first reply"),
        pytest.param("AUAUA", 1, [(0, 3), (3, 5)], id="one run a reply"),
        pytest.param("auaUA", 1, [(3, 5)], id="a reply takes the question before it"),
        pytest.param("auaUUNA", 1, [(3, 7)], id="and all that was said since the last reply"),
        pytest.param("auaU", 1, [], id="a question at the end waits"),
        pytest.param("auaUAU", 1, [(3, 5)], id="also behind a run that is due"),
        pytest.param("uaUAUA", 3, [], id="two of three replies wait"),
        pytest.param("UAUAUAUA", 3, [(0, 6)], id="the first three are due, the fourth waits"),
        pytest.param("aUAua", 3, [(1, 3)], id="a hole does not wait for more replies"),
        pytest.param("aUaua", 1, [(1, 2)], id="an edited question is a hole"),
        pytest.param("aAUua", 1, [(1, 3)], id="what is behind the last reply of a hole goes along"),
        pytest.param("auAuaUA", 3, [(2, 3)], id="the hole is due though the end is not"),
        pytest.param("Aua", 1, [(0, 1)], id="a greeting that was edited is a hole"),
    ],
)
def test_due_runs(view, every, runs):
    assert plan(view, every=every) == runs


def test_nothing_waits_when_flushed():
    assert plan("AUAUAUAUAU", every=3, flush=True) == [(0, 7), (7, 10)]
    assert plan("AU", flush=True) == [(0, 2)]
    assert plan("auU", flush=True) == [(2, 3)]


def test_a_chat_that_is_too_short_waits_unless_it_is_flushed():
    assert planned("AUA", PlanRules(least=4)) == Plan(reason="too_few_messages")
    assert planned("AUAU", PlanRules(least=4)).runs == (range(3),)
    assert planned("AUA", PlanRules(least=4, flush=True)).runs == (range(3),)


def test_greeting_is_left_out_by_the_setting():
    assert plan("AUA", greeting=False) == [(1, 3)]
    assert plan("A", greeting=False, flush=True) == []
    assert plan("UA", greeting=False) == [(0, 2)]


views = st.text(alphabet="uanUAN", max_size=40)


@given(view=views, every=st.integers(1, 4), greeting=st.booleans(), flush=st.booleans())
def test_runs_are_pending_ordered_and_no_longer_than_asked(view, every, greeting, flush):
    runs = plan(view, every=every, greeting=greeting, flush=flush)

    assert all(before[1] <= after[0] for before, after in itertools.pairwise(runs))
    for start, stop in runs:
        assert start < stop
        assert view[start:stop].isupper()
        assert view[max(start, 1) : stop].count("A") <= every


@given(view=views, every=st.integers(1, 4))
def test_flush_leaves_nothing_pending(view, every):
    covered = {position for start, stop in plan(view, every=every, flush=True) for position in range(start, stop)}

    assert covered == {position for position, letter in enumerate(view) if letter.isupper()}


@given(view=views, every=st.integers(1, 4))
def test_only_the_end_waits_and_with_too_few_replies(view, every):
    covered = {position for start, stop in plan(view, every=every) for position in range(start, stop)}
    waiting = [position for position, letter in enumerate(view) if letter.isupper() and position not in covered]

    if waiting:
        rest = view[waiting[0] :]
        assert rest.isupper()
        assert view[max(waiting[0], 1) :].count("A") < every


@given(view=views, every=st.integers(1, 4))
def test_asking_in_steps_comes_to_the_same_runs(view, every):
    """What has been covered does not change what else is due."""
    runs = plan(view, every=every)
    if not runs:
        return
    start, stop = runs[0]
    after_first = view[:start] + view[start:stop].lower() + view[stop:]

    assert plan(after_first, every=every) == runs[1:]


@pytest.mark.parametrize(
    ("view", "rules", "reason"),
    [
        pytest.param("auUA", PlanRules(enabled=False), "disabled", id="memory is off"),
        pytest.param("auUA", PlanRules(automatic=False), "on_request_only", id="only when asked"),
        pytest.param("auau", PlanRules(), "nothing_pending", id="all is read"),
        pytest.param("auaU", PlanRules(), "nothing_pending", id="no reply yet"),
        pytest.param("auUA", PlanRules(lag_one=True), "newest_waits", id="the newest waits"),
        pytest.param("auUA", PlanRules(every=2), "too_few_replies", id="fewer than asked for"),
    ],
)
def test_a_plan_without_runs_says_why(view, rules, reason):
    assert planned(view, rules) == Plan((), reason)


def test_lag_one_leaves_the_newest_reply_out_until_another_came():
    rules = PlanRules(lag_one=True)

    assert planned("auUAUA", rules).runs == (range(2, 4),)
    assert planned("auUAUAUA", rules).runs == (range(2, 4), range(4, 6))
    assert planned("aUAua", rules).runs == (range(1, 3),), "a hole is not the newest"


def test_what_does_not_wait_is_one_run_of_all_that_is_pending():
    assert planned("auUAUA", PlanRules(every=5, at_once=True)).runs == (range(2, 6),)
    assert planned("auUAUAU", PlanRules(every=1, at_once=True)).runs == (range(2, 6),)
    assert planned("auUAUA", PlanRules(every=5, at_once=True, lag_one=True)).runs == (range(2, 4),)


def test_a_request_reads_also_where_nothing_is_read_by_itself():
    assert planned("auUA", PlanRules(enabled=False, automatic=False, lag_one=True, every=3, flush=True)).runs == (
        range(2, 4),
    )


def test_the_tail_is_what_is_pending_behind_all_that_was_read():
    assert tail_of([False, True, False, True, True]) == range(3, 5)
    assert tail_of([True, False]) == range(2, 2)
    assert tail_of([]) == range(0)

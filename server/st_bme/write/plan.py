"""Which pending messages are asked about now, and in which runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from st_bme.model.message import Role

MOST_AT_ONCE = 20
"""Replies of one run that does not wait: more would not fit a model's attention."""

WaitReason = Literal[
    "", "disabled", "on_request_only", "nothing_pending", "newest_waits", "too_few_replies", "too_few_messages"
]


@dataclass(frozen=True, slots=True)
class PlanRules:
    """When messages are read.

    every: replies a run, at least 1.
    least: messages that the chat must have before any is read.
    greeting: whether a reply that opens the chat is read at all. It goes along with the run behind it.
    enabled, automatic: whether anything is read, and whether without being asked.
    lag_one: the newest reply is left out until another one came, since it is the one that still changes.
    at_once: all replies that are pending at the end of the view are read now, together.
    flush: nothing waits.
    """

    every: int = 1
    least: int = 1
    greeting: bool = True
    enabled: bool = True
    automatic: bool = True
    lag_one: bool = False
    at_once: bool = False
    flush: bool = False


@dataclass(frozen=True, slots=True)
class Plan:
    """Runs that are due, first to last, as ranges of positions in the view; where there is none, why."""

    runs: tuple[range, ...] = ()
    reason: WaitReason = ""


def plan_extraction(roles: Sequence[Role], pending: Sequence[bool], rules: PlanRules) -> Plan:
    """What is due. Runs do not overlap and consist of pending messages only.

    A reply belongs with what was said since the reply before it. A hole, which is a stretch of pending messages
    with a covered one behind it, is due at once. At the end of the view runs of `every` replies are due, and the
    rest waits, as does what still has no reply.

    Args:
        roles: role of each message of the view.
        pending: whether each has no owner yet.
    """
    if not rules.flush and not (rules.enabled and rules.automatic):
        return Plan(reason="on_request_only" if rules.enabled else "disabled")
    if not rules.flush and len(roles) < rules.least:
        return Plan(reason="too_few_messages")
    stretches = list(_pending_stretches(roles, pending, rules.greeting))
    runs: list[range] = []
    for stretch in stretches:
        runs.extend(_runs_of(stretch, roles, rules))
    return Plan(tuple(runs), "" if runs else _why_none(stretches, roles, rules))


def tail_of(pending: Sequence[bool]) -> range:
    """The pending messages at the end of a view, behind which none is covered."""
    start = len(pending)
    while start > 0 and pending[start - 1]:
        start -= 1
    return range(start, len(pending))


def _why_none(stretches: Sequence[range], roles: Sequence[Role], rules: PlanRules) -> WaitReason:
    replies = sum(len(_replies(stretch, roles)) for stretch in stretches)
    if replies == 0:
        return "nothing_pending"
    return "newest_waits" if rules.lag_one and replies == 1 else "too_few_replies"


def _pending_stretches(roles: Sequence[Role], pending: Sequence[bool], greeting: bool) -> Iterator[range]:
    first = 1 if roles and roles[0] == "assistant" and not greeting else 0
    start: int | None = None
    for position in range(first, len(roles)):
        if pending[position] and start is None:
            start = position
        elif not pending[position] and start is not None:
            yield range(start, position)
            start = None
    if start is not None:
        yield range(start, len(roles))


def _replies(stretch: range, roles: Sequence[Role]) -> list[int]:
    return [position for position in stretch if position > 0 and roles[position] == "assistant"]


def _runs_of(stretch: range, roles: Sequence[Role], rules: PlanRules) -> Iterator[range]:
    replies, every = _replies(stretch, roles), rules.every
    is_hole = stretch.stop < len(roles)
    if not is_hole and not rules.flush:
        if rules.lag_one:
            replies = replies[:-1]
        if rules.at_once:
            every = max(1, min(len(replies), MOST_AT_ONCE))
    keep_rest = is_hole or rules.flush
    start = stretch.start
    for last in range(every - 1, len(replies), every):
        # What is kept behind the very last reply goes along with it: it is not worth a call of its own.
        stop = stretch.stop if keep_rest and last == len(replies) - 1 else replies[last] + 1
        yield range(start, stop)
        start = stop
    if keep_rest and start < stretch.stop:
        yield range(start, stretch.stop)

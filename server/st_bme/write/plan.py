"""Which pending messages are asked about now, and in which runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from st_bme.model.message import Role


def plan_runs(
    roles: Sequence[Role], pending: Sequence[bool], *, every: int, greeting: bool, flush: bool = False
) -> list[range]:
    """Runs that are due, first to last, as ranges of positions in the view.

    A reply belongs with what was said since the reply before it. A hole, which is a stretch of pending messages
    with a covered one behind it, is due at once. At the end of the view runs of `every` replies are due, and the
    rest waits, as does what still has no reply.

    Args:
        roles: role of each message of the view.
        pending: whether each has no owner yet.
        every: replies a run, at least 1.
        greeting: whether a reply that opens the chat is read at all. It goes along with the run behind it.
        flush: nothing waits.
    Returns: runs that do not overlap, each of pending messages only, with `every` replies at most; a greeting is
        not counted.
    """
    runs: list[range] = []
    for stretch in _pending_stretches(roles, pending, greeting):
        is_hole = stretch.stop < len(roles)
        runs.extend(_runs_of(stretch, roles, every, keep_rest=is_hole or flush))
    return runs


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


def _runs_of(stretch: range, roles: Sequence[Role], every: int, *, keep_rest: bool) -> Iterator[range]:
    replies = [position for position in stretch if position > 0 and roles[position] == "assistant"]
    start = stretch.start
    for last in range(every - 1, len(replies), every):
        # What is kept behind the very last reply goes along with it: it is not worth a call of its own.
        stop = stretch.stop if keep_rest and last == len(replies) - 1 else replies[last] + 1
        yield range(start, stop)
        start = stop
    if keep_rest and start < stretch.stop:
        yield range(start, stretch.stop)

"""Which answers live in a view, and which of its messages nobody has read yet (docs/storage.md, rules 14–16)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from st_bme.graph.records import Answer, Base, RecordSet

Run = tuple[str, ...]


class Owner(NamedTuple):
    """Who owns a message of the view. A tuple, since each fold makes one a message and tuples are made fastest.

    `answer_id` "" means covered and empty: every answer of its run is marked off. With an id and no answer a base
    (docs/storage.md, rule 35) of this id owns it. `cite` is the place of the message in the run, by which operations
    cite it. `whole`: the whole run stands here; otherwise only what cites this message lives.
    """

    answer_id: str
    answer: Answer | None
    cite: int
    whole: bool

    @property
    def is_base(self) -> bool:
        return self.answer is None and self.answer_id != ""


@dataclass(frozen=True, slots=True)
class Coverage:
    """Owners and pending flags, one a position of the view."""

    owners: tuple[Owner | None, ...]
    pending: tuple[bool, ...]


class _Effective(NamedTuple):
    """What counts for one run: its newest answer not marked off; with all marked off, none.

    `order` is n and id, of an answer that is carried in part those of the whole.
    """

    order: tuple[int, str]
    identity: str
    answer: Answer | None


def _answers(records: RecordSet) -> Iterator[tuple[tuple[int, str], str, Answer]]:
    """(order, id, answer), ordered: all answers, but of those carried in part the fullest one where none is whole."""
    answers = [(identity, record) for _, identity, record in records.in_order() if isinstance(record, Answer)]
    fullest: dict[str, tuple[int, str]] = {}
    for identity, answer in answers:
        if answer.part_of:
            part = (len(answer.lacks), identity)
            fullest[answer.part_of] = min(fullest.get(answer.part_of, part), part)
    for whole in fullest.keys() & set(records.ids()):
        fullest[whole] = (0, whole)
    counted = (
        ((answer.stamp.n, answer.part_of or identity), identity, answer)
        for identity, answer in answers
        if answer.run and (not answer.part_of or fullest[answer.part_of][1] == identity)
    )
    yield from sorted(counted, key=lambda entry: entry[0]) if fullest else counted


def _effective_answers(records: RecordSet, off: frozenset[str]) -> dict[Run, _Effective]:
    effective: dict[Run, _Effective] = {}
    for order, identity, answer in _answers(records):
        if identity not in off and answer.part_of not in off:
            effective[answer.run] = _Effective(order, identity, answer)
        elif answer.run not in effective or effective[answer.run].answer is None:
            effective[answer.run] = _Effective(order, "", None)
    return effective


def standing_runs(view: Sequence[str], runs: Collection[Run]) -> Iterator[tuple[int, Run]]:
    """(position, run) wherever one of the runs stands consecutively, from the left."""
    lengths: dict[str, set[int]] = defaultdict(set)
    for run in runs:
        lengths[run[0]].add(len(run))
    for position, key in enumerate(view):
        for length in lengths.get(key, ()):
            run = tuple(view[position : position + length])
            if run in runs:
                yield position, run


def cover(view: Sequence[str], records: RecordSet, off: frozenset[str]) -> Coverage:
    """Decide the owner of each message of the view: whole runs first, newest first, then single messages."""
    effective = _effective_answers(records, off)
    owners: list[Owner | None] = [None] * len(view)
    turns = ((-effective[run].order[0], at, effective[run].order[1], run) for at, run in standing_runs(view, effective))
    for _, position, _, run in sorted(turns):
        stop = position + len(run)
        if not any(owners[position:stop]):
            _, identity, answer = effective[run]
            owners[position:stop] = [Owner(identity, answer, index, True) for index in range(len(run))]
    left = frozenset(key for key, owner in zip(view, owners, strict=True) if owner is None)
    newest = _newest_with(left, effective)
    owners = [owner or newest.get(key) for key, owner in zip(view, owners, strict=True)]
    pending = [_is_pending(owner) for owner in owners]
    _give_to_bases(view, records, off, (owners, pending))
    return Coverage(tuple(owners), tuple(pending))


def _is_pending(owner: Owner | None) -> bool:
    """True where nothing is said of a message, or not all of it."""
    if owner is None:
        return True
    answer = owner.answer
    if answer is None:
        return False
    said_as_a_whole = not owner.whole and any(operation.cite is None for operation in answer.operations)
    return said_as_a_whole or owner.cite in answer.lacks


def _give_to_bases(
    view: Sequence[str], records: RecordSet, off: frozenset[str], found: tuple[list[Owner | None], list[bool]]
) -> None:
    """What no whole run says in full belongs to the newest base that knows it; with all of these off it is empty."""
    owners, pending = found
    bases = _bases(records)
    if not bases:
        return
    holder = {key: Owner("", None, 0, False) for _, base in bases for key in base.known}
    for identity, base in bases:
        if identity not in off and base.part_of not in off:
            holder |= dict.fromkeys(base.known, Owner(identity, None, 0, False))
    unread = {key: base.pending for _, base in bases for key in base.known}
    for place, key in enumerate(view):
        owner = owners[place]
        is_said = owner is not None and owner.answer is not None and not pending[place]
        is_whole = owner is not None and owner.whole
        if key in holder and not (is_said and (is_whole or key in unread[key])):
            owners[place] = holder[key]
            pending[place] = key in unread[key]


def _bases(records: RecordSet) -> list[tuple[str, Base]]:
    """(id, base), ordered: all bases, but of those carried in part the fullest one where none is whole."""
    bases = [(identity, record) for _, identity, record in records.in_order() if isinstance(record, Base)]
    fullest: dict[str, tuple[int, str]] = {}
    for identity, base in bases:
        if base.part_of:
            part = (len(base.known), identity)
            fullest[base.part_of] = max(fullest.get(base.part_of, part), part)
    return [
        (identity, base)
        for identity, base in bases
        if base.part_of == "" or (base.part_of not in records and fullest[base.part_of][1] == identity)
    ]


def _newest_with(keys: frozenset[str], effective: dict[Run, _Effective]) -> dict[str, Owner]:
    """For each of these keys the newest answer that had it in its run, as the owner of what is left of that run."""
    newest: dict[str, tuple[tuple[int, str], Run, int]] = {}
    for run, entry in effective.items():
        for index, key in enumerate(run):
            if key in keys:
                candidate = (entry.order, run, index)
                newest[key] = max(newest.get(key, candidate), candidate)
    return {
        key: Owner(effective[run].identity, effective[run].answer, index, False)
        for key, (_, run, index) in newest.items()
    }

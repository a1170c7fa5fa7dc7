"""Which answers live in a view, and which of its messages nobody has read yet (docs/storage.md, rules 14–16)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from st_bme.graph.records import Answer, RecordSet

Run = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Owner:
    """Who owns a message of the view.

    `answer_id` "" means covered and empty: every answer of its run is marked off. `index` is the place of the
    message in the run. `whole`: the whole run stands here; otherwise only what cites this message lives.
    """

    answer_id: str
    answer: Answer | None
    index: int
    whole: bool


@dataclass(frozen=True, slots=True)
class Coverage:
    """Owners and pending flags, one a position of the view."""

    owners: tuple[Owner | None, ...]
    pending: tuple[bool, ...]


@dataclass(frozen=True, slots=True)
class _Effective:
    """What counts for one run: its newest answer not marked off; with all marked off, none."""

    n: int
    identity: str
    answer: Answer | None


def _effective_answers(records: RecordSet, off: frozenset[str]) -> dict[Run, _Effective]:
    effective: dict[Run, _Effective] = {}
    for n, identity, record in records.in_order():
        if not isinstance(record, Answer) or not record.run:
            continue
        if identity not in off:
            effective[record.run] = _Effective(n, identity, record)
        elif record.run not in effective or effective[record.run].answer is None:
            effective[record.run] = _Effective(n, "", None)
    return effective


def _standing_runs(view: Sequence[str], effective: dict[Run, _Effective]) -> list[tuple[int, int, str, Run]]:
    """(-n, position, id, run) of each run that stands consecutively, in the order in which they take messages."""
    lengths: dict[str, set[int]] = defaultdict(set)
    for run in effective:
        lengths[run[0]].add(len(run))
    found = []
    for position, key in enumerate(view):
        for length in lengths.get(key, ()):
            run = tuple(view[position : position + length])
            if run in effective:
                found.append((-effective[run].n, position, effective[run].identity, run))
    return sorted(found)


def cover(view: Sequence[str], records: RecordSet, off: frozenset[str]) -> Coverage:
    """Decide the owner of each message of the view: whole runs first, newest first, then single messages."""
    effective = _effective_answers(records, off)
    owners: list[Owner | None] = [None] * len(view)
    for _, position, identity, run in _standing_runs(view, effective):
        places = range(position, position + len(run))
        if any(owners[place] for place in places):
            continue
        for index, place in enumerate(places):
            owners[place] = Owner(identity, effective[run].answer, index, whole=True)
    newest: dict[str, tuple[int, str, Run, int]] = {}
    for run, entry in effective.items():
        for index, key in enumerate(run):
            candidate = (entry.n, entry.identity, run, index)
            if key not in newest or newest[key] < candidate:
                newest[key] = candidate
    pending = [False] * len(view)
    for place, key in enumerate(view):
        if owners[place] is not None:
            continue
        if key not in newest:
            pending[place] = True
            continue
        _, identity, run, index = newest[key]
        answer = effective[run].answer
        owners[place] = Owner(identity, answer, index, whole=False)
        pending[place] = answer is not None and any(operation.cite is None for operation in answer.operations)
    return Coverage(tuple(owners), tuple(pending))

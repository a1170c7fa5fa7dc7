"""The graph as it was at an earlier message, and what a branch takes along (docs/storage.md, rule 28)."""

from __future__ import annotations

from collections.abc import Sequence

from st_bme.graph.fold import fold
from st_bme.graph.ids import RECORD_ID_LENGTH, digest
from st_bme.graph.memory_graph import MemoryGraph
from st_bme.graph.records import Mark, Record, RecordSet, Stamp, Upkeep, UserEdit, record_id
from st_bme.graph.schedule import AnchorFinder

BRANCH = "branch"


def records_until(view: Sequence[str], length: int, records: RecordSet) -> tuple[list[Record], list[Record]]:
    """The records that take part in the first `length` messages of the view, and those whose place lies behind."""
    find = AnchorFinder(view)
    kept: list[Record] = []
    later: list[Record] = []
    for record in records.all():
        anchor = record.anchor if isinstance(record, Upkeep | UserEdit) and length < len(view) else ()
        is_later = anchor != () and find.place_of(anchor) >= length
        (later if is_later else kept).append(record)
    return kept, later


def graph_at(view: Sequence[str], length: int, records: RecordSet) -> MemoryGraph:
    """The graph as it stood when the chat had its first `length` messages of the view."""
    kept, _ = records_until(view, length, records)
    return fold(view[:length], RecordSet(kept))


def branch_records(view: Sequence[str], length: int, records: RecordSet, *, time: int = 0) -> list[Record]:
    """The records of a branch behind the first `length` messages of the view.

    What the user made later comes along undone, so that it can be applied there; upkeep made later stays behind.
    Who branches twice at one place gets the same records.
    """
    kept, later = records_until(view, length, records)
    off = records.switched_off()
    edits = [record for record in later if isinstance(record, UserEdit)]
    left = {record_id(record) for record in later} - {record_id(record) for record in edits}
    marks = []
    for number, identity in enumerate(record_id(record) for record in edits):
        if identity not in off:
            stamp = Stamp(n=records.highest_n + 1 + number, time=time, cause=BRANCH)
            nonce = digest(BRANCH, identity, str(length), length=RECORD_ID_LENGTH)
            marks.append(Mark(stamp, nonce, identity, off=True))
    carried = [record for record in kept if not (isinstance(record, Mark) and record.record_id in left)]
    return [*carried, *edits, *marks]

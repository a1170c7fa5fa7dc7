"""The graph as it was at an earlier message (docs/storage.md, rule 28)."""

from __future__ import annotations

from collections.abc import Sequence

from st_bme.graph.fold import fold
from st_bme.graph.memory_graph import MemoryGraph
from st_bme.graph.records import Record, RecordSet, Upkeep, UserEdit


def records_until(view: Sequence[str], length: int, records: RecordSet) -> tuple[list[Record], list[Record]]:
    """The records that take part in the first `length` messages of the view, and those anchored later."""
    before = set(view[:length])
    later = set(view[length:]) - before
    kept: list[Record] = []
    dropped: list[Record] = []
    for record in records.all():
        is_later = isinstance(record, Upkeep | UserEdit) and bool(record.anchor) and record.anchor[0] in later
        (dropped if is_later else kept).append(record)
    return kept, dropped


def graph_at(view: Sequence[str], length: int, records: RecordSet) -> MemoryGraph:
    """The graph as it stood when the chat had its first `length` messages of the view."""
    kept, _ = records_until(view, length, records)
    return fold(view[:length], RecordSet(kept))

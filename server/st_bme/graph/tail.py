"""Which records enter the copy in the chat file: none that tells of messages which the file no longer has.

docs/storage.md, rule 36.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace

from st_bme.graph.base_part import GONE, base_part
from st_bme.graph.memory_graph import MemoryGraph
from st_bme.graph.records import Answer, Base, Record, RecordSet, Upkeep


def records_of_file(graph: MemoryGraph, records: RecordSet, in_file: Collection[str]) -> Iterator[tuple[int, Record]]:
    """The records that enter the copy, each with its place among all of them.

    Upkeep enters if all that it read stands. Of an answer or a base enters what is about messages of the view or
    `in_file`. What the user did always enters: those are the user's own words.
    """
    present = {*graph.view, *in_file}
    off = records.switched_off()
    for place, (_, identity, record) in enumerate(records.in_order()):
        match record:
            case Answer() if not present.issuperset(record.run):
                counts = identity in graph.live or not off.isdisjoint((identity, record.part_of))
                if counts and not present.isdisjoint(record.run):
                    yield place, _part(record, identity, present)
            case Base() if not {*present, GONE}.issuperset(record.known):
                if not present.isdisjoint(record.known):
                    yield place, base_part(record, identity, present)
            case Upkeep() if identity not in graph.live and identity not in graph.withheld:
                pass
            case _:
                yield place, record


def _part(answer: Answer, identity: str, present: Collection[str]) -> Answer:
    """What an answer says of the messages that are there.

    What it says of its run as a whole may be about any of them: without it, the whole run is to be read again.
    """
    absent = tuple(index for index, key in enumerate(answer.run) if key not in present)
    said_as_a_whole = any(operation.cite is None for operation in answer.operations)
    return replace(
        answer,
        operations=tuple(
            operation for operation in answer.operations if operation.cite is not None and operation.cite not in absent
        ),
        part_of=answer.part_of or identity,
        lacks=tuple(range(len(answer.run))) if said_as_a_whole else tuple(sorted({*absent, *answer.lacks})),
    )

"""What a server that lost its store takes from a state, and what it cannot take (docs/storage.md, rules 34 and 35)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from st_bme.graph.memory_graph import MemoryGraph
from st_bme.graph.records import Answer, Base, Record, RecordSet, Stamp, UserEdit, record_from_json, record_to_json
from st_bme.graph.state import DecodedState
from st_bme.model.node import SET_BY_ALL, setters_of

RESTORE = "restore"


def base_of(decoded: DecodedState) -> Base | None:
    """The graph before the tail of a state, as a record that goes before it; None where the tail is all records.

    Two servers that restore the same state make the same record.
    """
    if decoded.before is None:
        return None
    before = min((record.stamp.n for record in decoded.records if not isinstance(record, UserEdit)), default=1) - 1
    stamp, graph = Stamp(before, cause=RESTORE), decoded.before
    base = Base(stamp, graph.known, graph.nodes, graph.edges, graph.pending, ledgers=graph.ledgers)
    made = record_from_json(record_to_json(base))
    return made if isinstance(made, Base) else None


def records_to_take(decoded: DecodedState, stored: RecordSet) -> tuple[Record, ...]:
    """What a store lacks of a state: its tail, and its base where this knows messages that no stored record read."""
    base = base_of(decoded)
    if base is None or read_in(stored) >= set(base.known):
        return decoded.records
    return (base, *decoded.records)


def read_in(stored: RecordSet) -> set[str]:
    """The messages that these records tell of."""
    read: set[str] = set()
    for record in stored.all():
        if isinstance(record, Answer):
            read.update(key for place, key in enumerate(record.run) if place not in record.lacks)
        elif isinstance(record, Base):
            read.update(record.known)
    return read


@dataclass(frozen=True, slots=True)
class Loss:
    """What of a base does not show, though some of it is of messages that are there.

    `nodes` are hidden whole, `fields` are the hidden fields of nodes that show; reading `ask_again`, in the order of
    the view, brings back what these messages say.
    """

    nodes: tuple[str, ...]
    fields: Mapping[str, tuple[str, ...]]
    ask_again: tuple[str, ...]

    def __bool__(self) -> bool:
        return bool(self.nodes or self.fields)


def losses_of(records: RecordSet, graph: MemoryGraph) -> list[Loss]:
    """What the bases among these records lost."""
    off = records.switched_off()
    ordered = records.in_order()
    bases = [record for _, identity, record in ordered if isinstance(record, Base) and identity not in off]
    return list(filter(None, (losses(base, graph) for base in bases)))


def lost_messages(records: RecordSet, graph: MemoryGraph) -> frozenset[str]:
    """The messages of the view that bring back, read again, what bases lost."""
    return frozenset(key for loss in losses_of(records, graph) for key in loss.ask_again)


def losses(base: Base, graph: MemoryGraph) -> Loss:
    """What a base lost by messages that are gone.

    What was read again since is not lost, nor what only that hides, nor what upkeep made: it can be made again of what
    it was made of.
    """
    there = set(graph.view)
    owned = zip(graph.view, graph.coverage.owners, strict=True)
    held = {key for key, owner in owned if owner is not None and owner.answer is None and owner.answer_id}
    nodes: list[str] = []
    fields: dict[str, tuple[str, ...]] = {}
    asked: set[str] = set()
    for node in base.nodes:
        left = held.intersection(node.sources)
        present = graph.nodes.get(node.id)
        hidden = tuple(name for name in node.fields if present is None or name not in present.fields)
        by_upkeep = all(node.setters.get(name) == SET_BY_ALL for name in node.fields)
        if not left or by_upkeep or all(there.issuperset(setters_of(node, name)) for name in hidden):
            continue
        asked |= left
        if present is None:
            nodes.append(node.id)
        else:
            fields[node.id] = hidden
    return Loss(tuple(nodes), fields, tuple(dict.fromkeys(key for key in graph.view if key in asked)))

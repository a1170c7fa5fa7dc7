"""A state of the original ST-BME, version 1 to 9, as a base (docs/storage.md, rule 39).

What such a state does not know: which message set a field. It has the floors of the first and the last message that
a node came from; a field shows while both are there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import orjson

from st_bme.errors import CorruptState
from st_bme.graph import legacy_values as read
from st_bme.graph.base_part import GONE
from st_bme.graph.json_reader import Json, JsonObject
from st_bme.graph.ledgers import Ledgers
from st_bme.graph.legacy_graph import ChatFloors, LegacyGraph
from st_bme.graph.legacy_ledgers import import_ledgers, with_segments
from st_bme.graph.records import Base, Stamp, record_from_json, record_to_json

NEWEST_VERSION = 9
IMPORT = "import"


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What was found and what became of it.

    `nodes`, `active` and `edges` count what the state has, `covered` the messages that need no reading. `mended` counts
    by kind what was broken, `left` what is not imported; both stay in the bytes that are kept.
    """

    version: int
    nodes: int
    active: int
    edges: int
    covered: int
    mended: Mapping[str, int]
    left: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Import:
    """A base, what the side table takes over, and the report."""

    base: Base
    access: Mapping[str, int]
    last_recall: tuple[str, ...]
    report: ImportReport


def import_original(value: Json, view: Sequence[str], floors: Sequence[int]) -> Import | None:
    """The original's state over the chat as it stands now; None where there is no state.

    Args:
        value: the JSON, or a text that holds it.
        view: keys of the messages that count.
        floors: their floors, ascending.
    Raises: CorruptState: it cannot be read, or is of another version; nothing of it is then guessed.
    """
    if value is None:
        return None
    state = _parse(value)
    version = _version(state)
    chat = ChatFloors(view, floors)
    graph = LegacyGraph(chat)
    graph.take_nodes(read.items(state["nodes"]))
    edges = graph.edges(read.items(state["edges"]))
    summaries = graph.summaries(read.items(read.entries(state.get("summaryState")).get("entries")))
    covered = chat.until(_last_floor(state, graph))
    ledgers = import_ledgers(state, graph, covered[-1] if covered else "")
    nodes = tuple(with_segments(node, ledgers.segments) for node in (*graph.nodes, *summaries))
    base = _base(chat, covered, Base(Stamp(1, cause=IMPORT), (), nodes, edges, ledgers=ledgers))
    entries = [entry for entry in read.items(state["nodes"]) if isinstance(entry, dict)]
    report = ImportReport(
        version=version,
        nodes=len(entries),
        active=sum(entry.get("archived") is not True for entry in entries),
        edges=len(read.items(state["edges"])),
        covered=len(covered),
        mended={kind: count for kind, count in sorted(graph.mended.items()) if count},
        left=_left(state, base.ledgers),
    )
    recalled = tuple(filter(None, map(graph.new_id, read.items(state.get("lastRecallResult")))))
    return Import(base, {key: count for key, count in graph.access.items() if count > 0}, recalled, report)


def _base(chat: ChatFloors, covered: Sequence[str], found: Base) -> Base:
    """What came of messages after the last one that was read shows, and they are read all the same."""
    sources = {key for node in found.nodes for key in node.sources}
    pending = chat.in_order(sources - {*covered, GONE})
    known = (*covered, *pending, *([GONE] if GONE in sources else []))
    made = record_from_json(record_to_json(replace(found, known=known, pending=pending)))
    if not isinstance(made, Base):
        raise CorruptState("the import made no base")
    return made


def _parse(value: Json) -> JsonObject:
    if isinstance(value, str):
        try:
            value = orjson.loads(value)
        except orjson.JSONDecodeError as error:
            raise CorruptState(f"the original's state is no JSON: {error}") from error
    if not isinstance(value, dict):
        raise CorruptState("the original's state is no JSON object")
    for key in ("nodes", "edges"):
        if not isinstance(value.get(key), list):
            raise CorruptState(f"the original's state: {key!r} is no list")
    return value


def _version(state: JsonObject) -> int:
    version = read.floor(state.get("version"))
    if version is None or not 1 <= version <= NEWEST_VERSION:
        found = state.get("version")
        raise CorruptState(f"the original's state: version {found!r} is none of 1 to {NEWEST_VERSION}")
    return version


def _last_floor(state: JsonObject, graph: LegacyGraph) -> int:
    """Floor of the newest message that was read; where the state does not say, that of the newest node."""
    history = read.entries(state.get("historyState"))
    for value in (state.get("lastProcessedSeq"), history.get("lastProcessedAssistantFloor")):
        said = read.number(value)
        if said is not None:
            graph.mended["numbers"] += isinstance(value, str)
            return int(said)
    return graph.newest_floor


def _left(state: JsonObject, ledgers: Ledgers) -> Mapping[str, int]:
    """How much there is of what is not imported: what no memory tells of, and journals."""
    regions, timeline = (read.entries(state.get(key)) for key in ("regionState", "timelineState"))
    nodes = read.items(state["nodes"])
    counts = {
        "regions": len(read.entries(regions.get("adjacencyMap"))),
        "segments": len(read.items(timeline.get("segments"))) - len(ledgers.segments),
        "batches": len(read.items(state.get("batchJournal"))),
        "maintenance": len(read.items(state.get("maintenanceJournal"))),
        "evolution": sum(len(read.items(entry.get("_evolutionHistory"))) for entry in map(read.entries, nodes)),
    }
    return {kind: count for kind, count in counts.items() if count}

"""`history`: what was recorded of a chat, and its graph as of an earlier floor."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import orjson

from st_bme.commands.state_file import read_state_file
from st_bme.errors import BadRequest
from st_bme.graph.fold import fold
from st_bme.graph.records import RecordSet
from st_bme.graph.state import DecodedState
from st_bme.protocol.recorded import GraphAt, RecordEntry, Said, Subject
from st_bme.session.history import Chronicle

_DAY = "%Y-%m-%d %H:%M"


def run(arguments: argparse.Namespace) -> int:
    """List the records of a state, or show its graph as of a floor."""
    chronicle = chronicle_of(read_state_file(Path(arguments.state)))
    if arguments.at is not None:
        graph = chronicle.at(arguments.at)
        _write(graph.model_dump()) if arguments.json else _print_graph(graph)
        return 0
    entries = chronicle.entries().entries
    if arguments.json:
        _write({"records": [entry.model_dump() for entry in entries]})
    else:
        for entry in entries:
            _print_entry(entry)
    return 0


def chronicle_of(state: DecodedState) -> Chronicle:
    """The history that a copy carries.

    Raises: BadRequest: the copy holds its newest records only, so its past cannot be folded from it.
    """
    if not state.is_complete:
        raise BadRequest(
            "this state is so large that it holds only its newest records; the server that wrote it has them all"
        )
    records = RecordSet(state.records)
    return Chronicle(state.known.keys, state.known.floors, records, fold(state.known.keys, records))


def _write(value: dict[str, object]) -> None:
    sys.stdout.write(orjson.dumps(value).decode() + "\n")


def _print_entry(entry: RecordEntry) -> None:
    when = time.strftime(_DAY, time.localtime(entry.time / 1000)) if entry.time else "-"
    where = f"floors {entry.floors[0]}–{entry.floors[-1]}" if entry.floors else ""
    print(f"{entry.n:6}  {when}  {entry.kind:7} {entry.state:8} {entry.cause} {entry.model} {where}".rstrip())
    if entry.comparisons:
        print(f"        = {entry.comparisons} compared, nothing to change")
    for said in entry.operations:
        print(f"        - {_line(said)}: {said.detail}" if said.refused else f"        + {_line(said)}")


def _line(said: Said) -> str:
    action = said.action if said.on else f"{said.action} (off)"
    whose = f"{said.owner}:" if said.owner else ""
    told = ", ".join(f"{key}: {value}" for key, value in said.fields.items())
    ends = (_name(said.about), said.relation or ("→" if said.to else ""), _name(said.to))
    return " ".join(filter(None, (action, whose, *ends, f"({told})" if told else "")))


def _name(subject: Subject | None) -> str:
    return f"{subject.type} {subject.name}".strip() if subject else ""


def _print_graph(graph: GraphAt) -> None:
    print(f"as of floor {graph.floor}: {len(graph.nodes)} nodes, {len(graph.edges)} edges")
    for node in graph.nodes:
        fields = node["fields"]
        said = "; ".join(f"{key}: {value}" for key, value in fields.items()) if isinstance(fields, dict) else ""
        print(f"  {node['type']:10} {said}")

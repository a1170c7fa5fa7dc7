"""The pages of docs/ as data: their tables by heading."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"

_CELL_END = re.compile(r"(?<!\\)\|")
_FENCE = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Table:
    """A table below a heading: its rows by name of column."""

    heading: str
    columns: tuple[str, ...]
    rows: tuple[Mapping[str, str], ...]


def read_page(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


def tables(text: str) -> Iterator[Table]:
    """Every table of a page. A code block holds none."""
    heading = ""
    block: list[str] = []
    for line in [*_FENCE.sub("", text).splitlines(), ""]:
        if line.startswith("|"):
            block.append(line)
            continue
        if block:
            yield _table(heading, block)
            block = []
        if line.startswith("#"):
            heading = line.lstrip("#").strip()


def table_below(text: str, heading: str) -> Table:
    """The first table below a heading.

    Raises: LookupError: there is none.
    """
    for table in tables(text):
        if table.heading == heading:
            return table
    raise LookupError(f"no table below {heading!r}")


def code(cell: str) -> str:
    """What a cell shows as code."""
    return cell.strip().strip("`")


def _table(heading: str, block: Sequence[str]) -> Table:
    head, _, *lines = block
    columns = _cells(head)
    return Table(heading, columns, tuple(dict(zip(columns, _cells(line), strict=True)) for line in lines))


def _cells(line: str) -> tuple[str, ...]:
    return tuple(cell.strip().replace("\\|", "|") for cell in _CELL_END.split(line.strip())[1:-1])

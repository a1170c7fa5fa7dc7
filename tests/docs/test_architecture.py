"""docs/architecture.md is a map: every hop of its chains exists and is called by one above it.

A hop stands for its function with the private helpers of the same file that it calls.
"""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from docs.pages import ROOT, read_page

PAGE = read_page("architecture.md")
BASES = {".py": ("", "server/st_bme"), ".js": ("", "st-extension/src")}
HOP = re.compile(r"`([\w./-]+\.(?:py|js)):(#?\w+)`")
# What each chain must lead through, in this order.
STATIONS = {
    "Write": ["events.js", "web/routes.py", "session/bridge.py", "session/extraction.py", "heuristic_extractor.py",
              "sqlite_store.py", "graph/fold.py", "session/copy.py", "web/events.py", "stream.js", "state.js"],
    "Read": ["interceptor.js", "web/routes.py", "session/bridge.py", "session/recalling.py", "read/recall.py",
             "read/candidates.py", "read/select.py", "read/fit.py", "injection.js"],
    "Safe": ["events.js", "transcript.js", "session/bridge.py", "session/chat_log.py", "graph/fold.py",
             "graph/live.py", "graph/operations.py"],
}  # fmt: skip


@dataclass(frozen=True)
class Hop:
    """A line of a chain: its function, those it names beside, and what lies between it and the caller."""

    functions: tuple[tuple[str, str], ...]
    between: str


def _chains() -> dict[str, list[Hop]]:
    """The numbered lists by heading. A list that starts again is a chain of its own."""
    chains: dict[str, list[Hop]] = {}
    text = PAGE.partition("## The chains")[2].partition("## Reading order")[0]
    for part in re.split(r"^### ", text, flags=re.MULTILINE)[1:]:
        title, *lines = part.splitlines()
        name = title
        for line in lines:
            if match := re.match(r"(\d+)\. (?:\((.+?)\) )?(.*)", line):
                if match[1] == "1" and name in chains:
                    name = f"{title}, opening"
                chains.setdefault(name, []).append(Hop(tuple(HOP.findall(match[3])), match[2] or ""))
    return chains


CHAINS = _chains()
FUNCTIONS = sorted(set(HOP.findall(PAGE)))


def _find(path: str) -> Path:
    found = [ROOT / base / path for base in BASES[Path(path).suffix] if (ROOT / base / path).is_file()]
    assert found, f"no file {path}"
    return found[0]


@cache
def _source(path: str, name: str) -> str:
    """The text of everything of this name that a file defines, "" for none."""
    text = _find(path).read_text(encoding="utf-8")
    return _python_source(text, name) if path.endswith(".py") else _js_source(text, name)


@cache
def _reach(path: str, name: str) -> str:
    """The text of a function and of the private helpers of its file that it leads to."""
    texts: dict[str, str] = {}
    waiting = [name]
    while waiting:
        current = waiting.pop()
        if current not in texts:
            texts[current] = _source(path, current)
            waiting += re.findall(r"(?<!\w)(?:_[a-z]\w*|#\w+)(?=\()", texts[current])
    return "\n".join(texts.values())


def _python_source(text: str, name: str) -> str:
    found = []
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef() if node.name == name:
                found.append(ast.get_source_segment(text, node) or "")
            case ast.AnnAssign(target=ast.Name(id=target)) | ast.Assign(targets=[ast.Name(id=target)]):
                if target == name:
                    found.append(ast.get_source_segment(text, node) or "")
    return "\n".join(found)


def _js_source(text: str, name: str) -> str:
    """Functions, methods and members that are functions; they end where their indentation does."""
    kinds = rf"(?:(?:export )?(?:async )?(?:function )?\*?{name}|{name}: )\("
    begins = re.compile(rf"^( *){kinds}", re.MULTILINE)
    found = []
    for match in begins.finditer(text):
        end = re.compile(rf"^{match[1]}[}}\])].*$", re.MULTILINE).search(text, match.end())
        assert end, f"{name} has no end"
        body = text[match.start() : end.end()]
        if body.rstrip().endswith("{"):  # the parameters stood on lines of their own
            end = re.compile(rf"^{match[1]}}}", re.MULTILINE).search(text, end.end())
            assert end, f"{name} has no end"
            body = text[match.start() : end.end()]
        found.append(body)
    return "\n".join(found)


@pytest.mark.parametrize(("path", "name"), FUNCTIONS, ids=[f"{path}:{name}" for path, name in FUNCTIONS])
def test_every_function_that_is_named_exists(path: str, name: str):
    assert _source(path, name)


@pytest.mark.parametrize("chain", CHAINS)
def test_every_hop_is_called_by_one_above_it(chain: str):
    above = ""
    for number, hop in enumerate(CHAINS[chain], 1):
        first, *beside = hop.functions
        if number > 1 and not hop.between:
            assert _is_named_in(above, first[1]), f"{number}. {first[1]}"
        above += _reach(*first)
        for path, name in beside:
            assert _is_named_in(above, name), f"{number}. {name}"
            above += _reach(path, name)


def _is_named_in(text: str, name: str) -> bool:
    return re.search(rf"(?<![\w#]){name}\b(?! =)", text) is not None


@pytest.mark.parametrize("chain", STATIONS)
def test_a_chain_leads_through_its_stations(chain: str):
    visited = [path for hop in CHAINS[chain] for path, _ in hop.functions]

    assert _in_order(visited, STATIONS[chain]) == []


def _in_order(visited: Sequence[str], stations: Sequence[str]) -> list[str]:
    """Stations that were not reached in their order."""
    left = list(stations)
    for path in visited:
        while left and path.endswith(left[0]):
            left.pop(0)
    return left


def test_every_folder_has_a_line_in_the_layout():
    layout = PAGE.partition("## Layout")[2].split("```")[1]
    named = set(re.findall(r"^ *([\w-]+)/ ", layout, re.MULTILINE))

    assert named == _package_folders() | {"server", "st_bme", "st-extension", "tests", "docs"}


def _package_folders() -> set[str]:
    return {path.name for path in (ROOT / "server" / "st_bme").iterdir() if (path / "__init__.py").is_file()}


def test_the_layers_are_those_of_the_import_rules():
    shown = PAGE.partition("## Which way imports go")[2].split("```")[1].split()

    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    layers = project["tool"]["importlinter"]["contracts"][0]["layers"]
    assert _package_folders() <= set(shown)
    assert " ".join(shown) == " → ".join(filter(None, (_without_unnamed(layer, shown) for layer in layers)))


def _without_unnamed(layer: str, named: Sequence[str]) -> str:
    """A layer of the import rules with only the parts that the page names."""
    sign = " | " if "|" in layer else " : "
    return sign.join(part for part in re.findall(r"\w+", layer) if part in named)

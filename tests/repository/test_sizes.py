"""How long a file and a function may be; every codebase we admire has one file that got away."""

import ast
from pathlib import Path

from repository.files import ROOT, relative, walk

FILE_LINES = 350
FUNCTION_LINES = 40
INDEX_LINES = 80
MEASURED = {".css", ".html", ".js", ".mjs", ".py"}


def test_no_file_is_longer_than_the_limit():
    lengths = {relative(path): _line_count(path) for path in walk() if path.suffix in MEASURED}

    assert lengths
    assert {name: length for name, length in lengths.items() if length > FILE_LINES} == {}


def test_no_python_function_is_longer_than_the_limit():
    lengths: dict[str, int] = {}
    for path in walk():
        if path.suffix == ".py":
            lengths |= _function_lengths(path)

    assert lengths
    assert {name: length for name, length in lengths.items() if length > FUNCTION_LINES} == {}


def test_the_extensions_entry_only_wires():
    assert _line_count(ROOT / "st-extension" / "index.js") <= INDEX_LINES


def _line_count(path: Path) -> int:
    return len(path.read_text(encoding="utf-8").splitlines())


def _function_lengths(path: Path) -> dict[str, int]:
    functions = [
        node
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    return {f"{relative(path)}:{node.name}": (node.end_lineno or 0) - node.lineno + 1 for node in functions}

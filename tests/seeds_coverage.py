"""How much of each seed is shown by tests: `python3 tests/seeds_coverage.py [--all]`.

Prints `NAME covered/total` for every table of docs/seeds.md. A row counts as covered when all tests that it names
pass; `planned` counts in the total only, `not applicable` in neither. The exit code is 1 when a named test does not
exist or fails. The results are those of the last whole `tests/run.py`, if that was for this very commit; otherwise
the named tests are run, those in the browser only with `--all`.
"""

from __future__ import annotations

import argparse
import ast
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from docs.pages import ROOT, read_page, tables

SEEDS_PAGE = "seeds.md"
LAST_RUN = ROOT / ".last-test-run"
SHOWN_BY = "shown by"
PLANNED = "planned"
NOT_APPLICABLE = "not applicable: "
IN_BROWSER = "tests/e2e/"

Outcome = Literal["passed", "failed", "not run"]


@dataclass(frozen=True, slots=True)
class Row:
    """One promise or setting: the tests that show it; none where it is planned or does not apply."""

    name: str
    tests: tuple[str, ...]
    applies: bool = True


def read_rows(text: str) -> dict[str, list[Row]]:
    """The rows of every table by the first word of its heading.

    Raises: ValueError: a cell is neither tests, nor planned, nor not applicable with a reason.
    """
    return {
        table.heading.split()[0]: [_row(row[table.columns[0]], row[SHOWN_BY]) for row in table.rows]
        for table in tables(text)
        if SHOWN_BY in table.columns
    }


def _row(name: str, cell: str) -> Row:
    if cell == PLANNED:
        return Row(name, ())
    if cell.startswith(NOT_APPLICABLE) and cell != NOT_APPLICABLE:
        return Row(name, (), applies=False)
    found = re.findall(r"`(tests/[\w/]+\.py(?:::\w+)+)`", cell)
    if not found or re.sub(r"`[^`]+`(, )?", "", cell):
        raise ValueError(
            f"row {name}: {cell!r} is neither tests, nor {PLANNED!r}, nor {NOT_APPLICABLE!r} with a reason"
        )
    return Row(name, tuple(found))


def exists(test: str) -> bool:
    """Whether the file of a test defines each name of it."""
    path, *names = test.split("::")
    if not (ROOT / path).is_file():
        return False
    defined = {
        name.id if isinstance(name, ast.Name) else name.name
        for node in ast.walk(ast.parse((ROOT / path).read_text(encoding="utf-8")))
        for name in _definitions(node)
    }
    return defined.issuperset(names)


def _definitions(node: ast.AST) -> list[ast.Name | ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef]:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return [node]
    return [target for target in node.targets if isinstance(target, ast.Name)] if isinstance(node, ast.Assign) else []


def read_outcomes(junit: Path, tests: Iterable[str]) -> dict[str, Outcome]:
    """What a report says of each test; of one with parameters or methods all must have passed."""
    cases: dict[str, list[str]] = {}
    for case in ET.parse(junit).iter("testcase"):
        name = f"{case.get('classname')}.{case.get('name', '').partition('[')[0]}"
        children = {child.tag for child in case}
        outcome = "failed" if children & {"failure", "error"} else "skipped" if "skipped" in children else "passed"
        cases.setdefault(name, []).append(outcome)
    return {test: _outcome(_cases_of(test, cases)) for test in tests}


def _cases_of(test: str, cases: Mapping[str, Sequence[str]]) -> set[str]:
    path, *names = test.split("::")
    wanted = ".".join([path.removesuffix(".py").replace("/", "."), *names])
    return {found for name, each in cases.items() if name == wanted or name.startswith(f"{wanted}.") for found in each}


def _outcome(found: set[str]) -> Outcome:
    if "failed" in found:
        return "failed"
    return "passed" if found == {"passed"} else "not run"


def last_run() -> Path | None:
    """The report of the last whole run, if it was for the commit that is here now, without changes."""
    noted, junit = LAST_RUN / "commit", LAST_RUN / "junit.xml"
    if not (noted.is_file() and junit.is_file()) or _git("status", "--porcelain"):
        return None
    return junit if noted.read_text(encoding="utf-8").strip() == _git("rev-parse", "HEAD") else None


def _git(*arguments: str) -> str:
    """What git says; "unknown" where it cannot, which is no commit and no clean tree."""
    try:
        ended = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return ended.stdout.strip()


def run_tests(tests: Sequence[str], *, in_browser: bool) -> dict[str, Outcome]:
    """Run these tests and no others."""
    with tempfile.TemporaryDirectory() as folder:
        junit = Path(folder) / "junit.xml"
        chosen = [] if in_browser else ["-m", "not e2e"]
        command = [sys.executable, "-m", "pytest", "-q", f"--junitxml={junit}", *chosen, *tests]
        ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        if ended.returncode:
            print(ended.stdout, ended.stderr, sep="\n", file=sys.stderr)
        return read_outcomes(junit, tests) if junit.is_file() else dict.fromkeys(tests, "failed")


def report(rows: Mapping[str, Sequence[Row]], outcomes: Mapping[str, Outcome]) -> list[str]:
    """A line a table."""
    lines = []
    for name, each in rows.items():
        covered = sum(bool(row.tests) and all(outcomes[test] == "passed" for test in row.tests) for row in each)
        lines.append(f"{name} {covered}/{sum(row.applies for row in each)}")
    return lines


def find_failures(outcomes: Mapping[str, Outcome]) -> list[str]:
    """Named tests that fail or do not exist. One that needs the browser may wait for a whole run."""
    failures = []
    for test, outcome in outcomes.items():
        if not exists(test):
            failures.append(f"{test} does not exist")
        elif outcome == "failed" or (outcome == "not run" and not test.startswith(IN_BROWSER)):
            failures.append(f"{test}: {outcome}")
    return failures


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="tests/seeds_coverage.py", description=__doc__)
    parser.add_argument("--all", action="store_true", help="run every named test, also those in the browser")
    options = parser.parse_args(argv)
    rows = read_rows(read_page(SEEDS_PAGE))
    tests = sorted({test for each in rows.values() for row in each for test in row.tests})
    outcomes: dict[str, Outcome] = dict.fromkeys(tests, "not run")
    there = [test for test in tests if exists(test)]
    junit = None if options.all else last_run()
    if junit is not None:
        outcomes |= read_outcomes(junit, there)
    elif there:
        outcomes |= run_tests(there, in_browser=options.all)
    print("\n".join(report(rows, outcomes)))
    waiting = [test for test in there if outcomes[test] == "not run" and test.startswith(IN_BROWSER)]
    if waiting:
        print(f"{len(waiting)} tests in the browser were not run: --all runs them", file=sys.stderr)
    failures = find_failures(outcomes)
    for failure in failures:
        print(failure, file=sys.stderr)
    return int(bool(failures))


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT / "server"))
    import bootstrap

    bootstrap.enter("test")
    sys.exit(main(sys.argv[1:]))

"""Compare our functions with recorded outputs: `python3 tests/golden/check.py DIR`.

Prints `NAME passed+by_design/total` for every file of DIR; what fails goes to stderr, and the exit code is 1 when a
file of use `match` has any other outcome or a file's use is unknown.
"""

import importlib
import json
import math
import sys
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

GOLDEN = Path(__file__).resolve().parent
ROOT = GOLDEN.parents[1]
RELATIVE_TOLERANCE = 1e-9
_SHOWN_FAILURES = 3
_SHOWN_LENGTH = 300

Function = Callable[..., Any]


@dataclass(frozen=True, slots=True)
class Purpose:
    """What a golden file is for."""

    use: str  # match, reference or planned
    function: str = ""  # of a module beside this file: module.name, gives our output for an input
    view: str = ""  # likewise, gives what of a recorded output is compared


@dataclass(frozen=True, slots=True)
class Difference:
    """A rule by which we answer otherwise on purpose."""

    file: str
    rule: str
    when: str  # module.name of a predicate on the input
    value: str  # module.name, gives our value for the input and what would be expected without the rule
    reason: str


@dataclass(frozen=True, slots=True)
class Outcome:
    name: str
    passed: int
    by_design: int
    total: int
    failures: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.name} {self.passed}+{self.by_design}/{self.total}"


def load_purposes() -> dict[str, Purpose]:
    table = tomllib.loads((GOLDEN / "use.toml").read_text(encoding="utf-8"))
    return {name: Purpose(**entry) for name, entry in table.items()}


def load_differences() -> list[Difference]:
    table = tomllib.loads((GOLDEN / "differences.toml").read_text(encoding="utf-8"))
    return [Difference(**entry) for entry in table.get("difference", [])]


def check_file(path: Path, purpose: Purpose, differences: list[Difference]) -> Outcome:
    """Run every case of a file of use `match`; count those of any other use."""
    golden = json.loads(path.read_text(encoding="utf-8"))
    cases = golden["cases"]
    if purpose.use != "match":
        return Outcome(path.stem, 0, 0, len(cases))
    ours = named(purpose.function)
    rules = [difference for difference in differences if difference.file == path.stem]
    passed = by_design = 0
    failures = []
    for case in cases:
        expected, is_ours = _expected(case, purpose, rules)
        actual = _attempt(ours, case["input"], golden["frozen_now_ms"])
        if not same(expected, actual):
            failures.append(f"case {case['id']}: expected {_short(expected)}, got {_short(actual)}")
        elif is_ours:
            by_design += 1
        else:
            passed += 1
    return Outcome(path.stem, passed, by_design, len(cases), tuple(failures))


def same(expected: Any, actual: Any) -> bool:
    """Equal as JSON: numbers to 1e-9 relative, lists in order, true and 1 apart."""
    if isinstance(expected, bool) or isinstance(actual, bool):
        return expected is actual
    if isinstance(expected, int | float) and isinstance(actual, int | float):
        return math.isclose(expected, actual, rel_tol=RELATIVE_TOLERANCE, abs_tol=1e-15)
    if isinstance(expected, dict) and isinstance(actual, dict):
        return expected.keys() == actual.keys() and all(same(expected[key], actual[key]) for key in expected)
    if isinstance(expected, list) and isinstance(actual, list):
        return len(expected) == len(actual) and all(map(same, expected, actual))
    return type(expected) is type(actual) and bool(expected == actual)


def named(dotted: str) -> Function:
    """The function of a module beside this file, named module.function."""
    module, _, function = dotted.rpartition(".")
    found: Function = getattr(importlib.import_module(f"golden.{module}"), function)
    return found


def _expected(case: dict[str, Any], purpose: Purpose, rules: list[Difference]) -> tuple[Any, bool]:
    """What we must give, and whether that is our own value instead of the recorded one."""
    recorded = named(purpose.view)(case["output"]) if purpose.view else case["output"]
    expected = recorded
    for rule in rules:
        if named(rule.when)(case["input"]):
            expected = named(rule.value)(case["input"], expected)
    return expected, not same(recorded, expected)


def _attempt(function: Function, given: Any, now_ms: int) -> Any:
    """Our output; an exception is an outcome to report, not the end of the run."""
    try:
        return function(given, now_ms)
    except Exception as error:  # noqa: BLE001
        return f"{type(error).__name__}: {error}"


def _short(value: Any) -> str:
    text = json.dumps(value, default=str)
    return text if len(text) <= _SHOWN_LENGTH else text[:_SHOWN_LENGTH] + "…"


def check_folder(folder: Path) -> Iterator[Outcome]:
    """The outcome of every golden file of a folder, by name.

    Raises: KeyError: use.toml does not know a file.
    """
    purposes, differences = load_purposes(), load_differences()
    for path in sorted(folder.glob("*.json")):
        yield check_file(path, purposes[path.stem], differences)


def main(folder: Path) -> int:
    if not folder.is_dir():
        print(f"no folder {folder}: give the folder that holds the golden files", file=sys.stderr)
        return 1
    failed = False
    try:
        for outcome in check_folder(folder):
            print(outcome)
            for failure in outcome.failures[:_SHOWN_FAILURES]:
                print(f"  {outcome.name} {failure}", file=sys.stderr)
            failed = failed or bool(outcome.failures)
    except KeyError as unknown:
        print(f"no use for {unknown}: name it in {GOLDEN / 'use.toml'}", file=sys.stderr)
        return 1
    return int(failed)


if __name__ == "__main__":
    sys.path[:0] = [str(ROOT / "server"), str(ROOT / "tests")]
    import bootstrap

    bootstrap.enter()
    sys.exit(main(Path(sys.argv[1]) if len(sys.argv) > 1 else GOLDEN))

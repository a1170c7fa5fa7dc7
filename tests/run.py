"""Run every check of the repository: `python3 tests/run.py [--fast] [--coverage] [pytest arguments]`.

The last line is `N passed, N failed`; a lint tool counts as one check, a JavaScript or Python test as one each.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "server"))

import bootstrap  # noqa: E402 - lies in server/, which the line above opens

# What the last whole run found, and for which commit, for those who report on it without running it again.
LAST_RUN = ROOT / ".last-test-run"
JUNIT = LAST_RUN / "junit.xml"
APT_PACKAGES = {"node": "nodejs", "npm": "npm", "chromium": "chromium"}
LINT_IMPORTS = "from importlinter.cli import lint_imports; raise SystemExit(lint_imports(no_cache=True))"
JS_TESTS = ("*.test.js", "*.test.mjs")
JS_LINTERS = {
    "eslint": ["eslint/bin/eslint.js", "st-extension", "tests/js"],
    "tsc": ["typescript/bin/tsc", "-p", "jsconfig.json"],
}


@dataclass
class Tally:
    passed: int = 0
    failed: int = 0

    def add(self, passed: int, failed: int) -> None:
        self.passed += passed
        self.failed += failed


@dataclass(frozen=True)
class Ended:
    """A finished check: what it counted and, where something failed, what it printed."""

    name: str
    passed: int
    failed: int
    output: str
    seconds: float


def main(argv: list[str]) -> int:
    options, pytest_arguments = _parse(argv)
    os.chdir(ROOT)
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]  # keeps our lines among pytest's
    if options.install_system or os.environ.get("CI") == "true":
        _install_system_packages()
    tally = Tally()
    with _checking_sources(tally, is_fast=options.fast):
        exclude = ["e2e", "slow"] if options.fast else []
        if not options.fast and not pytest_arguments and not _has_browser(tally):
            exclude = ["e2e"]
        shutil.rmtree(LAST_RUN, ignore_errors=True)
        LAST_RUN.mkdir()
        tally.add(*_run_pytest(exclude, pytest_arguments, has_coverage=options.coverage))
    if not exclude and not pytest_arguments:
        _note_commit()
    sys.stderr.flush()
    print(f"{tally.passed} passed, {tally.failed} failed", flush=True)
    return 1 if tally.failed else 0


def _parse(argv: list[str]) -> tuple[argparse.Namespace, list[str]]:
    parser = argparse.ArgumentParser(prog="tests/run.py", allow_abbrev=False, description=__doc__)
    parser.add_argument("--fast", action="store_true", help="leave out tests marked e2e and slow, take fewer examples")
    parser.add_argument("--coverage", action="store_true", help="measure the coverage of the package and print it")
    parser.add_argument("--install-system", action="store_true", help="let apt-get install a missing browser or Node")
    return parser.parse_known_args(argv)


@contextmanager
def _checking_sources(tally: Tally, *, is_fast: bool) -> Iterator[None]:
    """The linters and the JavaScript tests, side by side.

    A fast run has what is inside beside them, a whole one behind them, since some of its tests measure time.
    """
    python = [sys.executable, "-m"]
    javascript = _find_js_linters(tally, may_install=not is_fast)
    with ThreadPoolExecutor() as pool:
        checks = [
            pool.submit(_run_linter, "ruff", [*python, "ruff", "check", "."]),
            pool.submit(_run_linter, "mypy", [*python, "mypy"]),
            pool.submit(_run_linter, "import-linter", [sys.executable, "-c", LINT_IMPORTS]),
            *(pool.submit(_run_linter, name, command) for name, command in javascript.items()),
            pool.submit(_run_js_tests),
        ]
        if is_fast:
            yield
    for check in checks:
        ended = check.result()
        print(f"{ended.name}: {ended.passed} passed, {ended.failed} failed in {ended.seconds:.1f} s")
        if ended.failed:
            print(ended.output)
        tally.add(ended.passed, ended.failed)
    if not is_fast:
        yield


def _find_js_linters(tally: Tally, *, may_install: bool) -> dict[str, list[str]]:
    """The linters of the extension by name, from the user's cache; installed there first if that is allowed."""
    import npm_packages

    home = npm_packages.installation_dir("lint", ROOT)
    node, npm = shutil.which("node"), shutil.which("npm")
    try:
        if not home.is_dir() and may_install and npm is not None:
            npm_packages.install(Path(npm), ROOT, home)
    except npm_packages.InstallError as error:
        print(f"the JavaScript linters cannot be installed: {error}")
    if node is not None and home.is_dir():
        modules = home / "node_modules"
        return {name: [node, str(modules / script), *rest] for name, (script, *rest) in JS_LINTERS.items()}
    if may_install:
        print(f"{' and '.join(JS_LINTERS)} cannot run: install Node.js 20 or later with npm")
        tally.add(0, len(JS_LINTERS))
    else:
        print(f"{' and '.join(JS_LINTERS)} not run: a run without --fast installs them")
    return {}


def _run_linter(name: str, command: list[str]) -> Ended:
    started = time.monotonic()
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "server")}
    ended = subprocess.run(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    failed = int(ended.returncode != 0)
    return Ended(name, 1 - failed, failed, ended.stdout, time.monotonic() - started)


def _run_js_tests() -> Ended:
    started = time.monotonic()
    name = "node --test"
    files = sorted(str(path) for pattern in JS_TESTS for path in (ROOT / "tests" / "js").rglob(pattern))
    node = shutil.which("node")
    if not files:
        return Ended(name, 0, 0, "", 0.0)
    if node is None:
        return Ended(name, 0, 1, "the JavaScript tests need Node.js 20 or later: install it and run this again", 0.0)
    ended = subprocess.run(
        [node, "--test", "--test-reporter=tap", *files], capture_output=True, text=True, encoding="utf-8", check=False
    )
    found = re.findall(r"^# (pass|fail|cancelled) (\d+)$", ended.stdout, re.MULTILINE)
    counts = {key: int(count) for key, count in found}
    failed = counts.get("fail", 0) + counts.get("cancelled", 0)
    if ended.returncode and not failed:
        failed = 1
    output = ended.stdout + ended.stderr
    return Ended(name, counts.get("pass", 0), failed, output, time.monotonic() - started)


def _install_system_packages() -> None:
    from e2e.provision import find_missing

    packages = [package for program, package in APT_PACKAGES.items() if shutil.which(program) is None]
    if not find_missing() or shutil.which("apt-get") is None:
        return
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for command in (["update", "-qq"], ["install", "-y", "-qq", "--no-install-recommends", *packages]):
        subprocess.run(["apt-get", *command], env=environment, stdout=sys.stderr, check=False)


def _has_browser(tally: Tally) -> bool:
    """Whether the end-to-end tests have their programs; without them they count as one failure."""
    from e2e.provision import find_missing

    missing = find_missing()
    if missing:
        print("the end-to-end tests cannot run: " + "; ".join(missing) + " (or run this with --install-system)")
        tally.add(0, 1)
    return not missing


def _run_pytest(exclude: list[str], arguments: list[str], *, has_coverage: bool) -> tuple[int, int]:
    """Run pytest as a program of its own and read what it counted from its report."""
    runner = ["coverage", "run", "-m", "pytest"] if has_coverage else ["pytest"]
    markers = ["-m", " and ".join(f"not {marker}" for marker in exclude)] if exclude else []
    # The real SillyTavern has the machine for itself; without it the tests share the processors.
    spread = ["-n", "logical", "--maxprocesses=4", "--dist=worksteal"] if exclude and not has_coverage else []
    command = [sys.executable, "-m", *runner, "-q", f"--junitxml={JUNIT}", *markers, *spread, *arguments]
    examples = {"HYPOTHESIS_PROFILE": "brief"} if "slow" in exclude else {}
    code = subprocess.run(command, env=examples | os.environ, check=False).returncode
    if has_coverage:
        subprocess.run([sys.executable, "-m", "coverage", "report"], check=False)
    if not JUNIT.exists():
        return 0, 1
    suite = next(ET.parse(JUNIT).iter("testsuite"))
    total, failures, errors, skipped = (int(suite.get(key, 0)) for key in ("tests", "failures", "errors", "skipped"))
    if skipped:
        print(f"{skipped} skipped (reasons above)")
    failed = failures + errors
    if code and not failed:
        failed = 1
    return total - skipped - failures - errors, failed


def _note_commit() -> None:
    """Say which commit the report is of; a tree with changes is no commit."""
    git = shutil.which("git")
    if git is None:
        return
    changes = subprocess.run([git, "status", "--porcelain"], capture_output=True, text=True, check=False)
    commit = subprocess.run([git, "rev-parse", "HEAD"], capture_output=True, text=True, check=False)
    if changes.returncode == 0 and not changes.stdout:
        (LAST_RUN / "commit").write_text(commit.stdout, encoding="utf-8")


if __name__ == "__main__":
    bootstrap.enter("test")
    sys.exit(main(sys.argv[1:]))

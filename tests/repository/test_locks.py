"""The locks: complete, with a hash for every package, and within what pyproject.toml allows."""

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from repository.files import ROOT

RUNTIME = ROOT / "server" / "requirements.lock"
TESTS = ROOT / "tests" / "requirements.lock"
OPTIONAL = ROOT / "server" / "optional.lock"
PLATFORMS = ("linux", "darwin", "win32")
PYTHONS = ("3.11", "3.12", "3.13")


def _entries(lock: Path) -> list[str]:
    """The lock's entries, each on one line: `name==version ; marker --hash=...`."""
    return lock.read_text(encoding="utf-8").replace("\\\n", " ").splitlines()


def _requirement(entry: str) -> Requirement:
    return Requirement(entry.partition("--hash")[0])


def _project_requirements(extra: str) -> list[Requirement]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    texts = project["dependencies"] if extra == "" else project["optional-dependencies"][extra]
    return [Requirement(text) for text in texts]


def _name(text: str) -> str:
    return re.sub(r"[-_.]+", "-", text).lower()


@pytest.mark.parametrize("lock", [RUNTIME, TESTS], ids=["runtime", "tests"])
def test_every_entry_is_one_version_with_hashes(lock: Path):
    entries = _entries(lock)

    assert len(entries) > 10
    assert [entry for entry in entries if not re.search(r"--hash=sha256:[0-9a-f]{64}\b", entry)] == []
    assert [entry for entry in entries if not re.fullmatch(r"==[\w.]+", str(_requirement(entry).specifier))] == []


@pytest.mark.parametrize("python", PYTHONS)
@pytest.mark.parametrize("platform", PLATFORMS)
@pytest.mark.parametrize(
    ("lock", "extra"),
    [(RUNTIME, ""), (TESTS, ""), (TESTS, "test"), (OPTIONAL, "patterns")],
    ids=["", "tests", "extra", "optional"],
)
def test_the_lock_meets_the_ranges_of_the_project(lock: Path, extra: str, platform: str, python: str):
    environment = {"sys_platform": platform, "python_version": python, "python_full_version": f"{python}.0"}
    locked = {}
    for requirement in map(_requirement, _entries(lock)):
        if requirement.marker is None or requirement.marker.evaluate(environment):
            assert _name(requirement.name) not in locked
            locked[_name(requirement.name)] = next(iter(requirement.specifier)).version

    for needed in _project_requirements(extra):
        assert locked.get(_name(needed.name), "missing") in needed.specifier, needed


def test_the_tests_run_on_the_versions_that_users_run_on():
    assert set(_entries(RUNTIME)) <= set(_entries(TESTS))


def test_what_is_optional_needs_nothing_else():
    assert len(_entries(OPTIONAL)) == len(_project_requirements("patterns"))
    assert all(re.search(r"--hash=sha256:[0-9a-f]{64}\b", entry) for entry in _entries(OPTIONAL))


def test_every_range_has_a_floor_and_a_cap():
    ranges = {need.name: need.specifier for extra in ("", "test", "patterns") for need in _project_requirements(extra)}

    assert {name for name, spec in ranges.items() if {part.operator for part in spec} != {">=", "<"}} == set()

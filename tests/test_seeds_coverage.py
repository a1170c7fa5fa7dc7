"""What `tests/seeds_coverage.py` counts, and when it fails."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

import seeds_coverage
from seeds_coverage import Row, exists, find_failures, read_outcomes, read_rows, report

PAGE = """
## 000 · a seed
| no | promise | shown by |
|--:|---|---|
| 1 | one | `tests/a/test_a.py::test_one`, `tests/a/test_a.py::Group::test_two` |
| 2 | two | planned |
| 3 | three | not applicable: there is no such thing |

## Beside
| a | b |
|---|---|
| 1 | 2 |
"""
JUNIT = """
<testsuites><testsuite>
<testcase classname="tests.a.test_a" name="test_one[x]" time="0"/>
<testcase classname="tests.a.test_a" name="test_one[y-::]" time="0">{one}</testcase>
<testcase classname="tests.a.test_a" name="test_one_more" time="0"><failure/></testcase>
<testcase classname="tests.a.test_a.Group" name="test_two" time="0">{two}</testcase>
</testsuite></testsuites>
"""
ONE, TWO = "tests/a/test_a.py::test_one", "tests/a/test_a.py::Group::test_two"
THIS = "tests/test_seeds_coverage.py"


def _junit(folder: Path, one: str = "", two: str = "") -> Path:
    path = folder / "junit.xml"
    path.write_text(JUNIT.format(one=one, two=two), encoding="utf-8")
    return path


def test_rows_say_what_shows_them():
    assert read_rows(PAGE) == {"000": [Row("1", (ONE, TWO)), Row("2", ()), Row("3", (), applies=False)]}


@pytest.mark.parametrize(
    "cell",
    ["", "done", "Planned", "not applicable: ", "not applicable", "`test_one`", f"`{ONE}` and more", "tests/a.py::b"],
)
def test_a_cell_that_says_something_else_is_refused(cell: str):
    with pytest.raises(ValueError, match="row 2"):
        read_rows(PAGE.replace("planned", cell))


def test_all_cases_of_a_test_must_pass(tmp_path: Path):
    assert read_outcomes(_junit(tmp_path), [ONE, TWO]) == {ONE: "passed", TWO: "passed"}
    assert read_outcomes(_junit(tmp_path, one="<error/>"), [ONE]) == {ONE: "failed"}
    assert read_outcomes(_junit(tmp_path, one="<skipped/>"), [ONE]) == {ONE: "not run"}
    assert read_outcomes(_junit(tmp_path, two="<failure/>"), ["tests/a/test_a.py::Group"]) == {
        "tests/a/test_a.py::Group": "failed"
    }
    assert read_outcomes(_junit(tmp_path), ["tests/a/test_a.py::test_o"]) == {"tests/a/test_a.py::test_o": "not run"}


def test_planned_counts_in_the_total_and_what_does_not_apply_in_neither():
    rows = read_rows(PAGE)

    assert report(rows, {ONE: "passed", TWO: "passed"}) == ["000 1/2"]
    assert report(rows, {ONE: "passed", TWO: "not run"}) == ["000 0/2"]


def test_a_test_exists_where_its_file_defines_every_name():
    assert exists(f"{THIS}::test_a_test_exists_where_its_file_defines_every_name")
    assert exists("tests/scenarios/test_fresh_build.py::TestFreshBuild")
    assert not exists(f"{THIS}::test_that_nobody_wrote")
    assert not exists("tests/test_nowhere.py::test_one")


def test_a_missing_or_failing_test_is_a_failure_and_the_browser_may_wait():
    there = f"{THIS}::test_rows_say_what_shows_them"
    browser = "tests/e2e/test_provision.py::test_provision_refuses_in_one_line"

    assert find_failures({there: "passed", browser: "not run"}) == []
    assert find_failures({there: "failed"}) == [f"{there}: failed"]
    assert find_failures({there: "not run"}) == [f"{there}: not run"]
    assert find_failures({browser: "failed"}) == [f"{browser}: failed"]
    assert find_failures({ONE: "not run"}) == [f"{ONE} does not exist"]


def test_the_last_run_counts_for_its_own_commit_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b", "-C", str(tmp_path)]
    for arguments in (["init", "-q"], ["commit", "-q", "--allow-empty", "-m", "One"]):
        subprocess.run([*git, *arguments], check=True)
    monkeypatch.setattr(seeds_coverage, "ROOT", tmp_path)
    monkeypatch.setattr(seeds_coverage, "LAST_RUN", tmp_path / ".git" / "last")
    (tmp_path / ".git" / "last").mkdir()
    _junit(tmp_path / ".git" / "last")
    assert seeds_coverage.last_run() is None

    (tmp_path / ".git" / "last" / "commit").write_text(seeds_coverage._git("rev-parse", "HEAD") + "\n")

    assert seeds_coverage.last_run() == tmp_path / ".git" / "last" / "junit.xml"
    (tmp_path / "changed").touch()
    assert seeds_coverage.last_run() is None
    (tmp_path / "changed").unlink()
    subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "Two"], check=True)
    assert seeds_coverage.last_run() is None


def test_named_tests_are_run_and_no_others():
    named = f"{THIS}::test_rows_say_what_shows_them"

    assert seeds_coverage.run_tests([named], in_browser=False) == {named: "passed"}

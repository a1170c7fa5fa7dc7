"""What `tests/run.py` counts, and what it does where a program is missing."""

import os
import shutil
from contextlib import nullcontext
from pathlib import Path

import pytest

import run

APT_GET = """#!/bin/sh
echo "$@" >> "{folder}/calls"
[ "$1" = install ] || exit 0
for program in node npm chromium; do printf '#!/bin/sh\\necho v20.0.0\\n' > "{folder}/$program"; done
{chmod} +x "{folder}/node" "{folder}/npm" "{folder}/chromium"
"""


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only folder where programs are found: it has an apt-get that installs into it."""
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "apt-get").write_text(APT_GET.format(folder=folder, chmod=shutil.which("chmod")))
    (folder / "apt-get").chmod(0o755)
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.delenv("ST_BME_CHROMIUM", raising=False)
    return folder


@pytest.mark.usefixtures("programs")
def test_a_missing_browser_is_one_line_and_one_failure(capsys: pytest.CaptureFixture[str]):
    tally = run.Tally()

    has_browser = run._has_browser(tally)

    assert not has_browser
    assert (tally.passed, tally.failed) == (0, 1)
    assert len(capsys.readouterr().out.splitlines()) == 1


def test_what_is_missing_is_installed_once(programs: Path):
    run._install_system_packages()
    run._install_system_packages()

    tally = run.Tally()
    update, install = (programs / "calls").read_text().splitlines()
    assert update.startswith("update")
    assert install.startswith("install -y")
    assert install.endswith(" nodejs npm chromium")
    assert run._has_browser(tally)
    assert tally.failed == 0


@pytest.mark.parametrize(
    ("ci", "arguments", "may_install"),
    [("", [], False), ("true", [], True), ("", ["--install-system"], True)],
    ids=["by a user", "in CI", "with the option"],
)
def test_system_packages_are_installed_only_with_leave(
    programs: Path, monkeypatch: pytest.MonkeyPatch, ci: str, arguments: list[str], may_install: bool
):
    monkeypatch.setenv("CI", ci)
    monkeypatch.setattr(run, "_checking_sources", lambda _tally, *, is_fast: nullcontext())
    monkeypatch.setattr(run, "LAST_RUN", programs.parent / "report")
    monkeypatch.setattr(run, "JUNIT", programs.parent / "report" / "junit.xml")

    run.main([*arguments, "--fast", "--version"])

    assert (programs / "calls").exists() is may_install


def test_every_outcome_of_pytest_is_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(run, "JUNIT", tmp_path / "junit.xml")
    (tmp_path / "test_outcomes.py").write_text(
        "import pytest\n"
        "def test_passes(): pass\n"
        "def test_passes_too(): pass\n"
        "def test_fails(): raise ValueError\n"
        "def test_breaks(fixture_that_is_not_there): pass\n"
        "@pytest.mark.skip(reason='shows the count')\ndef test_skipped(): pass\n"
        "@pytest.mark.slow\ndef test_left_out(): raise ValueError\n"
    )

    counted = run._run_pytest(["slow"], [str(tmp_path), "-p", "no:cacheprovider"], has_coverage=False)

    assert counted == (2, 2)


def test_a_run_that_finds_no_test_has_failed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(run, "JUNIT", tmp_path / "junit.xml")

    assert run._run_pytest([], [str(tmp_path)], has_coverage=False) == (0, 1)


@pytest.fixture
def js_tests(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(run, "ROOT", tmp_path)
    folder = tmp_path / "tests" / "js"
    folder.mkdir(parents=True)
    (folder / "sums.test.mjs").write_text(
        "import test from 'node:test';\n"
        "test('passes', () => {});\n"
        "test('fails', () => { throw new Error('as it should'); });\n"
    )
    return folder


def test_javascript_tests_are_counted_one_by_one(js_tests: Path):
    ended = run._run_js_tests()

    assert (ended.passed, ended.failed) == (1, 1)
    assert "as it should" in ended.output


@pytest.mark.usefixtures("js_tests")
def test_javascript_tests_without_node_are_one_failure(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PATH", os.devnull)

    ended = run._run_js_tests()

    assert (ended.passed, ended.failed) == (0, 1)
    assert "Node.js 20" in ended.output


def test_a_linter_counts_as_one_check():
    good = run._run_linter("true", ["true"])
    bad = run._run_linter("false", ["false"])

    assert (good.passed, good.failed) == (1, 0)
    assert (bad.passed, bad.failed) == (0, 1)


@pytest.mark.usefixtures("programs")
@pytest.mark.parametrize(("may_install", "failures"), [(True, 2), (False, 0)], ids=["whole run", "fast run"])
def test_linters_that_are_not_there_fail_the_whole_run_only(
    may_install: bool,
    failures: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    tally = run.Tally()

    assert run._find_js_linters(tally, may_install=may_install) == {}

    assert tally.failed == failures
    assert len(capsys.readouterr().out.splitlines()) == 1

"""The launcher, run as a user runs it: in a copy of its own with one small package to install and no network."""

import ast
import contextlib
import hashlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

import bootstrap
import installation
import start

SERVER = Path(__file__).resolve().parents[2] / "server"
PROGRAMS = ("start.py", "bootstrap.py", "installation.py")
CLI = """
import json, sys
import bme_probe

def main(argv):
    print(json.dumps({"argv": argv, "prefix": sys.prefix, "probe": bme_probe.VERSION}))
    return 3
"""


@dataclass(frozen=True)
class Launcher:
    root: Path

    @property
    def venv(self) -> Path:
        return self.root / ".venv"

    @property
    def stamp(self) -> Path:
        return self.venv / "st-bme-installed"

    @property
    def lock(self) -> Path:
        return self.root / "server" / "requirements.lock"

    @property
    def optional_lock(self) -> Path:
        return self.root / "server" / "optional.lock"

    def lock_package(self, version: str, digest: str | None = None) -> None:
        wheel = _make_wheel(self.root / "wheels", version)
        digest = digest or hashlib.sha256(wheel.read_bytes()).hexdigest()
        self.lock.write_text(f"bme-probe=={version} \\\n    --hash=sha256:{digest}\n")
        self.optional_lock.touch()

    def environment(self, **changes: str) -> dict[str, str]:
        ours = {key: value for key, value in os.environ.items() if not key.startswith(("PIP_", "PYTHON", "COV_"))}
        pip = {"PIP_CONFIG_FILE": os.devnull, "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(self.root / "wheels")}
        return {**ours, **pip, **changes}

    def start(self, *arguments: str, python: str = sys.executable, **changes: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [python, str(self.root / "server" / "start.py"), *arguments],
            env=self.environment(**changes),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def run(self, *arguments: str, python: str = sys.executable, **changes: str) -> tuple[int, str, list[str]]:
        started = self.start(*arguments, python=python, **changes)
        output, errors = started.communicate()
        return started.returncode, output, errors.splitlines()


def _make_wheel(folder: Path, version: str) -> Path:
    folder.mkdir(exist_ok=True)
    wheel = folder / f"bme_probe-{version}-py3-none-any.whl"
    info = f"bme_probe-{version}.dist-info"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("bme_probe.py", f"VERSION = {version!r}\n")
        archive.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: bme-probe\nVersion: {version}\n")
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{info}/RECORD", "".join(f"{name},,\n" for name in (*archive.namelist(), f"{info}/RECORD")))
    return wheel


@pytest.fixture
def launcher(tmp_path: Path) -> Launcher:
    package = tmp_path / "server" / "st_bme"
    package.mkdir(parents=True)
    for name in PROGRAMS:
        shutil.copy(SERVER / name, tmp_path / "server" / name)
    (package / "__init__.py").touch()
    (package / "cli.py").write_text(CLI)
    made = Launcher(tmp_path)
    made.lock_package("1.0")
    return made


@contextlib.contextmanager
def _silent_index() -> Iterator[str]:
    """A package index that takes connections and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/simple"


@pytest.mark.slow
def test_first_start_installs_and_every_later_one_needs_nothing(launcher: Launcher):
    code, output, errors = launcher.run("doctor", "--json")
    again = launcher.run(PIP_FIND_LINKS="")

    expected = {"prefix": str(launcher.venv), "probe": "1.0"}
    assert json.loads(output) == {"argv": ["doctor", "--json"], **expected}
    assert code == 3
    assert any("making" in line for line in errors)
    assert again[0] == 3
    assert json.loads(again[1]) == {"argv": ["serve"], **expected}
    assert again[2] == []


@pytest.mark.slow
def test_an_optional_package_that_is_nowhere_keeps_nobody_from_starting(launcher: Launcher):
    launcher.optional_lock.write_text(f"bme-nowhere==1.0 --hash=sha256:{'0' * 64}\n")

    code, output, errors = launcher.run()
    again = launcher.run(PIP_FIND_LINKS="")

    assert code == 3
    assert json.loads(output)["probe"] == "1.0"
    assert any("custom trigger patterns are off" in line for line in errors)
    assert again[2] == []


@pytest.mark.parametrize(
    ("given", "passed_on"),
    [
        ([], ["serve"]),
        (["--allow-origin", "http://192.168.1.5:8000"], ["serve", "--allow-origin", "http://192.168.1.5:8000"]),
        (["serve", "--debug"], ["serve", "--debug"]),
        (["doctor", "--json"], ["doctor", "--json"]),
        (["--help"], ["--help"]),
        (["--version"], ["--version"]),
    ],
)
def test_options_without_a_command_are_for_the_server(given: list[str], passed_on: list[str]):
    assert start.arguments_of(given) == passed_on


@pytest.mark.slow
def test_a_changed_lock_is_installed_into_the_same_environment(launcher: Launcher):
    launcher.run()
    (launcher.venv / "kept").touch()
    launcher.lock_package("1.1")

    _, output, _ = launcher.run()

    assert json.loads(output)["probe"] == "1.1"
    assert (launcher.venv / "kept").exists()


@pytest.mark.slow
def test_an_environment_of_another_python_version_is_brought_in_order_from_inside(launcher: Launcher):
    launcher.run()
    _, _, checksum = launcher.stamp.read_text().partition(" ")
    launcher.stamp.write_text(f"3.10 {checksum}")

    code, output, errors = launcher.run(python=str(launcher.venv / "bin" / "python"))

    assert code == 3
    assert json.loads(output)["probe"] == "1.0"
    assert errors
    assert launcher.stamp.read_text() == "{}.{} {}".format(*sys.version_info[:2], checksum)


@pytest.mark.slow
def test_a_start_killed_half_way_is_begun_again_from_nothing(launcher: Launcher):
    with _silent_index() as index:
        killed = launcher.start(PIP_NO_INDEX="0", PIP_FIND_LINKS="", PIP_INDEX_URL=index)
        assert killed.stderr is not None
        while "installing" not in killed.stderr.readline():
            assert killed.poll() is None
        os.killpg(killed.pid, signal.SIGKILL)
        killed.communicate()
    (launcher.venv / "half").touch()

    code, output, _ = launcher.run()

    assert code == 3
    assert json.loads(output)["probe"] == "1.0"
    assert not (launcher.venv / "half").exists()


@pytest.mark.slow
def test_two_starts_at_once_install_once(launcher: Launcher):
    both = [launcher.start(), launcher.start()]
    outputs = [start.communicate() for start in both]

    assert [start.returncode for start in both] == [3, 3]
    assert sum("installing the locked packages" in errors for _, errors in outputs) == 1


@pytest.mark.slow
def test_without_a_network_one_line_says_so_and_the_next_start_goes_on(launcher: Launcher):
    code, output, errors = launcher.run(
        PIP_NO_INDEX="0", PIP_FIND_LINKS="", PIP_INDEX_URL="http://127.0.0.1:9/simple"
    )
    later, _, _ = launcher.run()

    assert (code, output) == (1, "")
    assert errors[-1].startswith("ST-BME: no network")
    assert later == 3


@pytest.mark.slow
def test_a_package_that_is_not_the_locked_one_is_refused(launcher: Launcher):
    launcher.lock_package("1.0", digest="0" * 64)

    code, output, errors = launcher.run()

    assert (code, output) == (1, "")
    assert errors[-1].startswith("ST-BME: a downloaded package is not the one that was locked")
    assert not launcher.stamp.exists()


def test_a_python_without_ensurepip_says_what_to_install(launcher: Launcher):
    (launcher.root / "sitecustomize.py").write_text("import sys\nsys.modules['ensurepip'] = None\n")

    code, output, errors = launcher.run(PYTHONPATH=str(launcher.root))

    assert (code, output) == (1, "")
    assert len(errors) == 1
    assert "apt install python{}.{}-venv".format(*sys.version_info[:2]) in errors[0]
    assert not launcher.venv.exists()


def test_what_cannot_be_written_is_named(launcher: Launcher):
    launcher.venv.write_text("a file where the folder should be")

    code, output, errors = launcher.run()

    assert (code, output) == (1, "")
    assert errors[-1].startswith(f"ST-BME: cannot write {launcher.venv}: make it writable")


@pytest.mark.parametrize("name", ["start.py", "bootstrap.py"])
def test_what_runs_before_the_version_check_is_read_by_python_3_8(name: str):
    ast.parse((SERVER / name).read_text(encoding="utf-8"), feature_version=(3, 8))


def test_an_old_python_gets_one_line(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys, "version_info", (3, 10, 13, "final", 0))

    with pytest.raises(SystemExit, match=r"^ST-BME: Python 3\.11 or newer is needed and this is 3\.10: install it"):
        bootstrap.enter()


@pytest.mark.parametrize(
    ("log", "advice"),
    [
        ("OSError: [Errno 28] No space left on device", "the disk is full"),
        ("ERROR: Could not install packages due to an OSError: [Errno 13] Permission denied: '/x'", "cannot write"),
        ("after connection broken by 'NewConnectionError('<...>: Failed to establish a new connection'", "no network"),
        ("NameResolutionError: Failed to resolve 'host' ([Errno -3] Temporary failure)", "no network"),
        ("error: command '/usr/bin/x86_64-linux-gnu-gcc' failed with exit code 1", "no ready package"),
        ("error: Microsoft Visual C++ 14.0 or greater is required.", "no ready package"),
        ("Cargo, the Rust package manager, is not installed", "no ready package"),
    ],
    ids=["disk", "permission", "refused", "name", "gcc", "msvc", "rust"],
)
def test_pip_failures_are_turned_into_advice(log: str, advice: str):
    found = installation.advice_for(f"Using pip 25.0 with truststore\n{log}\n")

    assert found is not None
    assert found.startswith(advice)


def test_a_failure_of_no_known_kind_is_left_to_pips_own_words():
    assert installation.advice_for("Using pip 25.0 with truststore\nERROR: resolution impossible\n") is None

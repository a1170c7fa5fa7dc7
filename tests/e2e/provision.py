"""Bring what the end-to-end tests run on: Node, Chromium and the pinned SillyTavern in the user's cache."""

import hashlib
import os
import shutil
import subprocess
import sys
import uuid
from dataclasses import dataclass
from pathlib import Path

import platformdirs

_HERE = Path(__file__).resolve().parent
_CHROMIUM_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
_CHROMIUM_VARIABLE = "ST_BME_CHROMIUM"
_INSTALL_TIMEOUT_S = 900


class ProvisionError(Exception):
    """A program is missing or an installation failed; the message says what to do, in one line."""


@dataclass(frozen=True, slots=True)
class Programs:
    node: Path
    chromium: Path
    sillytavern: Path  # the package directory: server.js runs with this as its working directory


def find_missing() -> list[str]:
    """One line for each program that is not on this machine and that we do not install."""
    missing = [f"{name} is missing: install Node.js 20 or later" for name in ("node", "npm") if not shutil.which(name)]
    if _find_chromium() is None:
        missing.append(
            f"chromium is missing: install it (Debian and Ubuntu: apt-get install chromium) "
            f"or set {_CHROMIUM_VARIABLE} to a Chromium or Chrome program"
        )
    return missing


def provision() -> Programs:
    """Give the programs of the end-to-end tests, installing SillyTavern first where the cache lacks it.

    Raises: ProvisionError.
    """
    missing = find_missing()
    chromium = _find_chromium()
    node, npm = shutil.which("node"), shutil.which("npm")
    if missing or chromium is None or node is None or npm is None:
        raise ProvisionError("end-to-end tests cannot run: " + "; ".join(missing))
    home = installation_dir()
    package = home / "node_modules" / "sillytavern"
    if not package.is_dir():
        _install_packages(Path(npm), home)
    _compile_front_end(Path(node), package)
    return Programs(node=Path(node), chromium=chromium, sillytavern=package)


def installation_dir() -> Path:
    """The folder that belongs to this very lock file: another lock is another installation."""
    lock = hashlib.sha256((_HERE / "package-lock.json").read_bytes()).hexdigest()[:16]
    return Path(platformdirs.user_cache_dir("st-bme-bridge", appauthor=False)) / "e2e" / lock


def _find_chromium() -> Path | None:
    named = os.environ.get(_CHROMIUM_VARIABLE)
    found = (shutil.which(name) for name in ([named] if named else _CHROMIUM_NAMES))
    return next((Path(path) for path in found if path), None)


def _install_packages(npm: Path, home: Path) -> None:
    """Install beside the final place and rename, so that an interrupted run leaves no half installation."""
    building = home.with_name(f"{home.name}.{uuid.uuid4().hex[:8]}")
    building.mkdir(parents=True)
    try:
        for name in ("package.json", "package-lock.json"):
            shutil.copy(_HERE / name, building / name)
        _run([str(npm), "ci", "--ignore-scripts", "--no-audit", "--no-fund"], building, "npm ci of SillyTavern")
        try:
            building.rename(home)
        except OSError:
            if not home.is_dir():  # another run that finished first is as good
                raise
    finally:
        shutil.rmtree(building, ignore_errors=True)


def _compile_front_end(node: Path, package: Path) -> None:
    """Do the webpack build (about a minute) once here instead of at the first start of SillyTavern."""
    done = package / "dist" / "compiled"
    if done.is_file():
        return
    _run([str(node), "docker/build-lib.js"], package, "the build of SillyTavern's front end")
    done.touch()


def _run(command: list[str], folder: Path, what: str) -> None:
    try:
        ended = subprocess.run(
            command,
            cwd=folder,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_INSTALL_TIMEOUT_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise ProvisionError(f"{what} took longer than {_INSTALL_TIMEOUT_S} s") from None
    if ended.returncode:
        lines = (ended.stderr or ended.stdout).strip().splitlines() or ["no output"]
        raise ProvisionError(f"{what} failed with exit code {ended.returncode}: {lines[-1]}")


if __name__ == "__main__":
    try:
        sys.stdout.write(f"{provision()}\n")
    except ProvisionError as error:
        sys.exit(str(error))

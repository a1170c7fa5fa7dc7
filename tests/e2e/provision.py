"""Bring what the end-to-end tests run on: Node, Chromium and the pinned SillyTavern in the user's cache."""

import os
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

import npm_packages

_HERE = Path(__file__).resolve().parent
_CHROMIUM_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
_CHROMIUM_VARIABLE = "ST_BME_CHROMIUM"


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
    try:
        if not package.is_dir():
            npm_packages.install(Path(npm), _HERE, home)
        _compile_front_end(Path(node), package)
    except npm_packages.InstallError as error:
        raise ProvisionError(f"SillyTavern cannot be installed: {error}") from error
    return Programs(node=Path(node), chromium=chromium, sillytavern=package)


def installation_dir() -> Path:
    """The folder that belongs to this very lock file: another lock is another installation."""
    return npm_packages.installation_dir("e2e", _HERE)


def _find_chromium() -> Path | None:
    named = os.environ.get(_CHROMIUM_VARIABLE)
    found = (shutil.which(name) for name in ([named] if named else _CHROMIUM_NAMES))
    return next((Path(path) for path in found if path), None)


def _compile_front_end(node: Path, package: Path) -> None:
    """Do the webpack build (about a minute) once here instead of at the first start of SillyTavern."""
    done = package / "dist" / "compiled"
    if done.is_file():
        return
    npm_packages.run_in([str(node), "docker/build-lib.js"], package, "the build of SillyTavern's front end")
    done.touch()


if __name__ == "__main__":
    try:
        sys.stdout.write(f"{provision()}\n")
    except ProvisionError as error:
        sys.exit(str(error))

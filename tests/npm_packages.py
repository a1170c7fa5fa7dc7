"""npm packages that tests and linters run on, in the user's cache: one installation for each lock file."""

import hashlib
import shutil
import subprocess
import uuid
from pathlib import Path

import platformdirs

_TIMEOUT_S = 900
_FILES = ("package.json", "package-lock.json")


class InstallError(Exception):
    """An installation failed; the message says what happened, in one line."""


def installation_dir(kind: str, lock_folder: Path) -> Path:
    """The folder that belongs to this very lock file: another lock is another installation."""
    lock = hashlib.sha256((lock_folder / "package-lock.json").read_bytes()).hexdigest()[:16]
    return Path(platformdirs.user_cache_dir("st-bme-bridge", appauthor=False)) / kind / lock


def install(npm: Path, lock_folder: Path, home: Path) -> None:
    """Install what the lock file names. It is done beside the final place and moved there: never half an installation.

    Raises: InstallError.
    """
    building = home.with_name(f"{home.name}.{uuid.uuid4().hex[:8]}")
    building.mkdir(parents=True)
    try:
        for name in _FILES:
            shutil.copy(lock_folder / name, building / name)
        run_in([str(npm), "ci", "--ignore-scripts", "--no-audit", "--no-fund"], building, "npm ci")
        try:
            building.rename(home)
        except OSError:
            if not home.is_dir():  # another run that finished first is as good
                raise
    finally:
        shutil.rmtree(building, ignore_errors=True)


def run_in(command: list[str], folder: Path, what: str) -> None:
    """Run a program that prints only what matters when it fails. Raises: InstallError."""
    try:
        ended = subprocess.run(
            command, cwd=folder, capture_output=True, text=True, errors="replace", timeout=_TIMEOUT_S, check=False
        )
    except subprocess.TimeoutExpired:
        raise InstallError(f"{what} took longer than {_TIMEOUT_S} s") from None
    if ended.returncode:
        lines = (ended.stderr or ended.stdout).strip().splitlines() or ["no output"]
        raise InstallError(f"{what} failed with exit code {ended.returncode}: {lines[-1]}")

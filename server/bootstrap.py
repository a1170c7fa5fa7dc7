"""Enter the project's own environment: `.venv` at the repository root, filled from a lock with hashes.

Standard library only, in syntax that Python 3.8 reads: an old Python must get one clear line, not a SyntaxError.
Every start runs through here twice, before and inside `.venv`, so what takes long to import is imported where needed.
"""

from __future__ import annotations

import os
import sys
import zlib

OLDEST_PYTHON = (3, 11)
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
VENV = os.path.join(ROOT, ".venv")
VENV_PYTHON = os.path.join(VENV, *(("Scripts", "python.exe") if os.name == "nt" else ("bin", "python")))

RUNTIME_LOCK = os.path.join(ROOT, "server", "requirements.lock")
# What some systems have no ready package of, and the server can do without.
OPTIONAL_LOCK = os.path.join(ROOT, "server", "optional.lock")
# The last one is installed, and what is optional beside it; it contains those before it.
LOCKS = {
    "": [OPTIONAL_LOCK, RUNTIME_LOCK],
    "test": [OPTIONAL_LOCK, RUNTIME_LOCK, os.path.join(ROOT, "tests", "requirements.lock")],
}

# One line: the minor Python version of `.venv`, then the checksum of each lock that is installed there.
STAMP = os.path.join(VENV, "st-bme-installed")


def enter(extra: str = "") -> None:
    """Return only inside `.venv` with the locked packages; whatever is missing is made first.

    Args:
        extra: "" for what the server needs, "test" for the tests' packages as well.
    """
    if sys.version_info[:2] < OLDEST_PYTHON:
        needed, found = ("{}.{}".format(*version[:2]) for version in (OLDEST_PYTHON, sys.version_info))
        sys.exit(
            f"ST-BME: Python {needed} or newer is needed and this is {found}: "
            "install it from https://www.python.org/downloads/ and start again with it"
        )
    if not is_ready(extra):
        import installation

        installation.install(extra)
    if not is_inside():
        _start_over_inside()


def is_inside() -> bool:
    return os.path.exists(VENV) and os.path.samefile(sys.prefix, VENV)


def is_ready(extra: str) -> bool:
    """Whether `.venv` holds just what the locks say."""
    try:
        with open(STAMP, encoding="utf-8") as file:
            version, *checksums = file.read().split()
    except (OSError, ValueError):
        return False
    # From outside the version is taken on trust; after entering, an upgraded system Python shows itself here.
    has_same_python = not is_inside() or version == "{}.{}".format(*sys.version_info)
    return has_same_python and os.path.exists(VENV_PYTHON) and all(checksum(lock) in checksums for lock in LOCKS[extra])


def checksum(lock: str) -> str:
    """What tells a changed lock apart; pip guards the packages with the hashes in it."""
    with open(lock, "rb") as file:
        return f"{zlib.crc32(file.read()):08x}"


def _start_over_inside() -> None:
    command = [VENV_PYTHON, *sys.orig_argv[1:]]
    # macOS framework builds hand this down, and the child would take the parent's place for its own.
    os.environ.pop("__PYVENV_LAUNCHER__", None)
    sys.stdout.flush()
    if os.name != "nt":
        os.execv(VENV_PYTHON, command)
    # Windows' exec returns to the console at once, so the parent waits; Ctrl+C is the child's to answer.
    import signal
    import subprocess

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.exit(subprocess.run(command, check=False).returncode)

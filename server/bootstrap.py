"""Enter the project's own environment: `.venv` at the repository root, filled from a lock with hashes.

Standard library only, in syntax that Python 3.8 reads: an old Python must get one clear line, not a SyntaxError.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from collections.abc import Iterator

OLDEST_PYTHON = (3, 11)
ROOT = Path(__file__).resolve().parents[1]
VENV = ROOT / ".venv"
VENV_PYTHON = VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
RUNTIME_LOCK = ROOT / "server" / "requirements.lock"
LOCKS = {"": [RUNTIME_LOCK], "test": [RUNTIME_LOCK, ROOT / "tests" / "requirements.lock"]}

# One line: the minor Python version of `.venv` and the digest of each lock that is installed there.
STAMP = VENV / "st-bme-installed"
UNFINISHED = "unfinished"
PIP_LOG = VENV / "st-bme-pip.log"

# What pip's log says, and what the user can do about it; the first match counts.
PIP_FAILURES = (
    (r"No space left on device", "the disk is full: free about 300 MB and start again"),
    (r"Read-only file system|Permission denied", f"cannot write to {VENV}: make it writable and start again"),
    (r"DO NOT MATCH THE HASHES", "a downloaded package is not the one that was locked; nothing was installed"),
    (
        r"NameResolutionError|(New)?Connect(ion)?(Timeout)?Error|ReadTimeout|ProxyError|Max retries|SSLError",
        "no network: the first start downloads packages; connect to the internet and start again",
    ),
    (
        r"command '.*(cc|clang|\+\+)'|Microsoft Visual C\+\+|[Rr]ust|cargo|Failed (to build|building wheel)",
        "no ready package for this Python: use 3.11 to 3.13, or install compilers (build-essential python3-dev cargo)",
    ),
)


def enter(extra: str = "") -> None:
    """Return only inside `.venv` with the locked packages; whatever is missing is made first.

    Args:
        extra: "" for what the server needs, "test" for the tests' packages as well.
    """
    if sys.version_info[:2] < OLDEST_PYTHON:
        _stop(
            "Python {}.{} or newer is needed and this is {}.{}: install it from https://www.python.org/downloads/ "
            "and start again with it".format(*OLDEST_PYTHON, *sys.version_info[:2])
        )
    if not _is_ready(extra):
        try:
            with _alone() as lock_handle:
                if not _is_ready(extra):
                    _install(extra, lock_handle)
        except KeyboardInterrupt:
            _stop("stopped; the next start begins the installation again")
        except OSError as error:
            _stop(f"cannot write {VENV} ({error.strerror}): make it writable, or delete it, and start again")
    if not _is_inside():
        _start_over_inside()


def _is_inside() -> bool:
    return VENV.exists() and VENV.samefile(sys.prefix)


def _is_ready(extra: str) -> bool:
    try:
        python, *digests = STAMP.read_text(encoding="utf-8").split()
    except (OSError, ValueError):
        return False
    # From outside the version is taken on trust; after entering, an upgraded system Python shows itself here.
    is_same_python = not _is_inside() or python == "{}.{}".format(*sys.version_info[:2])
    return is_same_python and VENV_PYTHON.exists() and all(_digest(lock) in digests for lock in LOCKS[extra])


def _digest(lock: Path) -> str:
    return hashlib.sha256(lock.read_bytes()).hexdigest()


def _install(extra: str, lock_handle: int) -> None:
    """Fill `.venv`; one that a killed start left behind, or whose Python is gone, is made anew."""
    stamp = STAMP.read_text(encoding="utf-8") if STAMP.exists() else ""
    python = None if stamp == UNFINISHED else _venv_version()
    if python is None:
        _make_venv(lock_handle)
        python = _venv_version()
    STAMP.write_text(UNFINISHED, encoding="utf-8")
    _tell("installing the locked packages into .venv (once, and again when the lock changes)")
    # The same lock twice costs nothing, and only the last one is a superset of the others.
    _pip_install(LOCKS[extra][-1], lock_handle)
    STAMP.write_text(" ".join([python or "", *map(_digest, LOCKS[extra])]), encoding="utf-8")


def _venv_version() -> str | None:
    """The minor version of `.venv`'s Python, None when it cannot be used."""
    program = "import sys, pip; assert sys.prefix != sys.base_prefix; print('{}.{}'.format(*sys.version_info))"
    try:
        answer = subprocess.run([str(VENV_PYTHON), "-c", program], capture_output=True, text=True, check=False)
    except OSError:
        return None
    version = answer.stdout.strip()
    is_usable = answer.returncode == 0 and tuple(map(int, version.split("."))) >= OLDEST_PYTHON
    return version if is_usable else None


def _make_venv(lock_handle: int) -> None:
    if not (importlib.util.find_spec("venv") and importlib.util.find_spec("ensurepip")):
        package = "python{}.{}-venv".format(*sys.version_info[:2])
        _stop(f"this Python cannot make a virtual environment: install venv (Debian, Ubuntu: apt install {package})")
    _tell(f"making {VENV}")
    if VENV.exists():
        shutil.rmtree(VENV)
    VENV.mkdir()
    STAMP.write_text(UNFINISHED, encoding="utf-8")
    # Inside `.venv` the public names lead into the folder that has just been deleted.
    base_python = sys._base_executable  # type: ignore[attr-defined]  # noqa: SLF001
    command = [base_python, "-m", "venv", str(VENV)]
    if _run(command, lock_handle) != 0:
        _stop(f"could not make {VENV}; Python's own words are above")


def _pip_install(lock: Path, lock_handle: int) -> None:
    PIP_LOG.unlink(missing_ok=True)
    pip = [str(VENV_PYTHON), "-m", "pip", "install", "--no-input", "--disable-pip-version-check", "--retries", "3"]
    if _run([*pip, "--log", str(PIP_LOG), "--require-hashes", "--requirement", str(lock)], lock_handle) == 0:
        return
    # pip undoes what it began when it fails by itself, so the next start may go on from here.
    STAMP.unlink()
    log = PIP_LOG.read_text(encoding="utf-8", errors="replace") if PIP_LOG.exists() else ""
    for pattern, advice in PIP_FAILURES:
        if re.search(pattern, log):
            _stop(advice)
    _stop(f"pip could not install {lock.relative_to(ROOT)}; its last words are above, all of them in {PIP_LOG}")


def _run(command: list[str], lock_handle: int) -> int:
    """Run a child that prints to stderr (stdout belongs to the caller's answer) and keeps our lock while it lives."""
    handles = () if os.name == "nt" else (lock_handle,)
    return subprocess.run(command, stdout=sys.stderr, pass_fds=handles, check=False).returncode


@contextlib.contextmanager
def _alone() -> Iterator[int]:
    """Keep every other start waiting; the system lets go of the lock when its last holder ends, however it ends."""
    with RUNTIME_LOCK.open("rb") as file:
        if sys.platform == "win32":
            import msvcrt

            file.seek(1 << 30)  # beyond the end: Windows keeps others from reading locked bytes
            while True:
                with contextlib.suppress(OSError):  # gives up after ten seconds
                    msvcrt.locking(file.fileno(), msvcrt.LK_LOCK, 1)
                    break
        else:
            import fcntl

            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                _tell("another start is installing; waiting for it")
                fcntl.flock(file, fcntl.LOCK_EX)
        yield file.fileno()


def _start_over_inside() -> NoReturn:
    command = [str(VENV_PYTHON), *sys.orig_argv[1:]]
    # macOS framework builds hand this down, and the child would take the parent's place for its own.
    os.environ.pop("__PYVENV_LAUNCHER__", None)
    sys.stdout.flush()
    if os.name != "nt":
        os.execv(command[0], command)
    # Windows' exec returns to the console at once, so the parent waits; Ctrl+C is the child's to answer.
    import signal

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    raise SystemExit(subprocess.run(command, check=False).returncode)


def _tell(text: str) -> None:
    print(f"ST-BME: {text}", file=sys.stderr, flush=True)


def _stop(text: str) -> NoReturn:
    _tell(text)
    raise SystemExit(1)

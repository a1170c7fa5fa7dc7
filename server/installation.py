"""Make `.venv` and fill it from a lock, alone, and say in one line what stands in the way."""

from __future__ import annotations

import contextlib
import importlib.util
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import bootstrap

if TYPE_CHECKING:
    from collections.abc import Iterator

VENV = Path(bootstrap.VENV)
STAMP = Path(bootstrap.STAMP)
UNFINISHED = "unfinished"
PIP_LOG = VENV / "st-bme-pip.log"

UNWRITABLE = f"cannot write {VENV}: make it writable, or delete it, and start again"

# What pip's log says, and what the user can do about it; the first match counts.
PIP_FAILURES = (
    (r"No space left on device", "the disk is full: free about 300 MB and start again"),
    (r"Read-only file system|Permission denied", UNWRITABLE),
    (r"DO NOT MATCH THE HASHES", "a downloaded package is not the one that was locked; nothing was installed"),
    (
        r"NameResolutionError|(New)?Connect(ion)?(Timeout)?Error|ReadTimeout|ProxyError|Max retries|SSLError",
        "no network: the first start downloads packages; connect to the internet and start again",
    ),
    (
        r"command '.*(cc|clang|\+\+)'|Microsoft Visual C\+\+|\bRust\b|\bcargo\b|Failed (to build|building wheel)",
        "no ready package for this Python: use 3.11 to 3.14, or install compilers (build-essential python3-dev cargo)",
    ),
)


def install(extra: str) -> None:
    """Bring `.venv` to what the locks of `extra` say; exits with one line when that cannot be."""
    try:
        with _alone() as lock_handle:
            if not bootstrap.is_ready(extra):
                _fill(bootstrap.LOCKS[extra], lock_handle)
    except KeyboardInterrupt:
        _stop("stopped; the next start begins the installation again")
    except OSError as error:
        _stop(f"{UNWRITABLE} ({error.strerror})")


@contextlib.contextmanager
def _alone() -> Iterator[int]:
    """Keep every other start waiting; the system frees the lock when its last holder ends, however it ends."""
    with open(bootstrap.RUNTIME_LOCK, "rb") as file:
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


def _fill(locks: list[str], lock_handle: int) -> None:
    """Install the last lock; an environment that a killed start left, or whose Python is gone, is made anew."""
    is_unfinished = STAMP.exists() and STAMP.read_text(encoding="utf-8") == UNFINISHED
    version = None if is_unfinished else _usable_version()
    if version is None:
        _make_venv(lock_handle)
        version = _usable_version()
    STAMP.write_text(UNFINISHED, encoding="utf-8")
    _tell("installing the locked packages into .venv (once, and again when the lock changes)")
    _pip_install(locks[-1], lock_handle)
    _pip_install_optional(lock_handle)
    STAMP.write_text(" ".join([str(version), *map(bootstrap.checksum, locks)]), encoding="utf-8")


def _usable_version() -> str | None:
    """The minor version of `.venv`'s Python; None when there is none, it lacks pip, or it is too old."""
    program = "import sys, pip; assert sys.prefix != sys.base_prefix; print('{}.{}'.format(*sys.version_info))"
    try:
        answer = subprocess.run([bootstrap.VENV_PYTHON, "-c", program], capture_output=True, text=True, check=False)
    except OSError:
        return None
    version = answer.stdout.strip()
    is_usable = answer.returncode == 0 and tuple(map(int, version.split("."))) >= bootstrap.OLDEST_PYTHON
    return version if is_usable else None


def _make_venv(lock_handle: int) -> None:
    if not (importlib.util.find_spec("venv") and importlib.util.find_spec("ensurepip")):
        package = "python{}.{}-venv".format(*sys.version_info)
        _stop(f"this Python cannot make a virtual environment: install venv (Debian, Ubuntu: apt install {package})")
    _tell(f"making {VENV}")
    if VENV.exists():
        shutil.rmtree(VENV)
    VENV.mkdir()
    STAMP.write_text(UNFINISHED, encoding="utf-8")
    # Inside `.venv` the public names lead into the folder that has just been deleted.
    base_python = sys._base_executable  # type: ignore[attr-defined]  # noqa: SLF001
    if _run([base_python, "-m", "venv", str(VENV)], lock_handle) != 0:
        _stop(f"could not make {VENV}; Python's own words are above")


def _pip(*options: str) -> list[str]:
    pip = [bootstrap.VENV_PYTHON, "-m", "pip", "install", "--no-input", "--disable-pip-version-check", "--retries", "3"]
    return [*pip, *options, "--require-hashes", "--requirement"]


def _pip_install_optional(lock_handle: int) -> None:
    """Install what the server can do without, where there is a ready package; compilers are not tried."""
    if _run([*_pip("--quiet", "--only-binary", ":all:"), bootstrap.OPTIONAL_LOCK], lock_handle) != 0:
        _tell("an optional package is missing here (see above): custom trigger patterns are off, all else works")


def _pip_install(lock: str, lock_handle: int) -> None:
    PIP_LOG.unlink(missing_ok=True)
    if _run([*_pip("--log", str(PIP_LOG)), lock], lock_handle) == 0:
        return
    # pip undoes what it began when it fails by itself, so the next start may go on from here.
    STAMP.unlink()
    log = PIP_LOG.read_text(encoding="utf-8", errors="replace") if PIP_LOG.exists() else ""
    _stop(advice_for(log) or f"pip could not install {lock}; its last words are above, all of them in {PIP_LOG}")


def advice_for(log: str) -> str | None:
    """What the user can do about the failure that pip's log tells of."""
    return next((advice for pattern, advice in PIP_FAILURES if re.search(pattern, log)), None)


def _run(command: list[str], lock_handle: int) -> int:
    """Run a child that prints to stderr (stdout belongs to the caller's answer) and keeps our lock while it lives."""
    handles = () if sys.platform == "win32" else (lock_handle,)
    return subprocess.run(command, stdout=sys.stderr, pass_fds=handles, check=False).returncode


def _tell(text: str) -> None:
    print(f"ST-BME: {text}", file=sys.stderr, flush=True)


def _stop(text: str) -> NoReturn:
    _tell(text)
    raise SystemExit(1)

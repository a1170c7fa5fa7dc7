"""The user's data directory: private, and held by one server at a time."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from st_bme.errors import StartRefused

LOCK_NAME = "server.lock"


@contextmanager
def held(path: Path) -> Iterator[Path]:
    """Make the directory and hold it. The lock goes with the process, however it ends.

    Raises: StartRefused: another server holds it, or it cannot be written.
    """
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock = open(path / LOCK_NAME, "a+b")  # noqa: SIM115, PTH123 - closed below, after the server's work
    except OSError as error:
        raise StartRefused(
            f"cannot write to the data directory {path} ({error.strerror}); make it writable, "
            f"or choose another one with --data-dir"
        ) from None
    with lock:
        if not _try_lock(lock):
            lock.seek(0)
            pid = lock.read(20).decode("ascii", "replace").strip() or "unknown"
            raise StartRefused(
                f"another server (process {pid}) uses the data directory {path}; "
                f"stop that one, or choose another directory with --data-dir"
            )
        lock.truncate(0)
        lock.write(f"{os.getpid()}\n".encode())
        lock.flush()
        yield path


if sys.platform == "win32":
    import msvcrt

    # Far behind the content, because a locked byte cannot be read by others.
    _LOCKED_BYTE = 1 << 20

    def _try_lock(lock: BinaryIO) -> bool:
        lock.seek(_LOCKED_BYTE)
        try:
            msvcrt.locking(lock.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def _try_lock(lock: BinaryIO) -> bool:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        return True

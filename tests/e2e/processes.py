"""Child processes of the harness: started with their output in a file, ended by their own handle."""

import contextlib
import os
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

_END_TIMEOUT_S = 10


class StartError(Exception):
    """A child process ended or stayed silent instead of coming up."""


@dataclass(frozen=True, slots=True)
class LoggedProcess:
    handle: subprocess.Popen[bytes]
    log: Path

    @classmethod
    def start(
        cls, command: Sequence[str], log: Path, *, folder: Path, environment: Mapping[str, str] | None = None
    ) -> "LoggedProcess":
        log.parent.mkdir(parents=True, exist_ok=True)
        with log.open("ab") as output:
            handle = subprocess.Popen(
                command,
                cwd=folder,
                env={**os.environ, **(environment or {})},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
            )
        return cls(handle, log)

    def wait_until(self, is_up: Callable[[], bool], *, timeout_s: float) -> None:
        """Block until the process serves. Raises: StartError with the end of its log."""
        deadline = time.monotonic() + timeout_s
        while not is_up():
            if self.handle.poll() is not None or time.monotonic() > deadline:
                self.stop()
                raise StartError(f"{self.handle.args!r} did not come up; its log ends:\n{tail(self.log)}")
            time.sleep(0.05)

    def stop(self) -> None:
        """Ask the process to end and wait for it; kill it when it does not."""
        if self.handle.poll() is None:
            self.handle.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.handle.wait(_END_TIMEOUT_S)
                return
            self.kill()

    def kill(self) -> None:
        """End the process with no chance to save anything."""
        self.handle.kill()
        self.handle.wait(_END_TIMEOUT_S)

    @contextlib.contextmanager
    def frozen(self) -> Iterator[None]:
        """Keep the process and its open ports but let it answer nothing."""
        self.handle.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self.handle.send_signal(signal.SIGCONT)


def answers(url: str) -> bool:
    """Whether an HTTP server answers there, with whatever status below 500."""
    try:
        with urllib.request.urlopen(url, timeout=2):
            return True
    except urllib.error.HTTPError as error:
        return error.code < 500
    except OSError:
        return False


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def tail(log: Path, lines: int = 15) -> str:
    return "\n".join(log.read_text(errors="replace").splitlines()[-lines:])

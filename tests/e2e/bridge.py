"""The memory server as a user runs it: a process of its own, over a data directory of its own."""

import re
import sys
from collections import Counter
from contextlib import AbstractContextManager
from pathlib import Path

from .processes import LoggedProcess, answers, free_port
from .sillytavern import REPOSITORY

_START_TIMEOUT_S = 60


class Bridge:
    """A server that can be stopped, killed, frozen and started again at the same address with the same data."""

    def __init__(self, folder: Path, sillytavern_url: str) -> None:
        self._sillytavern_url = sillytavern_url
        self._process: LoggedProcess | None = None
        self.port = free_port()
        self.door_port = free_port()  # a `Door` in front of the server may listen there
        self.data_dir = folder / "data"
        self.log = folder / "bridge.log"

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Start the process and return once it answers."""
        self.launch()
        self.wait_until_up()

    def launch(self) -> None:
        """Start the process; a second or two later it answers."""
        options = {
            "host": "127.0.0.1",
            "port": self.port,
            "data-dir": self.data_dir,
            "allow-origin": self._sillytavern_url,
            "allow-host": f"127.0.0.1:{self.door_port}",
        }
        arguments = [f"--{name}={value}" for name, value in options.items()]
        command = [sys.executable, "server/start.py", "serve", *arguments]
        self._process = LoggedProcess.start(command, self.log, folder=REPOSITORY)

    def wait_until_up(self) -> None:
        """Return once it answers `hello`."""
        self._running.wait_until(lambda: answers(f"{self.url}/v1/hello"), timeout_s=_START_TIMEOUT_S)

    def events(self) -> Counter[str]:
        """How often each event of SillyTavern reached the server, by its log."""
        return Counter(re.findall(r" event (\w+) in chat ", self.log.read_text()))

    def stop(self) -> None:
        """End the process as Ctrl+C or a service manager does."""
        if self._process is not None:
            self._process.stop()
            self._process = None

    def kill(self) -> None:
        """End the process with no chance to save anything."""
        self._running.kill()
        self._process = None

    def frozen(self) -> AbstractContextManager[None]:
        """Keep the process and its port but let it answer nothing."""
        return self._running.frozen()

    @property
    def _running(self) -> LoggedProcess:
        if self._process is None:
            raise AssertionError("the server is not running")
        return self._process

"""The real server in a process of its own, which can be killed and started again within a moment."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import sys
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from st_bme.adapters.process_memory import settle_collector
from st_bme.app import serving
from st_bme.config import Config

START_S = 30.0
# A server that is forked from one where everything is imported starts ten times as fast.
_METHOD = "forkserver" if "forkserver" in multiprocessing.get_all_start_methods() else "spawn"


async def _serve(data_dir: Path, started: Connection) -> None:
    async with serving(Config(data_dir=data_dir, port=0), lambda _: None) as state:
        settle_collector()  # as the command does once it serves
        started.send(state.addresses[0])
        await asyncio.Event().wait()


def run_server(data_dir: Path, started: Connection) -> None:
    """Serve until killed."""
    asyncio.run(_serve(data_dir, started))


class KillableServer:
    """One server after the other on one data directory."""

    def __init__(self, data_dir: Path) -> None:
        self._data_dir = data_dir
        # Which contexts there are depends on the system.
        self._context: Any = multiprocessing.get_context(_METHOD)
        if _METHOD == "forkserver":
            # Python hands its own path to the process that is forked from, but that one does not use it.
            os.environ["PYTHONPATH"] = os.pathsep.join(sys.path)
            self._context.set_forkserver_preload([__name__])
        self._process: multiprocessing.process.BaseProcess | None = None

    def start(self) -> str:
        """Start a server; its address. Raises ServerDied if it does not come up."""
        here, there = self._context.Pipe(duplex=False)
        self._process = self._context.Process(target=run_server, args=(self._data_dir, there), daemon=True)
        self._process.start()
        there.close()
        try:
            if here.poll(START_S):
                return str(here.recv())
        except EOFError:
            pass
        raise ServerDied(f"the server on {self._data_dir} did not start")

    def kill(self) -> None:
        """End it at once, as a power cut would: nothing is written any more, nobody is told."""
        if self._process is not None:
            self._process.kill()
            self._process.join()
            self._process = None


class ServerDied(Exception):
    """A server that was to start did not."""

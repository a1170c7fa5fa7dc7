"""The composition root: the doors, and behind them the memory (`core.py`). No other place names adapters."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import logging
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from aiohttp import web

from st_bme.adapters.data_dir import held
from st_bme.config import Config
from st_bme.errors import StartRefused
from st_bme.protocol.results import ModelStates
from st_bme.session.event_log import EventLog
from st_bme.web.application import Parts, web_application
from st_bme.web.pairing import Pairing
from st_bme.web.routes import Bridge
from st_bme.web.tokens import TokenFile, open_tokens

if TYPE_CHECKING:
    from st_bme.core import Core

_LOGGER = logging.getLogger(__name__)

KEEPALIVE_S = 30.0
SHUTDOWN_S = 5.0
LINGER_S = 2.0
BACKLOG = 64
LOAD_AFTER_S = 1.0
# How long another thread computes before the event loop has its turn. Python's own 5 ms would add up, thread by thread.
SWITCH_S = 0.001


@dataclass(frozen=True, slots=True)
class Serving:
    """A server that listens: what the console tells the user."""

    addresses: tuple[str, ...]
    models: ModelStates
    is_paired: bool
    pairs_by_itself: bool
    set_aside: str


def _wall_ms() -> int:
    return time.time_ns() // 1_000_000


class Memory:
    """The memory behind the doors: who asks before it is there waits for it.

    What it is made of is half of what a start imports, so that it comes when the doors are open.
    """

    def __init__(self, config: Config, events: EventLog) -> None:
        self.events = events
        self._config = config
        self._building: asyncio.Task[Core] | None = None

    async def core(self) -> Core:
        """Raises: CorruptState: the stored memories cannot be read; they are left as they are."""
        if self._building is None:
            self._building = asyncio.create_task(self._build())
        return await asyncio.shield(self._building)

    async def bridge(self) -> Bridge:
        """Raises as `core` does."""
        return (await self.core()).bridge

    async def close(self) -> None:
        if self._building is not None:
            await asyncio.wait({self._building})
            if self._building.exception() is None:
                await self._building.result().bridge.stop()

    async def _build(self) -> Core:
        build_core = await asyncio.to_thread(_imported_builder)
        core = build_core(self._config.data_dir, self._config.port, self.events)
        await core.open_stores()
        await core.bridge.start()
        return core


def _imported_builder() -> Callable[[Path, int | None, EventLog | None], Core]:
    from st_bme.core import build_core  # noqa: PLC0415 - the reason stands at the class

    return build_core


def build_parts(config: Config, memory: Memory, tokens: TokenFile, announce: Callable[[str], None]) -> Parts:
    """Put the doors around the memory."""
    pairing = Pairing(
        tokens,
        trusted_origins=config.allowed_origins,
        is_loopback=config.is_loopback,
        announce=announce,
        clocks=(time.monotonic, _wall_ms),
    )
    return Parts(memory.bridge, memory.events, pairing, config.allowed_hosts)


def build_app(parts: Parts, memory: Memory) -> web.Application:
    """The application, which takes the memory along when it ends."""
    app = web_application(parts)

    async def say_bye(_: web.Application) -> None:
        parts.events.close()

    async def stop(_: web.Application) -> None:
        await memory.close()

    app.on_shutdown.append(say_bye)
    app.on_cleanup.append(stop)
    return app


@asynccontextmanager
async def serving(config: Config, announce: Callable[[str], None]) -> AsyncIterator[Serving]:
    """Serve until the context is left.

    Raises: StartRefused: another server holds the data directory, or the address cannot be listened on.
        CorruptState: the stored memories cannot be read; they are left as they are.
    """
    async with AsyncExitStack() as stack:
        stack.enter_context(held(config.data_dir))
        sys.setswitchinterval(SWITCH_S)
        opened = await asyncio.to_thread(open_tokens, config.data_dir, config.token)
        memory = Memory(config, EventLog(_wall_ms()))
        parts = build_parts(config, memory, opened.tokens, announce)
        runner = _runner(build_app(parts, memory))
        stack.push_async_callback(runner.cleanup)
        await runner.setup()
        addresses = await _listen(runner, config)
        core = await memory.core()
        stack.push_async_callback(_cancel, asyncio.create_task(_after_start(core, parts, runner)))
        yield Serving(
            addresses=addresses,
            models=core.bridge.models(),
            is_paired=not opened.tokens.is_new,
            pairs_by_itself=config.is_loopback,
            set_aside=str(opened.set_aside or ""),
        )


def _runner(app: web.Application) -> web.AppRunner:
    return web.AppRunner(
        app,
        access_log=None,
        handler_cancellation=False,
        auto_decompress=False,
        keepalive_timeout=KEEPALIVE_S,
        lingering_time=LINGER_S,
        shutdown_timeout=SHUTDOWN_S,
    )


async def _after_start(core: Core, parts: Parts, runner: web.AppRunner) -> None:
    """What goes on beside the requests."""
    async with asyncio.TaskGroup() as group:
        if runner.server is not None:
            group.create_task(parts.reaper.run(runner.server))
        # The vocabulary takes a third of a second of computing, which the first requests shall not wait for.
        await asyncio.sleep(LOAD_AFTER_S)
        await asyncio.to_thread(core.counter.load)


async def _cancel(task: asyncio.Task[None]) -> None:
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await task


async def _listen(runner: web.AppRunner, config: Config) -> tuple[str, ...]:
    """Open the port; on loopback also for IPv6, which browsers may try first for `localhost`."""
    try:
        await web.TCPSite(runner, config.host, config.port, backlog=BACKLOG).start()
    except OSError as error:
        raise StartRefused(_why_not_listening(config, error)) from None
    port: int = runner.addresses[0][1]
    addresses = [_address(config.host, port)]
    if config.host == "127.0.0.1":
        try:
            await web.TCPSite(runner, "::1", port, backlog=BACKLOG).start()
            addresses.append(_address("::1", port))
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                _LOGGER.warning(
                    "another program listens at [::1]:%s: use http://127.0.0.1:%s, not localhost", port, port
                )
    return tuple(addresses)


def _address(host: str, port: int) -> str:
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _why_not_listening(config: Config, error: OSError) -> str:
    place = f"{config.host}:{config.port}"
    if error.errno == errno.EADDRINUSE:
        return f"{place} is in use by another program; stop that one, or choose another port with --port"
    return f"cannot listen at {place} ({error.strerror}); choose another --host or --port"

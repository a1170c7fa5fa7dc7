"""The composition root: the only place that names the adapters and puts the server together."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import logging
import os
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from aiohttp import web

from st_bme.adapters.clock import SystemClock
from st_bme.adapters.data_dir import held
from st_bme.adapters.keyring_vault import find_keyring
from st_bme.adapters.model_maker import AdapterMaker
from st_bme.adapters.secrets import FILE_NAME as SECRETS_FILE
from st_bme.adapters.secrets import FileVault, KeyStore
from st_bme.adapters.sqlite_store import SqliteStore
from st_bme.adapters.token_counter import LocalTokenCounter
from st_bme.adapters.vector_store import FILE_NAME, SqliteVectorStore
from st_bme.config import Config
from st_bme.errors import StartRefused
from st_bme.protocol.results import ModelStates
from st_bme.session.bridge import Bridge, SettingsHolder
from st_bme.session.budget import Budget
from st_bme.session.event_log import EventLog
from st_bme.session.host_link import HostLink
from st_bme.session.models import Models
from st_bme.session.tools import Tools
from st_bme.session.usage import Usage
from st_bme.web.application import Parts, web_application
from st_bme.web.pairing import Pairing
from st_bme.web.tokens import TokenFile, open_tokens

_LOGGER = logging.getLogger(__name__)

KEEPALIVE_S = 30.0
SHUTDOWN_S = 5.0
LINGER_S = 2.0
BACKLOG = 64
LOAD_AFTER_S = 1.0


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


@dataclass(frozen=True, slots=True)
class Core:
    """What is opened and loaded by itself, before or after the port."""

    store: SqliteStore
    vectors: SqliteVectorStore
    counter: LocalTokenCounter
    events: EventLog
    tools: Tools
    bridge: Bridge

    async def open(self) -> None:
        """Open the stores and load what counts tokens, for work without a port."""
        await self.open_stores()
        await asyncio.to_thread(self.counter.load)

    async def open_stores(self) -> None:
        await self.store.open()
        await self.vectors.open()


def build_core(data_dir: Path, own_port: int | None = None) -> Core:
    """Put the memory together. `own_port` is where the server listens, which no model call may reach."""
    store = SqliteStore(data_dir / "memory.sqlite3")
    vectors = SqliteVectorStore(data_dir / FILE_NAME)
    counter = LocalTokenCounter()
    events = EventLog(_wall_ms())
    settings = SettingsHolder()
    host = HostLink(events)
    clock = SystemClock()
    usage = Usage(store, clock, counter)
    maker = AdapterMaker(host, lambda: _open_keys(data_dir), own_port=own_port, folder=data_dir)
    models = Models(maker, usage)
    budget = Budget(usage, settings, events)
    tools = Tools(store, vectors, events, models, host, clock, counter, settings, usage, budget)
    return Core(store, vectors, counter, events, tools, Bridge(tools, settings))


def _open_keys(data_dir: Path) -> KeyStore:
    keyring, file = find_keyring(), FileVault(data_dir / SECRETS_FILE)
    return KeyStore((keyring, file) if keyring is not None else (file,), os.environ)


def build_parts(config: Config, core: Core, tokens: TokenFile, announce: Callable[[str], None]) -> Parts:
    """Put the doors around the core."""
    pairing = Pairing(
        tokens,
        trusted_origins=config.allowed_origins,
        is_loopback=config.is_loopback,
        announce=announce,
        clocks=(time.monotonic, _wall_ms),
    )
    return Parts(core.bridge, core.events, pairing, config.allowed_hosts)


def build_app(parts: Parts) -> web.Application:
    """The application with the life of the core tied to its own."""
    app = web_application(parts)

    async def start(_: web.Application) -> None:
        await parts.bridge.start()

    async def say_bye(_: web.Application) -> None:
        parts.events.close()

    async def stop(_: web.Application) -> None:
        await parts.bridge.stop()

    app.on_startup.append(start)
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
        opened = await asyncio.to_thread(open_tokens, config.data_dir, config.token)
        core = build_core(config.data_dir, config.port)
        await core.open_stores()
        parts = build_parts(config, core, opened.tokens, announce)
        runner = _runner(build_app(parts))
        stack.push_async_callback(runner.cleanup)
        await runner.setup()
        addresses = await _listen(runner, config)
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

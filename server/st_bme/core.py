"""The memory put together: stores, models and the bridge, without the doors that lead to it."""

from __future__ import annotations

import asyncio
import os
from dataclasses import dataclass
from pathlib import Path

from st_bme.adapters.clock import SystemClock
from st_bme.adapters.keyring_vault import find_keyring
from st_bme.adapters.model_maker import AdapterMaker
from st_bme.adapters.secrets import FILE_NAME as SECRETS_FILE
from st_bme.adapters.secrets import FileVault, KeyStore
from st_bme.adapters.sqlite_store import SqliteStore
from st_bme.adapters.token_counter import LocalTokenCounter
from st_bme.adapters.vector_store import FILE_NAME, SqliteVectorStore
from st_bme.session.bridge import Bridge, SettingsHolder
from st_bme.session.budget import Budget
from st_bme.session.event_log import EventLog
from st_bme.session.host_link import HostLink
from st_bme.session.models import Models
from st_bme.session.tools import Tools
from st_bme.session.usage import Usage


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


def build_core(data_dir: Path, own_port: int | None = None, events: EventLog | None = None) -> Core:
    """Put the memory together. `own_port` is where the server listens, which no model call may reach; `events` what
    its pages follow.
    """
    store = SqliteStore(data_dir / "memory.sqlite3")
    vectors = SqliteVectorStore(data_dir / FILE_NAME)
    counter = LocalTokenCounter()
    clock = SystemClock()
    events = events or EventLog(clock.now_ms())
    settings = SettingsHolder()
    host = HostLink(events)
    usage = Usage(store, clock, counter)
    maker = AdapterMaker(host, lambda: _open_keys(data_dir), own_port=own_port, folder=data_dir)
    models = Models(maker, usage)
    budget = Budget(usage, settings, events)
    tools = Tools(store, vectors, events, models, host, clock, counter, settings, usage, budget)
    return Core(store, vectors, counter, events, tools, Bridge(tools, settings))


def _open_keys(data_dir: Path) -> KeyStore:
    keyring, file = find_keyring(), FileVault(data_dir / SECRETS_FILE)
    return KeyStore((keyring, file) if keyring is not None else (file,), os.environ)

"""`serve`: the server, until Ctrl+C."""

from __future__ import annotations

import argparse
import asyncio
import logging
import os
import signal
from types import FrameType

from st_bme import __version__
from st_bme.adapters.process_memory import settle_collector
from st_bme.app import Serving, serving
from st_bme.config import Config, Options, load_config
from st_bme.web.redaction import log_to_stderr

SETTLE_AFTER_S = 1.0
"""The first pages are answered before that."""


def run(arguments: argparse.Namespace) -> int:
    """Serve until a signal asks to stop."""
    options = Options(
        host=arguments.host,
        port=arguments.port,
        data_dir=arguments.data_dir,
        allow_host=arguments.allow_host,
        allow_origin=arguments.allow_origin,
    )
    config = load_config(options, os.environ)
    log_to_stderr(logging.DEBUG if arguments.debug else logging.INFO, frozenset({config.token}))
    # Chats are private: no file that is made from here on can be read by another account of this machine.
    os.umask(0o077)
    asyncio.run(_serve(config))
    return 0


async def _serve(config: Config) -> None:
    stop = _stop_signal()
    async with serving(config, _say) as state:
        _say(_banner(config, state))
        asyncio.get_running_loop().call_later(SETTLE_AFTER_S, settle_collector)
        await stop.wait()
        _say("Stopping.")


def _stop_signal() -> asyncio.Event:
    """Set by Ctrl+C or SIGTERM. A Ctrl+C after that ends the process at once."""
    loop, stop = asyncio.get_running_loop(), asyncio.Event()

    def ask(_: int, __: FrameType | None) -> None:
        # Supervisors often send SIGTERM twice; the second one may come when the loop is closed already.
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        loop.call_soon_threadsafe(stop.set)

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, ask)
    return stop


def _say(text: str) -> None:
    print(text, flush=True)


def _banner(config: Config, state: Serving) -> str:
    lines = [
        f"ST-BME Bridge {__version__}",
        f"  Address  {'  '.join(state.addresses)}",
        f"  Data     {config.data_dir}",
        f"  Pairing  {_pairing(state)}",
        f"  Models   chat: {state.models.chat}, embedding: {state.models.embedding}",
    ]
    if state.set_aside:
        lines.append(f"  Note     the list of paired browsers could not be read and lies at {state.set_aside}")
    lines.append(
        "Next: in SillyTavern, under Extensions, ST-BME Bridge, tick Use memory; the badge turns green. "
        "Ctrl+C stops the server."
    )
    return "\n".join(lines)


def _pairing(state: Serving) -> str:
    if not state.pairs_by_itself:
        return "with the code that appears here when a browser asks, or with ST_BME_TOKEN"
    if state.is_paired:
        return "done; a browser that lost its token connects by itself for 2 minutes from now"
    return "no browser yet; SillyTavern at port 8000 of this machine connects by itself"

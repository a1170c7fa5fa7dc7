"""`doctor`: what the server needs, checked, with a way to mend each; and what a start costs, measured."""

from __future__ import annotations

import argparse
import http.client
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from st_bme.adapters.process_memory import memory_mb
from st_bme.config import Config, Options, load_config
from st_bme.origins import SILLYTAVERN_PORT
from st_bme.protocol.wire import NAME

OLDEST_PYTHON = (3, 11)
PACKAGES = ("aiohttp", "numpy", "openai", "orjson", "pydantic")
HELLO_LIMIT_S = 1.0
MEMORY_LIMIT_MB = 90.0
_PATIENCE_S = 20.0
_FREE_DISK_MB = 200


@dataclass(frozen=True, slots=True)
class Check:
    """One thing looked at; `mend` is empty where all is well. What is not `needed` may be off."""

    name: str
    ok: bool
    detail: str
    mend: str = ""
    needed: bool = True


@dataclass(frozen=True, slots=True)
class Start:
    """What one start cost: from the start of the process to the first `hello`, and until all is loaded, with the memory
    then; None where it cannot be read.
    """

    first_hello_s: float | None
    rss_mb: float | None
    ready_s: float | None = None


def run(arguments: argparse.Namespace) -> int:
    """Print the findings; 1 when something needed is missing."""
    config = load_config(Options(port=arguments.port, data_dir=arguments.data_dir), os.environ)
    start = measure_start()
    checks = [*_checks(config), *_start_checks(start)]
    is_ok = all(check.ok for check in checks if check.needed)
    if arguments.json:
        print(json.dumps({"ok": is_ok, **asdict(start), "checks": [asdict(check) for check in checks]}))
    else:
        print(_text(checks))
    return 0 if is_ok else 1


def measure_start() -> Start:
    """Start a server on a free port with an empty data directory, ask it for `hello`, and stop it."""
    port = _free_port()
    with tempfile.TemporaryDirectory(prefix="st-bme-doctor-") as folder:
        began = time.perf_counter()
        with _server(port, folder) as process:
            if not _wait_for_hello(process, port):
                return Start(None, None)
            first_hello_s = round(time.perf_counter() - began, 3)
            if not _wait_for_banner(process):
                return Start(first_hello_s, None)
            return Start(first_hello_s, memory_mb(process.pid), round(time.perf_counter() - began, 3))


@contextmanager
def _server(port: int, folder: str) -> Iterator[subprocess.Popen[bytes]]:
    package = str(Path(__file__).resolve().parents[2])
    environment = {key: value for key, value in os.environ.items() if not key.startswith("ST_BME_")}
    command = [sys.executable, "-m", "st_bme", "serve", "--port", str(port), "--data-dir", folder]
    with subprocess.Popen(  # noqa: S603 - our own program
        command, env=environment | {"PYTHONPATH": package}, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        try:
            yield process
        finally:
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()


def _wait_for_hello(process: subprocess.Popen[bytes], port: int) -> bool:
    until = time.perf_counter() + _PATIENCE_S
    while time.perf_counter() < until and process.poll() is None:
        if _says_hello("127.0.0.1", port):
            return True
        time.sleep(0.01)
    return False


def _wait_for_banner(process: subprocess.Popen[bytes]) -> bool:
    """Whether the server says that all is loaded."""
    assert process.stdout is not None
    patience = threading.Timer(_PATIENCE_S, process.kill)
    patience.start()
    banner = process.stdout.readline()
    patience.cancel()
    return banner != b""


def _says_hello(host: str, port: int) -> bool:
    """Whether a server of ours answers there."""
    connection = http.client.HTTPConnection(host, port, timeout=2)
    try:
        connection.request("GET", "/v1/hello")
        answer = json.loads(connection.getresponse().read(10_000))
        return isinstance(answer, dict) and answer.get("name") == NAME
    except (OSError, ValueError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _checks(config: Config) -> Iterator[Check]:
    yield _python()
    yield from _packages()
    yield _port(config)
    yield _data_dir(config)
    yield Check("models", ok=True, detail="chosen in the panel: by default SillyTavern's connection")
    yield _sillytavern()


def _python() -> Check:
    shown = ".".join(str(part) for part in sys.version_info[:3])
    return Check(
        "python",
        ok=sys.version_info[:2] >= OLDEST_PYTHON,
        detail=f"Python {shown}",
        mend="" if sys.version_info[:2] >= OLDEST_PYTHON else "install Python 3.11 or newer and start with it",
    )


def _packages() -> Iterator[Check]:
    for name in PACKAGES:
        try:
            yield Check(f"package {name}", ok=True, detail=version(name))
        except PackageNotFoundError:
            yield Check(
                f"package {name}",
                ok=False,
                detail="not installed",
                mend="start with `python3 server/start.py`, which installs what is missing",
            )


def _port(config: Config) -> Check:
    place = f"{config.host}:{config.port}"
    if _says_hello(config.host, config.port):
        return Check("port", ok=True, detail=f"a server of ours answers at {place}")
    family = socket.AF_INET6 if ":" in config.host else socket.AF_INET
    with socket.socket(family) as probe:
        if os.name == "posix":
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((config.host, config.port))
        except OSError as error:
            mend = "stop the program that uses it, or choose another port with --port and in SillyTavern's panel"
            return Check("port", ok=False, detail=f"{place}: {error.strerror}", mend=mend)
    return Check("port", ok=True, detail=f"{place} is free")


def _data_dir(config: Config) -> Check:
    path = config.data_dir
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=path) as file:
            file.write(b"\0")
        free_mb = shutil.disk_usage(path).free // (1024 * 1024)
    except OSError as error:
        mend = "make the folder writable, or choose another one with --data-dir"
        return Check("data directory", ok=False, detail=f"{path}: {error.strerror}", mend=mend)
    if free_mb < _FREE_DISK_MB:
        mend = f"free {_FREE_DISK_MB} MB on that disk, or choose another folder with --data-dir"
        return Check("data directory", ok=False, detail=f"{path}: {free_mb} MB are free", mend=mend)
    return Check("data directory", ok=True, detail=f"{path} can be written")


def _sillytavern() -> Check:
    place = f"http://127.0.0.1:{SILLYTAVERN_PORT}"
    connection = http.client.HTTPConnection("127.0.0.1", SILLYTAVERN_PORT, timeout=2)
    try:
        connection.request("GET", "/")
        is_there = b"SillyTavern" in connection.getresponse().read(200_000)
    except (OSError, http.client.HTTPException):
        is_there = False
    finally:
        connection.close()
    if is_there:
        return Check("SillyTavern", ok=True, detail=f"answers at {place}", needed=False)
    mend = "start SillyTavern; if it has another address, open it in the browser and allow it when asked"
    return Check("SillyTavern", ok=False, detail=f"does not answer at {place}", mend=mend, needed=False)


def _start_checks(start: Start) -> Iterator[Check]:
    if start.first_hello_s is None:
        mend = "run `python3 server/start.py serve` and read what it says"
        yield Check("start", ok=False, detail="the server did not answer", mend=mend)
        return
    yield Check(
        "start",
        ok=start.first_hello_s <= HELLO_LIMIT_S,
        detail=f"first answer after {start.first_hello_s:.2f} s (at most {HELLO_LIMIT_S} s expected)",
        mend="" if start.first_hello_s <= HELLO_LIMIT_S else "run it again: the first start after an update is slow",
        needed=False,
    )
    if start.rss_mb is not None:
        yield Check(
            "memory",
            ok=start.rss_mb <= MEMORY_LIMIT_MB,
            detail=f"{start.rss_mb:.0f} MB (at most {MEMORY_LIMIT_MB:.0f} MB expected)",
            mend="" if start.rss_mb <= MEMORY_LIMIT_MB else "works, but report it",
            needed=False,
        )


def _text(checks: list[Check]) -> str:
    lines = []
    for check in checks:
        mark = "ok  " if check.ok else "BAD " if check.needed else "note"
        lines.append(f"{mark}  {check.name}: {check.detail}")
        if check.mend:
            lines.append(f"      -> {check.mend}")
    return "\n".join(lines)

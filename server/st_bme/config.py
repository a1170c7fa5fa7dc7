"""Where the server listens, who may talk to it, where its data lies: from options, environment, defaults."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import platformdirs

from st_bme.errors import StartRefused
from st_bme.origins import is_exact_origin

DEFAULT_HOST = "127.0.0.1"
DEFAULT_PORT = 8791
# 22 characters of base64 are 128 bits.
SHORTEST_TOKEN = 22

# SillyTavern clones this folder, serves it to every page of it, and deletes it with the extension.
EXTENSION_FOLDER = Path(__file__).resolve().parents[2]


@dataclass(frozen=True, slots=True)
class Options:
    """What the command line said; None and empty: not said."""

    host: str | None = None
    port: int | None = None
    data_dir: str | None = None
    allow_host: Sequence[str] = ()
    allow_origin: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Config:
    """A configuration that may be served: `load_config` refuses every other."""

    data_dir: Path
    host: str = DEFAULT_HOST
    port: int = DEFAULT_PORT
    token: str = ""
    allowed_hosts: frozenset[str] = frozenset()
    allowed_origins: frozenset[str] = frozenset()

    @property
    def is_loopback(self) -> bool:
        """Only programs of this machine can reach the server."""
        return ipaddress.ip_address(self.host).is_loopback


def load_config(options: Options, environment: Mapping[str, str]) -> Config:
    """Read and check everything at once, before anything is opened.

    Raises: StartRefused: with the one line to print.
    """
    config = Config(
        data_dir=_data_dir(options.data_dir or environment.get("ST_BME_DATA_DIR", "")),
        host=_host(options.host or environment.get("ST_BME_HOST") or DEFAULT_HOST),
        port=_port(options.port, environment.get("ST_BME_PORT", "")),
        token=_token(environment.get("ST_BME_TOKEN", "")),
        allowed_hosts=frozenset(_listed(options.allow_host, environment.get("ST_BME_ALLOWED_HOSTS", ""))),
        allowed_origins=_origins(_listed(options.allow_origin, environment.get("ST_BME_ALLOWED_ORIGINS", ""))),
    )
    if not config.is_loopback and not (config.token and config.allowed_hosts):
        raise StartRefused(
            f"{config.host} can be reached from other machines: set ST_BME_TOKEN to a secret of at least "
            f"{SHORTEST_TOKEN} characters and name the addresses that are used with --allow-host, "
            f"or leave --host out to serve this machine only"
        )
    return config


def _data_dir(text: str) -> Path:
    path = Path(text).expanduser() if text else Path(platformdirs.user_data_dir("st-bme-bridge", appauthor=False))
    path = path.resolve()
    if path.is_relative_to(EXTENSION_FOLDER):
        raise StartRefused(
            f"the data directory {path} is inside the extension's folder, which SillyTavern shows to its pages and "
            f"deletes with the extension; choose another one with --data-dir"
        )
    return path


def _host(text: str) -> str:
    if text == "localhost":
        return DEFAULT_HOST
    try:
        return str(ipaddress.ip_address(text.strip("[]")))
    except ValueError:
        raise StartRefused(
            f"--host {text!r} is not an IP address; use 127.0.0.1, or the address of a network card of this machine"
        ) from None


def _port(option: int | None, variable: str) -> int:
    if option is None and not variable:
        return DEFAULT_PORT
    try:
        port = int(variable) if option is None else option
    except ValueError:
        port = -1
    if not 0 <= port <= 65_535:
        shown = variable if option is None else option
        raise StartRefused(f"port {shown} is not a number from 0 to 65535; the usual one is {DEFAULT_PORT}")
    return port


def _token(token: str) -> str:
    if token and (len(token) < SHORTEST_TOKEN or not token.isascii() or not token.isprintable() or " " in token):
        raise StartRefused(
            f"ST_BME_TOKEN must be at least {SHORTEST_TOKEN} printable ASCII characters without spaces; "
            f"`python3 -c 'import secrets; print(secrets.token_urlsafe())'` makes one"
        )
    return token


def _listed(options: Sequence[str], variable: str) -> list[str]:
    return [*options, *(part.strip() for part in variable.split(",") if part.strip())]


def _origins(texts: Sequence[str]) -> frozenset[str]:
    for text in texts:
        if not is_exact_origin(text):
            raise StartRefused(
                f"--allow-origin {text!r} is not an origin: write scheme, host and, unless it is the usual one, "
                f"port, as in http://192.168.1.5:8000, without a slash at the end"
            )
    return frozenset(texts)

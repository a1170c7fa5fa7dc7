"""Origins of pages: compared as whole strings, never by pattern or prefix."""

from __future__ import annotations

import re
from ipaddress import ip_address
from urllib.parse import urlsplit

LOOPBACK_NAMES = ("127.0.0.1", "localhost", "[::1]")
SILLYTAVERN_PORT = 8000

# Where SillyTavern is when nobody changed its port.
USUAL_ORIGINS = frozenset(
    f"{scheme}://{name}:{SILLYTAVERN_PORT}" for scheme in ("http", "https") for name in LOOPBACK_NAMES
)

_DEFAULT_PORTS = {"http": 80, "https": 443}
_HOST = re.compile(r"[a-z0-9_]([a-z0-9_.-]*[a-z0-9_])?|\[[0-9a-f:.]+\]")
_LONGEST_ORIGIN = 300


def is_exact_origin(text: str) -> bool:
    """Whether `text` is an http origin letter by letter as a browser sends it."""
    if len(text) > _LONGEST_ORIGIN:
        return False
    try:
        parts = urlsplit(text)
        port = parts.port
        if parts.hostname is not None and ":" in parts.hostname:
            ip_address(parts.hostname)
    except ValueError:
        return False
    if parts.scheme not in _DEFAULT_PORTS or port == _DEFAULT_PORTS[parts.scheme]:
        return False
    host = parts.netloc if port is None else parts.netloc.removesuffix(f":{port}")
    return _HOST.fullmatch(host) is not None and text == f"{parts.scheme}://{parts.netloc}"


def is_loopback_origin(text: str) -> bool:
    """Whether `text` is the origin of a page that comes from this machine, on any port."""
    if not is_exact_origin(text):
        return False
    host = urlsplit(text).netloc
    return any(host == name or host.startswith(f"{name}:") for name in LOOPBACK_NAMES)

"""Where model calls may go: a base URL, checked when it is entered and again at every connection."""

from __future__ import annotations

import asyncio
import ipaddress
import re
import socket
from dataclasses import dataclass
from urllib.parse import SplitResult, urlsplit

from st_bme.errors import EndpointRefused

_Address = ipaddress.IPv4Address | ipaddress.IPv6Address

OPENAI_URL = "https://api.openai.com/v1"
_PORTS = {"http": 80, "https": 443}
# Printable ASCII without what two URL parsers read differently.
_PLAIN = re.compile(r"[!-~]+")
_HOST = re.compile(r"[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\]")
# Pasted from a provider's manual more often than not.
_CALLED_PATHS = ("/chat/completions", "/completions", "/embeddings")
_METADATA_NAMES = ("metadata", "metadata.google.internal", "metadata.goog", "instance-data")
# Clouds hand the credentials of a machine to whoever asks at these addresses; link-local holds the commonest one.
_METADATA_NETWORKS = tuple(
    map(
        ipaddress.ip_network,
        (
            "169.254.0.0/16",
            "100.100.100.200",
            "168.63.129.16",
            "192.0.0.192",
            "fe80::/10",
            "fd00:ec2::/32",
            "fd20:ce::/32",
        ),
    )
)
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A checked base URL. `origin` is scheme, host and port: what a key is bound to."""

    base_url: str
    scheme: str
    host: str
    port: int

    @property
    def origin(self) -> str:
        return f"{self.scheme}://{self.authority}"

    @property
    def authority(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _PORTS[self.scheme] else f"{host}:{self.port}"


def parse_endpoint(text: str) -> Endpoint:
    """Read a base URL as users write it: without `/v1`, with the path of the call, with a slash at the end.

    Raises: EndpointRefused: with what is wrong and how to write it.
    """
    parts = _split(text.strip())
    if parts is None or parts.scheme not in _PORTS:
        raise EndpointRefused("a base URL looks like https://api.openai.com/v1: http or https, plain characters only")
    if "@" in parts.netloc or parts.query or parts.fragment:
        raise EndpointRefused("a base URL has no user name, no ? and no #; enter the key in its own field")
    host, port = _host_and_port(parts.netloc, _PORTS[parts.scheme])
    path = parts.path.rstrip("/")
    for called in _CALLED_PATHS:
        path = path.removesuffix(called)
    endpoint = Endpoint("", parts.scheme, host, port)
    return Endpoint(f"{endpoint.origin}{path or '/v1'}", parts.scheme, host, port)


def _split(text: str) -> SplitResult | None:
    if not _PLAIN.fullmatch(text) or "\\" in text:
        return None
    try:
        return urlsplit(text)
    except ValueError:  # brackets that hold no address
        return None


def _host_and_port(netloc: str, usual_port: int) -> tuple[str, int]:
    host, port_text = netloc, ""
    if not netloc.endswith("]") and ":" in netloc:
        host, _, port_text = netloc.rpartition(":")
    port = int(port_text) if port_text.isdecimal() and port_text.isascii() else usual_port if not port_text else 0
    if not _HOST.fullmatch(host) or not 0 < port <= 65_535:
        raise EndpointRefused(f"{netloc!r} is not a host with a port from 1 to 65535; write names in ASCII (xn--…)")
    host = host.lower().rstrip(".")
    if host in _METADATA_NAMES:
        raise EndpointRefused(f"{host} gives out the credentials of a cloud machine and is never called")
    return (_literal(host), port) if host.startswith("[") else (host, port)


def _literal(host: str) -> str:
    try:
        return str(ipaddress.IPv6Address(host.strip("[]")))
    except ValueError:
        raise EndpointRefused(f"{host} is not an IPv6 address") from None


async def resolve(endpoint: Endpoint, *, own_port: int | None) -> list[str]:
    """Addresses to connect to, best first. The names of a host may change, so this runs before every call.

    Raises:
        EndpointRefused: one of them must not be called.
        OSError: the name is unknown.
    """
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(endpoint.host, endpoint.port, type=socket.SOCK_STREAM)
    addresses = list(dict.fromkeys(str(entry[4][0]) for entry in found))
    for address in addresses:
        check_address(address, endpoint.port, own_port=own_port)
    return addresses


def check_address(address: str, port: int, *, own_port: int | None) -> None:
    """Refuse what is no model server: metadata services, this server itself, addresses of no single machine.

    Private and loopback addresses are allowed: that is where local models run.

    Raises: EndpointRefused
    """
    ip = _unwrapped(ipaddress.ip_address(address.partition("%")[0]))
    if any(ip in network for network in _METADATA_NETWORKS):
        raise EndpointRefused(f"{ip} gives out the credentials of a cloud machine and is never called")
    if ip.is_unspecified or ip.is_multicast or (ip.version == 4 and ip.is_reserved):
        raise EndpointRefused(f"{ip} is not the address of a server; for this machine write 127.0.0.1")
    if port == own_port and _is_this_machine(ip):
        raise EndpointRefused(f"port {port} is this memory server itself; enter the port of the model server")


def _unwrapped(ip: _Address) -> _Address:
    """The IPv4 address inside an IPv6 one, which is where a connection would end."""
    if isinstance(ip, ipaddress.IPv6Address):
        if ip in _NAT64:
            return ipaddress.IPv4Address(int(ip) & 0xFFFF_FFFF)
        return ip.ipv4_mapped or ip.sixtofour or ip
    return ip


def _is_this_machine(ip: _Address) -> bool:
    """Only an address of this machine can be bound to."""
    family = socket.AF_INET if ip.version == 4 else socket.AF_INET6
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.bind((str(ip), 0))
    except OSError:
        return False
    return True

"""The checks that every request passes, in this order: host, origin, content type, encoding, size, token."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from aiohttp import hdrs, web
from aiohttp.typedefs import Middleware

from st_bme.errors import NotPaired, OriginRefused, PayloadTooLarge, WrongContentType, WrongHost
from st_bme.origins import LOOPBACK_NAMES, is_loopback_origin
from st_bme.web.pairing import Pairing

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]

# Without a token, and for pages of any port of this machine: a page must be able to learn that it is not paired.
ANONYMOUS_PATHS = frozenset({"/v1/hello", "/v1/pair"})
# Pages of the server itself, opened by a person; they take no token and give none.
PAGE_PATHS = frozenset({"/allow", "/pages/allow.css", "/pages/allow.js"})

PREFLIGHT_HEADERS = {
    "Access-Control-Allow-Methods": "GET, POST",
    "Access-Control-Allow-Headers": "authorization, content-type, last-event-id",
    # The longest that Chromium keeps a preflight: two hours.
    "Access-Control-Max-Age": "7200",
    "Access-Control-Allow-Private-Network": "true",
}
SAFE_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-store",
}

# Set by the guard: the origin that may read the answer, and whether the caller has a token.
ORIGIN = web.RequestKey("origin", str)
IS_PAIRED = web.RequestKey("is_paired", bool)


@dataclass(frozen=True, slots=True)
class Access:
    """Who may talk to the server: `hosts` are the names beside loopback, `limits_bytes` the largest body by path."""

    pairing: Pairing
    hosts: frozenset[str]
    limits_bytes: Mapping[str, int]
    other_limit_bytes: int


def guard(access: Access) -> Middleware:
    """The middleware that lets a request through to its handler, or raises why not."""

    @web.middleware
    async def check(request: web.Request, handler: Handler) -> web.StreamResponse:
        _check_host(request, access.hosts)
        _check_origin(request, access.pairing.allowed_origins)
        if request.method == hdrs.METH_OPTIONS and ORIGIN in request:
            return web.Response(status=204, headers=PREFLIGHT_HEADERS)
        limit_bytes = access.limits_bytes.get(request.path, access.other_limit_bytes)
        _check_body(request, limit_bytes)
        _check_token(request, access.pairing)
        return await handler(request)

    return check


async def add_safe_headers(request: web.Request, response: web.StreamResponse) -> None:
    """Signal handler before an answer's head is sent, whether it succeeded or not."""
    for name, value in SAFE_HEADERS.items():
        response.headers.setdefault(name, value)
    response.headers["Vary"] = "Origin"
    if ORIGIN in request:
        response.headers["Access-Control-Allow-Origin"] = request[ORIGIN]
        response.headers["Cross-Origin-Resource-Policy"] = "cross-origin"


def own_origin(request: web.Request) -> str:
    """The origin of this server's own pages, as the browser that sent the request sees it. After the host check."""
    return f"http://{request.headers[hdrs.HOST]}"


def is_loopback_host(request: web.Request) -> bool:
    """Whether the server was asked for under a name of this machine. After the host check."""
    return request.headers[hdrs.HOST] in _with_port(frozenset(LOOPBACK_NAMES), _listening_port(request))


def is_page(request: web.Request) -> bool:
    """Whether a page of the server is asked for, which a person looks at."""
    return request.path in PAGE_PATHS


def _check_host(request: web.Request, hosts: frozenset[str]) -> None:
    """Refuse names that a stranger's DNS may point here: a page of such a name would count as our own."""
    given = request.headers.getall(hdrs.HOST, [])
    if len(given) != 1 or given[0] not in _with_port(hosts.union(LOOPBACK_NAMES), _listening_port(request)):
        raise WrongHost(
            "this server does not answer to that address; use http://127.0.0.1 with its port, "
            "or start it with --allow-host and the name that you use"
        )


def _listening_port(request: web.Request) -> int:
    if request.transport is None:
        return 0
    port: int = request.transport.get_extra_info("sockname")[1]
    return port


def _with_port(names: frozenset[str], port: int) -> frozenset[str]:
    """Host headers for these names; a browser leaves port 80 out, and a name may come with its own port."""
    has_port = {name for name in names if not name.endswith("]") and ":" in name}
    return frozenset(has_port | {name if port == 80 else f"{name}:{port}" for name in names - has_port})


def _check_origin(request: web.Request, allowed: frozenset[str]) -> None:
    given = request.headers.getall(hdrs.ORIGIN, [])
    if not given:
        _check_fetch_metadata(request)
        return
    if len(given) == 1 and _is_allowed(request, given[0], allowed):
        request[ORIGIN] = given[0]
        return
    raise OriginRefused(f"pages of this address are not allowed; allow it at {own_origin(request)}/allow?origin=…")


def _is_allowed(request: web.Request, origin: str, allowed: frozenset[str]) -> bool:
    if is_page(request):
        return origin == own_origin(request)
    return origin in allowed or (request.path in ANONYMOUS_PATHS and is_loopback_origin(origin))


def _check_fetch_metadata(request: web.Request) -> None:
    """Without Origin, another site's page can only embed or navigate; of that only opening our own page is meant."""
    if request.headers.get("Sec-Fetch-Site", "") != "cross-site":
        return
    if is_page(request) and request.headers.get("Sec-Fetch-Dest") == "document" and request.method == hdrs.METH_GET:
        return
    raise OriginRefused("another site's page may not embed or open this")


def _check_body(request: web.Request, limit_bytes: int) -> None:
    if hdrs.CONTENT_ENCODING in request.headers:
        raise WrongContentType("compressed bodies are not read; send plain JSON without Content-Encoding")
    if request.method == hdrs.METH_POST and not is_page(request):
        _check_content_type(request.headers.getall(hdrs.CONTENT_TYPE, []))
    if request.content_length is not None and request.content_length > limit_bytes:
        raise PayloadTooLarge(limit_bytes)


def _check_content_type(given: list[str]) -> None:
    """JSON only: every other type a stranger's page could send without asking first."""
    kind, _, parameter = given[0].lower().partition(";") if len(given) == 1 else ("", "", "")
    if kind.strip() != "application/json" or parameter.strip() not in ("", "charset=utf-8"):
        raise WrongContentType("a command is JSON in UTF-8; send Content-Type: application/json")


def _check_token(request: web.Request, pairing: Pairing) -> None:
    given = request.headers.getall(hdrs.AUTHORIZATION, [])
    scheme, _, token = given[0].partition(" ") if len(given) == 1 else ("", "", "")
    # A header may carry bytes that are no UTF-8, which aiohttp keeps as surrogates.
    is_known = scheme.lower() == "bearer" and pairing.knows(token.encode("utf-8", "surrogateescape"))
    if request.path in ANONYMOUS_PATHS:
        origin = request.get(ORIGIN)
        request[IS_PAIRED] = is_known and (origin is None or origin in pairing.allowed_origins)
    elif not is_known and not is_page(request):
        raise NotPaired("no valid token; ask for one with pair and send it as Authorization: Bearer")

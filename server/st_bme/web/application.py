"""The web application: the routes behind their checks."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

import orjson
from aiohttp import web
from pydantic import JsonValue

from st_bme import __version__
from st_bme.protocol import commands, results
from st_bme.protocol.encoding import decode
from st_bme.protocol.wire import API_MAX, API_MIN, NAME, Wire
from st_bme.session.event_log import EventLog
from st_bme.web.allow import FORM_LIMIT_BYTES, AllowPage, is_on_this_machine
from st_bme.web.dispatch import answer, read_body, shield
from st_bme.web.events import stream_events
from st_bme.web.openapi import openapi_document
from st_bme.web.pairing import Asker, Pairing
from st_bme.web.reaper import Reaper
from st_bme.web.repeats import Repeats
from st_bme.web.routes import CHAT_LIMIT_BYTES, OTHER_LIMIT_BYTES, PAIR_LIMIT_BYTES, ROUTES, Bridge, Route
from st_bme.web.security import IS_PAIRED, ORIGIN, Access, Handler, add_safe_headers, guard, own_origin


@dataclass(frozen=True, slots=True)
class Parts:
    """What the web application is made from. `bridge` gives the bridge as soon as it is there; `hosts` are names
    beside loopback under which the server is reached.
    """

    bridge: Callable[[], Awaitable[Bridge]]
    events: EventLog
    pairing: Pairing
    hosts: frozenset[str] = frozenset()
    reaper: Reaper = field(default_factory=Reaper)


def web_application(parts: Parts) -> web.Application:
    """Every route of the server. Nothing runs before the application is started."""
    limits_bytes = {route.path: route.limit_bytes for route in ROUTES} | {
        "/v1/pair": PAIR_LIMIT_BYTES,
        "/allow": FORM_LIMIT_BYTES,
    }
    access = Access(parts.pairing, parts.hosts, limits_bytes, OTHER_LIMIT_BYTES)
    app = web.Application(middlewares=[parts.reaper.watch, shield, guard(access)], client_max_size=CHAT_LIMIT_BYTES)
    app.on_response_prepare.append(add_safe_headers)
    app.router.add_get("/v1/hello", _hello(parts.bridge), allow_head=False)
    app.router.add_post("/v1/pair", _pair(parts.pairing))
    app.router.add_get("/v1/events", _events(parts.events), allow_head=False)
    app.router.add_get("/v1/openapi.json", _openapi, allow_head=False)
    repeats = Repeats()
    for route in ROUTES:
        app.router.add_post(route.path, _command(route, parts.bridge, repeats))
    AllowPage(parts.pairing).add_routes(app.router)
    return app


def _command(route: Route, bridge: Callable[[], Awaitable[Bridge]], repeats: Repeats) -> Handler:
    async def run(body: JsonValue) -> Wire:
        return await route.run(await bridge(), body)

    async def handle(request: web.Request) -> web.StreamResponse:
        body = decode(await read_body(request, route.limit_bytes))
        return answer(await repeats.once(route.path, body, lambda: run(body)))

    return handle


def _hello(bridge: Callable[[], Awaitable[Bridge]]) -> Handler:
    async def handle(request: web.Request) -> web.StreamResponse:
        paired_with = await bridge() if request[IS_PAIRED] else None
        return answer(
            results.Hello(
                name=NAME,
                version=__version__,
                api_min=API_MIN,
                api_max=API_MAX,
                paired=paired_with is not None,
                models=paired_with.models() if paired_with is not None else None,
                queue=paired_with.queue_length() if paired_with is not None else None,
            )
        )

    return handle


def _pair(pairing: Pairing) -> Handler:
    async def handle(request: web.Request) -> web.StreamResponse:
        body = await read_body(request, PAIR_LIMIT_BYTES)
        command = commands.Pair.model_validate(decode(body))
        asker = Asker(request.get(ORIGIN), is_on_this_machine(request), own_origin(request))
        return answer(await pairing.pair(asker, command.code))

    return handle


def _events(log: EventLog) -> Handler:
    async def handle(request: web.Request) -> web.StreamResponse:
        return await stream_events(request, log)

    return handle


async def _openapi(_: web.Request) -> web.StreamResponse:
    return web.Response(body=orjson.dumps(openapi_document()), content_type="application/json")

"""Model servers of other kinds than the scripted endpoint, on real sockets."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import orjson
from aiohttp import web

from st_bme.adapters.endpoint import Endpoint, parse_endpoint
from st_bme.adapters.key_ring import EndpointKeys
from st_bme.adapters.openai_client import OpenAiClient, OutgoingLimits
from st_bme.adapters.scripted_endpoint import RecordedRequest, ScriptedEndpoint, ScriptedReply

KEY = "canary-key-0123456789"
BODY = {"model": "m", "messages": [{"role": "user", "content": "Where is the silver key?"}]}


@asynccontextmanager
async def scripted(*, dimensions: int = 64) -> AsyncIterator[ScriptedEndpoint]:
    endpoint = ScriptedEndpoint(dimensions=dimensions)
    await endpoint.start()
    try:
        yield endpoint
    finally:
        await endpoint.stop()


@asynccontextmanager
async def answering(body: bytes, headers: dict[str, str] | None = None) -> AsyncIterator[Endpoint]:
    """An endpoint that sends the same bytes to every call."""

    async def answer(_: web.Request) -> web.Response:
        return web.Response(body=body, headers=headers)

    app = web.Application()
    app.router.add_post("/{path:.*}", answer)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield parse_endpoint(f"http://127.0.0.1:{runner.addresses[0][1]}/v1")
    finally:
        await runner.cleanup()


class SilentServer:
    """Takes a call and never answers; the events say that one came, and that the caller hung up."""

    def __init__(self) -> None:
        self.called = asyncio.Event()
        self.ended = asyncio.Event()

    async def take(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        self.called.set()
        while await reader.read(65_536):
            pass
        writer.close()
        await writer.wait_closed()
        self.ended.set()


@asynccontextmanager
async def silent() -> AsyncIterator[tuple[SilentServer, Endpoint]]:
    server = SilentServer()
    listening = await asyncio.start_server(server.take, "127.0.0.1", 0)
    async with listening:
        yield server, parse_endpoint(f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}/v1")


def by_key(answers: dict[str, ScriptedReply]) -> Callable[[RecordedRequest], ScriptedReply]:
    """A script that answers as the key that was sent deserves."""

    def reply(request: RecordedRequest) -> ScriptedReply:
        return answers[request.headers.get("Authorization", "").removeprefix("Bearer ")]

    return reply


def completion(text: str) -> bytes:
    """A chat completion as a bare server writes it: no usage, no model."""
    return orjson.dumps({"choices": [{"message": {"content": text}}]})


def client_of(endpoint: ScriptedEndpoint | Endpoint, *keys: str, limits: OutgoingLimits | None = None) -> OpenAiClient:
    target = endpoint if isinstance(endpoint, Endpoint) else parse_endpoint(endpoint.url)
    return OpenAiClient(target, EndpointKeys(target.origin, keys), limits or OutgoingLimits())


async def post(client: OpenAiClient, *, timeout_s: float = 10) -> bytes:
    """One call, after which the client is closed."""
    try:
        return await client.post("/chat/completions", BODY, timeout_s=timeout_s)
    finally:
        await client.close()

"""The way out to one endpoint and to nothing else. Imported with the SDK, at the first call.

What the SDK would send elsewhere, or beyond what a model needs, ends here.
"""

from __future__ import annotations

from collections.abc import AsyncIterator

import httpx2

from st_bme.adapters.endpoint import Endpoint, resolve
from st_bme.errors import AnswerUnusable, EndpointRefused

CONNECT_TIMEOUT_S = 10.0
# No cookies, no telemetry, nothing that the environment adds.
_SENT_HEADERS = ("host", "content-type", "content-length", "accept", "authorization")
_USER_AGENT = "st-bme-bridge"


class GuardedTransport(httpx2.AsyncBaseTransport):
    """Resolves, checks and connects to exactly the address that was checked; reads a limited answer."""

    def __init__(self, endpoint: Endpoint, *, own_port: int | None, answer_limit_bytes: int) -> None:
        self._endpoint = endpoint
        self._own_port = own_port
        self._limit = answer_limit_bytes
        self._wire = httpx2.AsyncHTTPTransport(trust_env=False)
        self._last_good = ""

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        self._check(request.url)
        try:
            addresses = await resolve(self._endpoint, own_port=self._own_port)
        except OSError as error:
            raise httpx2.ConnectError(f"{self._endpoint.host} is unknown", request=request) from error
        addresses.sort(key=lambda address: address != self._last_good)
        for address in addresses[:-1]:
            try:
                return await self._send(request, address)
            except (httpx2.ConnectError, httpx2.ConnectTimeout):
                continue
        return await self._send(request, addresses[-1])

    def _check(self, url: httpx2.URL) -> None:
        """Two parsers read the base URL, ours and the SDK's: they must have read the same."""
        port = url.port or {"http": 80, "https": 443}.get(url.scheme)
        host = url.raw_host.decode("ascii").lower()
        wanted = self._endpoint
        if (url.scheme, host, port) != (wanted.scheme, wanted.host, wanted.port):
            raise EndpointRefused(f"a call for {wanted.origin} would have gone to another host; check the base URL")

    async def _send(self, request: httpx2.Request, address: str) -> httpx2.Response:
        kept = [(name, request.headers[name]) for name in _SENT_HEADERS if name in request.headers]
        pinned = httpx2.Request(
            request.method,
            request.url.copy_with(host=address),
            headers=[*kept, ("user-agent", _USER_AGENT), ("accept-encoding", "identity")],
            stream=request.stream,
            extensions={**request.extensions, "sni_hostname": self._endpoint.host},
        )
        response = await self._wire.handle_async_request(pinned)
        self._last_good = address
        if response.headers.get("content-encoding", "identity") != "identity":
            await response.aclose()
            raise AnswerUnusable(f"{self._endpoint.authority} sent a compressed answer although none was asked for")
        if not isinstance(response.stream, httpx2.AsyncByteStream):
            raise AnswerUnusable(f"{self._endpoint.authority} sent no readable answer")
        response.stream = _Limited(response.stream, self._limit, self._endpoint.authority)
        return response

    async def aclose(self) -> None:
        await self._wire.aclose()


class _Limited(httpx2.AsyncByteStream):
    def __init__(self, stream: httpx2.AsyncByteStream, limit_bytes: int, sender: str) -> None:
        self._stream = stream
        self._limit = limit_bytes
        self._sender = sender

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        async for part in self._stream:
            size += len(part)
            if size > self._limit:
                raise AnswerUnusable(f"{self._sender} sent more than {self._limit} bytes; no model answer is that long")
            yield part

    async def aclose(self) -> None:
        await self._stream.aclose()

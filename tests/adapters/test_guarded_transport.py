"""The way out: to the endpoint that was checked, and back with an answer of a limited size."""

import asyncio
import socket

import httpx2
import pytest

from adapters.endpoints import BODY, KEY, answering, client_of, completion, post, scripted
from st_bme.adapters.endpoint import parse_endpoint
from st_bme.adapters.openai_client import OutgoingLimits
from st_bme.adapters.scripted_endpoint import ScriptedReply
from st_bme.errors import AnswerUnusable, EndpointRefused, RequestRefused


async def test_a_host_with_a_dead_first_address_is_reached_by_the_next(monkeypatch: pytest.MonkeyPatch):
    async def answer(*_: object, **__: object) -> list[tuple[object, ...]]:
        return [(socket.AF_INET, 1, 6, "", (address, 0)) for address in ("127.0.0.9", "127.0.0.1")]

    async with scripted() as endpoint:
        port = endpoint.url.rpartition(":")[2]
        monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", answer)
        await post(client_of(parse_endpoint(f"http://two-addresses.example:{port}/v1")))

    assert endpoint.requests[0].headers["Host"] == f"two-addresses.example:{port}"


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_a_redirect_is_not_followed(status: int):
    async with scripted() as other, scripted() as endpoint:
        location = {"Location": f"{other.url}/v1/chat/completions"}
        endpoint.script = lambda _: ScriptedReply(status=status, headers=location)
        with pytest.raises(RequestRefused, match="redirects"):
            await post(client_of(endpoint, KEY))

    assert other.requests == []
    assert len(endpoint.requests) == 1


@pytest.mark.parametrize("url", ["http://host.example/v1", "https://host.example:444/v1", "https://other.example/v1"])
async def test_the_way_to_one_endpoint_leads_to_no_other(url: str):
    from st_bme.adapters.guarded_transport import GuardedTransport

    way = GuardedTransport(parse_endpoint("https://host.example/v1"), own_port=None, answer_limit_bytes=1000)
    async with httpx2.AsyncClient(transport=way) as http:
        with pytest.raises(EndpointRefused, match="another host"):
            await http.post(url, headers={"Authorization": KEY})


async def test_our_own_server_is_not_called():
    async with scripted() as endpoint:
        own = OutgoingLimits(own_port=int(endpoint.url.rpartition(":")[2]))
        with pytest.raises(EndpointRefused, match="memory server itself"):
            await post(client_of(endpoint, limits=own))

    assert endpoint.requests == []


async def test_a_name_that_becomes_a_metadata_address_is_not_called(monkeypatch: pytest.MonkeyPatch):
    """The check stands between the name and the connection, so that an answer changed meanwhile does not help."""
    answers = iter(["127.0.0.1", "169.254.169.254"])

    async def answer(*_: object, **__: object) -> list[tuple[object, ...]]:
        return [(socket.AF_INET, 1, 6, "", (next(answers), 0))]

    async with scripted() as endpoint:
        client = client_of(parse_endpoint(f"http://rebinding.example:{endpoint.url.rpartition(':')[2]}/v1"), KEY)
        monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", answer)
        await client.post("/chat/completions", BODY, timeout_s=10)
        with pytest.raises(EndpointRefused, match="credentials"):
            await client.post("/chat/completions", BODY, timeout_s=10)
        await client.close()

    assert len(endpoint.requests) == 1


async def test_an_answer_larger_than_the_limit_is_given_up():
    async with answering(completion("x" * 300_000)) as endpoint:
        with pytest.raises(AnswerUnusable, match="more than 100000 bytes"):
            await post(client_of(endpoint, limits=OutgoingLimits(answer_bytes=100_000)))


async def test_a_compressed_answer_is_not_unpacked():
    async with answering(b"\x1f\x8b" + b"\0" * 20, {"Content-Encoding": "gzip"}) as endpoint:
        with pytest.raises(AnswerUnusable, match="compressed"):
            await post(client_of(endpoint))

"""What a model endpoint may and may not do to a call, over real sockets."""

import asyncio
import logging
import os
import socket
import subprocess
import sys
import time
import traceback
from pathlib import Path

import pytest

from adapters.endpoints import BODY, KEY, by_key, client_of, post, scripted, silent
from st_bme.adapters import openai_client
from st_bme.adapters.endpoint import parse_endpoint
from st_bme.adapters.key_ring import EndpointKeys
from st_bme.adapters.openai_client import OpenAiClient, OutgoingLimits, retry_after
from st_bme.adapters.scripted_endpoint import ScriptedEndpoint, ScriptedReply
from st_bme.errors import (
    EndpointRefused,
    KeyWrong,
    ModelFailed,
    ModelTimeout,
    RateLimited,
    RequestRefused,
)

SERVER = Path(openai_client.__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def _short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(openai_client, "_FIRST_PAUSE_S", 0.01)


def _sent_keys(endpoint: ScriptedEndpoint) -> list[str]:
    return [request.headers.get("Authorization", "") for request in endpoint.requests]


async def test_a_call_carries_the_key_and_nothing_that_was_not_asked_for():
    async with scripted() as endpoint:
        await post(client_of(endpoint, KEY))

    headers = {name.lower(): value for name, value in endpoint.requests[0].headers.items()}
    assert headers.pop("authorization") == f"Bearer {KEY}"
    assert headers.pop("host") == endpoint.url.removeprefix("http://")
    assert int(headers.pop("content-length")) > 0
    assert headers == {
        "content-type": "application/json",
        "accept": "application/json",
        "accept-encoding": "identity",
        "user-agent": "st-bme-bridge",
    }


async def test_without_a_key_none_is_sent_whatever_the_environment_holds(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_ORG_ID", KEY)
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", f"x-api-key: {KEY}")
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    async with scripted() as endpoint:
        await post(client_of(endpoint))

    assert KEY not in str(endpoint.requests)


async def test_several_keys_are_used_in_turn():
    async with scripted() as endpoint:
        client = client_of(endpoint, "key-a", "key-b", "key-c")
        for _ in range(4):
            await client.post("/chat/completions", BODY, timeout_s=10)
        await client.close()

    assert _sent_keys(endpoint) == ["Bearer key-a", "Bearer key-b", "Bearer key-c", "Bearer key-a"]


async def test_a_key_of_another_endpoint_is_not_even_taken():
    with pytest.raises(EndpointRefused, match=r"https://api\.openai\.com"):
        OpenAiClient(
            parse_endpoint("http://127.0.0.1:1/v1"), EndpointKeys("https://api.openai.com", (KEY,)), OutgoingLimits()
        )


async def test_a_refused_key_is_passed_over_for_the_next():
    async with scripted() as endpoint:
        endpoint.script = by_key({"bad": ScriptedReply(status=401), "good": ScriptedReply("Yes.")})
        await post(client_of(endpoint, "bad", "good"))

    assert _sent_keys(endpoint) == ["Bearer bad", "Bearer good"]


async def test_when_every_key_is_refused_the_user_is_asked_for_one_at_once():
    async with scripted() as endpoint:
        endpoint.script = lambda _: ScriptedReply("Incorrect API key", status=401)
        with pytest.raises(KeyWrong, match="none of its 2 keys"):
            await post(client_of(endpoint, "bad-a", "bad-b"))
        with pytest.raises(KeyWrong, match="none is set"):
            await post(client_of(endpoint))

    assert len(endpoint.requests) == 3


async def test_a_busy_endpoint_is_left_alone_as_long_as_it_asks():
    async with scripted() as endpoint:
        endpoint.enqueue(ScriptedReply(status=429, headers={"Retry-After": "1"}), "At last.")
        await post(client_of(endpoint, KEY))

    first, second = endpoint.requests
    assert second.received_at_s - first.received_at_s >= 0.99


async def test_while_one_key_is_limited_another_goes_on_at_once():
    async with scripted() as endpoint:
        limited = ScriptedReply(status=429, headers={"Retry-After": "3600"})
        endpoint.script = by_key({"limited": limited, "free": ScriptedReply("Yes.")})
        client = client_of(endpoint, "limited", "free")
        start = time.monotonic()
        for _ in range(3):
            await client.post("/chat/completions", BODY, timeout_s=10)
        await client.close()

    assert time.monotonic() - start < 3
    assert _sent_keys(endpoint) == ["Bearer limited", *["Bearer free"] * 3]


async def test_a_wait_beyond_the_time_limit_fails_at_once_and_holds_for_later_calls():
    async with scripted() as endpoint:
        endpoint.script = lambda _: ScriptedReply("Slow down", status=429, headers={"Retry-After": "99999"})
        client = client_of(endpoint, KEY)
        start = time.monotonic()
        for _ in range(2):
            with pytest.raises(RateLimited, match="Slow down") as caught:
                await client.post("/chat/completions", BODY, timeout_s=5)
        await client.close()

    assert time.monotonic() - start < 3
    assert 3590 < caught.value.retry_after_s <= 3600
    assert len(endpoint.requests) == 1


async def test_a_failing_endpoint_gets_two_more_tries():
    async with scripted() as endpoint:
        endpoint.enqueue(ScriptedReply(status=500), ScriptedReply(status=503), "At last.")
        await post(client_of(endpoint))
        endpoint.script = lambda _: ScriptedReply("Out of memory", status=500)
        with pytest.raises(ModelFailed, match=r"failed \(500\): Out of memory"):
            await post(client_of(endpoint))

    assert len(endpoint.requests) == 3 + 3


async def test_a_call_that_is_refused_is_not_repeated():
    async with scripted() as endpoint:
        endpoint.script = lambda _: ScriptedReply("unknown model", status=404)
        with pytest.raises(RequestRefused, match="unknown model") as caught:
            await post(client_of(endpoint))

    assert caught.value.endpoint_status == 404
    assert len(endpoint.requests) == 1


async def test_the_time_limit_holds_over_all_tries():
    async with scripted() as endpoint:
        endpoint.script = lambda _: ScriptedReply(status=503, delay_s=0.4)
        client = client_of(endpoint)
        await client._load()
        start = time.monotonic()
        with pytest.raises(ModelTimeout, match=r"1 s"):
            await post(client, timeout_s=1)

    assert 0.95 < time.monotonic() - start < 1.4


async def test_a_silent_endpoint_is_given_up_and_hung_up_on():
    async with silent() as (server, endpoint):
        with pytest.raises(ModelTimeout):
            await post(client_of(endpoint), timeout_s=2)

        await asyncio.wait_for(server.ended.wait(), 2)


async def test_a_cancelled_call_hangs_up_and_leaves_nothing_behind():
    async with silent() as (server, endpoint):
        client = client_of(endpoint)
        tasks = asyncio.all_tasks()
        call = asyncio.create_task(client.post("/chat/completions", BODY, timeout_s=30))
        await server.called.wait()
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call

        await asyncio.wait_for(server.ended.wait(), 2)
        left = {task for task in asyncio.all_tasks() - tasks if "take" not in repr(task)}
        await client.close()
    assert left == set()


async def test_a_closed_port_says_what_to_check():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        endpoint = parse_endpoint(f"http://127.0.0.1:{taken.getsockname()[1]}/v1")
        with pytest.raises(ModelFailed, match="is it running"):
            await post(client_of(endpoint))


async def test_an_unknown_host_says_what_to_check():
    with pytest.raises(ModelFailed, match=r"no-such-host\.invalid"):
        await post(client_of(parse_endpoint("http://no-such-host.invalid/v1")))


@pytest.mark.parametrize("status", [400, 401, 403, 429, 500])
async def test_a_key_that_the_endpoint_repeats_stays_out_of_errors_and_logs(
    status: int, caplog: pytest.LogCaptureFixture
):
    caplog.set_level(logging.DEBUG)
    async with scripted() as endpoint:
        echo = ScriptedReply(f"{'x' * 180} {KEY} is wrong", status=status, headers={"Retry-After": "0"})
        endpoint.script = lambda _: echo
        with pytest.raises(ModelFailed) as caught:
            await post(client_of(endpoint, KEY))

    shown = "".join(traceback.format_exception(caught.value)) + repr(caught.value) + caplog.text
    assert KEY not in shown
    assert KEY[:12] not in shown
    assert KEY in str(endpoint.requests)


async def test_a_key_stays_out_of_the_errors_of_a_broken_connection(caplog: pytest.LogCaptureFixture):
    async def hang_up(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\n" + head[:300] + b"\r\n")
        writer.close()

    caplog.set_level(logging.DEBUG)
    server = await asyncio.start_server(hang_up, "127.0.0.1", 0)
    async with server:
        endpoint = parse_endpoint(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1")
        with pytest.raises(ModelFailed) as caught:
            await post(client_of(endpoint, KEY))

    assert KEY not in "".join(traceback.format_exception(caught.value)) + caplog.text


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": "-3"}, 0.0),
        ({"retry-after": "1e9"}, 3600.0),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "Thu, 01 Jan 1970 00:01:40 GMT"}, 40.0),
        ({"retry-after": "Thu, 01 Jan 1970 00:00:00 GMT"}, 0.0),
        ({"retry-after-ms": "1500", "retry-after": "7"}, 1.5),
    ],
)
def test_how_long_to_wait_is_read_in_every_form(headers: dict[str, str], seconds: float | None):
    assert retry_after(headers, now_s=60.0) == seconds


def test_the_sdk_is_not_loaded_before_the_first_call():
    program = (
        "import sys, st_bme.adapters.openai_chat, st_bme.adapters.openai_embeddings; print('openai' in sys.modules)"
    )
    environment = {**os.environ, "PYTHONPATH": str(SERVER)}

    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"

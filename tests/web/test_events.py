"""The event stream over HTTP."""

import asyncio

import pytest

from st_bme.protocol.events import SettingsEvent
from st_bme.web import events


async def read_frames(response, count):
    """The next frames as dicts; a comment is {"": …}."""
    frames = []
    for _ in range(count):
        frame = await asyncio.wait_for(response.content.readuntil(b"\n\n"), 2)
        frames.append(dict(line.split(":", 1) for line in frame.decode().strip("\n").split("\n")))
    return frames


async def test_a_stream_numbers_its_events(server, client, page):
    response = await client.get("/v1/events", headers=page)
    server.events.publish("settings", SettingsEvent())

    ready, event = await read_frames(response, 2)

    assert response.headers["Content-Type"] == "text/event-stream"
    assert response.headers["Access-Control-Allow-Origin"] == page["Origin"]
    assert ready == {"id": " 0", "event": " ready", "data": " {}"}
    assert event == {"id": " 1", "event": " settings", "data": " {}"}
    response.close()


async def test_a_stream_resumes_after_the_last_event_id(server, client, page):
    for _ in range(3):
        server.events.publish("settings", SettingsEvent())

    response = await client.get("/v1/events", headers=page | {"Last-Event-ID": "2"})

    frames = await read_frames(response, 2)
    assert [(frame["id"], frame["event"]) for frame in frames] == [(" 2", " ready"), (" 3", " settings")]
    response.close()


@pytest.mark.parametrize("last_id", ["-1", "one", "1.5", "٣", "9" * 30])
async def test_a_last_event_id_that_is_no_number_is_refused(client, page, last_id):
    response = await client.get("/v1/events", headers=page | {"Last-Event-ID": last_id})

    assert response.status == 400
    assert (await response.json())["code"] == "bad_request"


async def test_a_quiet_stream_has_a_heartbeat(server, client, page, monkeypatch):
    monkeypatch.setattr(events, "HEARTBEAT_S", 0.02)

    response = await client.get("/v1/events", headers=page)
    frames = await read_frames(response, 3)
    server.events.publish("settings", SettingsEvent())
    while frames[-1] == {"": ""}:
        frames += await read_frames(response, 1)

    assert frames[1:3] == [{"": ""}, {"": ""}]
    assert frames[-1]["id"] == " 1"
    response.close()


async def test_a_stream_ends_with_bye(server, client, page):
    response = await client.get("/v1/events", headers=page)

    server.events.close()

    body = await asyncio.wait_for(response.read(), 2)
    assert body.endswith(b"id: 1\nevent: bye\ndata: {}\n\n")


async def test_a_reader_that_left_is_forgotten(server, client, page):
    response = await client.get("/v1/events", headers=page)
    await read_frames(response, 1)

    response.close()
    for _ in range(200):
        server.events.publish("settings", SettingsEvent())
        if not server.events._readers:
            break
        await asyncio.sleep(0.01)

    assert not server.events._readers


async def test_a_reader_that_leaves_at_once_is_no_error(client, page, caplog):
    """A page that is closed while its stream opens must not fill the console with tracebacks."""
    head = "".join(f"{name}: {value}\r\n" for name, value in page.items())
    request = f"GET /v1/events HTTP/1.1\r\nHost: 127.0.0.1:{client.port}\r\n{head}\r\n".encode()
    for _ in range(20):
        _, writer = await asyncio.open_connection("127.0.0.1", client.port)
        writer.write(request)
        await writer.drain()
        writer.transport.abort()
        await asyncio.sleep(0.01)

    assert [record.message for record in caplog.records if record.levelname == "ERROR"] == []

"""`hello`: who is there."""

import asyncio

from st_bme import __version__


async def test_a_stranger_learns_name_version_and_api_range(client):
    response = await client.get("/v1/hello")

    assert response.status == 200
    assert await response.json() == {
        "name": "st-bme-bridge",
        "version": __version__,
        "api_min": 1,
        "api_max": 1,
        "paired": False,
        "models": None,
        "queue": None,
    }


async def test_a_paired_page_also_learns_models_and_queue(client, page):
    response = await client.get("/v1/hello", headers=page)

    answer = await response.json()
    assert answer["paired"] is True
    assert answer["models"] == {"chat": "heuristic", "embedding": "none"}
    assert answer["queue"] == 3


async def test_it_is_said_before_the_memory_is_there_and_who_needs_that_waits(server, page, aiohttp_client):
    client = await aiohttp_client(server.application())
    server.is_there.clear()
    hello = await client.get("/v1/hello")
    ack = {"lineage": "abcd", "rev": 1, "stage": "set"}
    asked = asyncio.create_task(client.post("/v1/chat/ack", json=ack, headers=page))
    paired = asyncio.create_task(client.get("/v1/hello", headers=page))
    done_meanwhile, _ = await asyncio.wait({asked, paired}, timeout=0.1)
    server.is_there.set()

    assert hello.status == 200
    assert done_meanwhile == set()
    assert [(await answer).status for answer in (asked, paired)] == [200, 200]


async def test_a_wrong_token_makes_a_stranger_not_an_error(client, page):
    response = await client.get("/v1/hello", headers=page | {"Authorization": "Bearer of another server"})

    assert response.status == 200
    assert (await response.json())["paired"] is False

"""`hello`: who is there."""

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


async def test_a_wrong_token_makes_a_stranger_not_an_error(client, page):
    response = await client.get("/v1/hello", headers=page | {"Authorization": "Bearer of another server"})

    assert response.status == 200
    assert (await response.json())["paired"] is False

"""A paired page of SillyTavern, and the server it talks to."""

import pytest

from web.fakes import ORIGIN, TOKEN, Server


@pytest.fixture
def server(tmp_path):
    return Server(tmp_path)


@pytest.fixture
async def client(server, aiohttp_client):
    return await aiohttp_client(server.application())


@pytest.fixture
def page():
    """The headers that a paired page sends with a command."""
    return {"Origin": ORIGIN, "Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}

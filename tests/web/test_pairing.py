"""Who gets a token without a word of the user, and who does not."""

import os
import stat

import pytest

from st_bme.web.tokens import open_tokens
from web.fakes import ORIGIN, TOKEN, Server

OTHER_PAGE = "http://127.0.0.1:8001"
JSON = {"Content-Type": "application/json"}


async def pair(client, origin=ORIGIN, code=""):
    headers = JSON if origin is None else JSON | {"Origin": origin}
    response = await client.post("/v1/pair", headers=headers, json={"code": code})
    return response.status, await response.json()


async def is_paired(client, token, origin=ORIGIN):
    response = await client.get("/v1/hello", headers={"Origin": origin, "Authorization": f"Bearer {token}"})
    return (await response.json())["paired"]


async def make_code(server, client, origin=OTHER_PAGE):
    await pair(client, origin)
    return server.code


async def test_the_first_sillytavern_is_paired_by_itself(server, client):
    server.clock.now_s += 10_000

    status, answer = await pair(client)

    assert status == 200
    assert await is_paired(client, answer["token"])


async def test_after_the_first_pairing_the_door_is_open_for_two_minutes_from_the_start(server, client):
    await pair(client)
    server.clock.now_s += 119

    _, in_time = await pair(client, "http://localhost:8000")
    server.clock.now_s += 2
    _, too_late = await pair(client)

    assert "token" in in_time
    assert too_late["paired"] is False
    assert too_late["allow_url"].endswith("/allow?origin=http%3A%2F%2F127.0.0.1%3A8000")


@pytest.mark.parametrize("origin", [OTHER_PAGE, None])
async def test_others_wait_for_the_user_even_at_first(server, client, origin):
    status, answer = await pair(client, origin)

    assert status == 200
    assert answer["paired"] is False
    assert answer["allow_url"].startswith(f"http://127.0.0.1:{client.server.port}/allow?origin=")
    assert server.tokens.is_new
    assert answer["allow_url"] in server.said[0]


async def test_on_a_server_that_others_can_reach_nobody_is_paired_by_itself(tmp_path, aiohttp_client):
    server = Server(tmp_path, is_loopback=False)
    client = await aiohttp_client(server.application())

    _, answer = await pair(client)

    assert answer["paired"] is False


async def test_a_forwarded_for_header_is_not_believed(server, client):
    headers = JSON | {"X-Forwarded-For": "127.0.0.1", "Forwarded": "for=127.0.0.1"}

    response = await client.post("/v1/pair", headers=headers, json={})

    assert (await response.json())["paired"] is False


@pytest.mark.parametrize("origin", [OTHER_PAGE, None])
async def test_the_code_of_the_console_pairs_once(server, client, origin):
    code = await make_code(server, client, origin)

    _, answer = await pair(client, origin, code)
    again, refusal = await pair(client, origin, code)

    assert "token" in answer
    assert (again, refusal["code"]) == (403, "wrong_code")


async def test_a_page_paired_by_code_may_send_commands_from_then_on(server, client):
    code = await make_code(server, client)
    _, answer = await pair(client, OTHER_PAGE, code)
    headers = JSON | {"Origin": OTHER_PAGE, "Authorization": f"Bearer {answer['token']}"}

    response = await client.post("/v1/settings/get", headers=headers, data=b"{}")

    assert response.status == 200
    assert response.headers["Access-Control-Allow-Origin"] == OTHER_PAGE


async def test_a_code_grows_old(server, client):
    code = await make_code(server, client)
    server.clock.now_s += 301

    status, answer = await pair(client, OTHER_PAGE, code)

    assert (status, answer["code"]) == (403, "wrong_code")


async def test_asking_again_shows_no_second_code_while_one_is_valid(server, client):
    for _ in range(5):
        await pair(client, OTHER_PAGE)

    assert len(server.said) == 1


async def test_five_wrong_tries_end_a_code_and_the_next_comes_later_each_time(server, client):
    waits = []
    for _ in range(3):
        code = await make_code(server, client)
        wrong = f"{(int(code) + 1) % 10**6:06}"
        tries = [(await pair(client, OTHER_PAGE, wrong))[1]["code"] for _ in range(5)]
        assert tries == ["wrong_code"] * 5
        assert (await pair(client, OTHER_PAGE, code))[0] == 403
        shown, waited = len(server.said), 0
        while len(server.said) == shown:
            server.clock.now_s += 10
            waited += 10
            await pair(client, OTHER_PAGE)
        waits.append(waited)

    assert waits == [60, 120, 240]


async def test_tokens_survive_a_restart_as_hashes_in_a_private_file(server, client, tmp_path):
    mask = os.umask(0)
    try:
        _, answer = await pair(client)
    finally:
        os.umask(mask)
    path = tmp_path / "pairing.json"

    reopened = open_tokens(tmp_path)

    assert reopened.tokens.knows(answer["token"].encode())
    assert reopened.tokens.origins == {ORIGIN}
    assert answer["token"] not in path.read_text()
    assert len(answer["token"]) == 47
    if os.name == "posix":
        assert stat.S_IMODE(path.stat().st_mode) == 0o600


async def test_an_unreadable_file_is_set_aside_and_never_taken_for_a_first_start(tmp_path):
    (tmp_path / "pairing.json").write_text('{"version": 1, "browsers": [{"tok')

    opened = open_tokens(tmp_path)

    assert opened.set_aside is not None
    assert opened.set_aside.read_text() == '{"version": 1, "browsers": [{"tok'
    assert not opened.tokens.is_new


async def test_the_configured_token_is_valid_beside_the_others(tmp_path):
    tokens = open_tokens(tmp_path, TOKEN).tokens
    other = await tokens.give_out(ORIGIN, 0)

    assert tokens.knows(TOKEN.encode())
    assert tokens.knows(other.encode())
    assert not tokens.knows(b"")
    assert not tokens.knows(b"\x83\xff")


async def test_without_a_configured_token_the_empty_one_is_not_valid(tmp_path):
    assert not open_tokens(tmp_path).tokens.knows(b"")


async def test_only_so_many_tokens_are_kept_the_newest(tmp_path):
    tokens = open_tokens(tmp_path).tokens
    given = [await tokens.give_out(ORIGIN, number) for number in range(66)]

    known = [tokens.knows(token.encode()) for token in given]

    assert known == [False] * 2 + [True] * 64

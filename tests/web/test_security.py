"""Who gets through, who does not, and what a refused one learns."""

import io
import itertools

import pytest

from st_bme.web.routes import ROUTES
from st_bme.web.security import _with_port
from web.fakes import ORIGIN, TOKEN, Server

SILLYTAVERN_ORIGINS = [
    f"{scheme}://{name}:8000" for scheme in ("http", "https") for name in ("127.0.0.1", "localhost", "[::1]")
]
BAD_HOSTS = [
    "evil.example",
    "evil.example:{port}",
    "127.0.0.1.nip.io:{port}",
    "127.0.0.1.:{port}",
    "localhost.:{port}",
    "0.0.0.0:{port}",
    "127.1:{port}",
    "2130706433:{port}",
    "[::ffff:127.0.0.1]:{port}",
    "127.0.0.1:1",
    "127.0.0.1",
    "user@127.0.0.1:{port}",
    "LOCALHOST:{port}",
    "localhost:{port}:{port}",
    "",
]
BAD_ORIGINS = [
    "null",
    "",
    "http://evil.example",
    "http://127.0.0.1:8000.evil.example",
    "http://127.0.0.1.evil.example:8000",
    "http://evil.example#127.0.0.1:8000",
    "http://127.0.0.1:8000@evil.example",
    "http://127.0.0.1:80000",
    "http://127.0.0.1:8001",
    "http://127.0.0.1",
    "http://127.0.0.1:8000/",
    "HTTP://127.0.0.1:8000",
    "ftp://127.0.0.1:8000",
    "http://127.0.0.2:8000",
    "http://LOCALHOST:8000",
    "file://",
    "chrome-extension://abcdefghijklmnop",
    "http://127.0.0.1:8000, http://evil.example",
]
TYPES_OF_A_FORM = [
    "text/plain",
    "text/plain;application/json",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "application/json-patch+json",
    "application/json; charset=utf-7",
    "",
]
PATHS = [route.path for route in ROUTES]


def port_of(client) -> int:
    return client.server.port


def assert_refused(server, response, status: int) -> None:
    assert response.status == status
    assert "Access-Control-Allow-Origin" not in response.headers
    assert server.bridge.seen == []


@pytest.mark.parametrize("host", BAD_HOSTS)
@pytest.mark.parametrize("path", ["/v1/hello", "/v1/settings/get", "/allow", "/nothing"])
async def test_a_name_that_is_not_ours_is_misdirected(server, client, page, host, path):
    headers = page | {"Host": host.format(port=port_of(client))}

    response = await client.get(path, headers=headers)

    assert_refused(server, response, 421)
    assert (await response.json())["code"] == "wrong_host"


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost", "[::1]"])
async def test_every_name_of_this_machine_is_ours(client, page, name):
    response = await client.get("/v1/hello", headers={"Host": f"{name}:{port_of(client)}"})

    assert response.status == 200


@pytest.mark.parametrize(("given", "status"), [("nas.lan:{port}", 200), ("st.example.com", 200), ("nas.lan", 421)])
async def test_configured_names_need_the_port_unless_they_bring_one(tmp_path, aiohttp_client, given, status):
    server = Server(tmp_path, hosts=frozenset({"nas.lan", "st.example.com:443"}))
    client = await aiohttp_client(server.application())
    host = given.format(port=port_of(client)) if given != "st.example.com" else "st.example.com:443"

    response = await client.get("/v1/hello", headers={"Host": host})

    assert response.status == status


def test_a_browser_leaves_the_usual_port_out():
    assert _with_port(frozenset({"localhost", "[::1]"}), 80) == {"localhost", "[::1]"}
    assert _with_port(frozenset({"localhost", "[::1]"}), 8791) == {"localhost:8791", "[::1]:8791"}


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("origin", BAD_ORIGINS)
async def test_a_strange_origin_is_refused_even_with_the_token(server, client, page, path, origin):
    response = await client.post(path, headers=page | {"Origin": origin}, data=b"{}")

    assert_refused(server, response, 403)


@pytest.mark.parametrize(
    "origin", [each for each in BAD_ORIGINS if each not in ("http://127.0.0.1:8001", "http://127.0.0.1")]
)
async def test_a_page_from_elsewhere_does_not_learn_that_we_are_here(server, client, origin):
    response = await client.get("/v1/hello", headers={"Origin": origin})

    assert_refused(server, response, 403)


async def test_two_origins_are_none(server, client, page):
    headers = [*page.items(), ("Origin", ORIGIN)]

    response = await client.post("/v1/settings/get", headers=headers, data=b"{}")

    assert_refused(server, response, 403)


@pytest.mark.parametrize("origin", SILLYTAVERN_ORIGINS)
async def test_sillytaverns_usual_origins_may_read_the_answer(client, page, origin):
    response = await client.post("/v1/settings/get", headers=page | {"Origin": origin}, data=b"{}")

    assert response.status == 200
    assert response.headers["Access-Control-Allow-Origin"] == origin
    assert response.headers["Vary"] == "Origin"
    assert "Access-Control-Allow-Credentials" not in response.headers


async def test_a_page_of_another_port_of_this_machine_learns_only_that_it_is_not_paired(client):
    headers = {"Origin": "http://localhost:8001", "Authorization": f"Bearer {TOKEN}"}

    response = await client.get("/v1/hello", headers=headers)

    answer = await response.json()
    assert response.headers["Access-Control-Allow-Origin"] == "http://localhost:8001"
    assert answer["paired"] is False
    assert answer["models"] is None
    assert answer["queue"] is None


@pytest.mark.parametrize("path", ["/v1/hello", "/v1/events", "/v1/settings/get", "/pages/allow.js"])
async def test_a_cross_site_request_without_an_origin_is_refused(server, client, path):
    headers = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors", "Authorization": f"Bearer {TOKEN}"}

    response = await client.get(path, headers=headers)

    assert_refused(server, response, 403)


async def test_localhost_and_127_0_0_1_are_cross_site_to_each_other_and_still_ours(client, page):
    response = await client.post("/v1/settings/get", headers=page | {"Sec-Fetch-Site": "cross-site"}, data=b"{}")

    assert response.status == 200


async def test_without_an_origin_the_token_decides(client, page):
    del page["Origin"]

    with_token = await client.post("/v1/settings/get", headers=page, data=b"{}")
    without = await client.post("/v1/settings/get", headers={"Content-Type": "application/json"}, data=b"{}")

    assert with_token.status == 200
    assert without.status == 401


@pytest.mark.parametrize(
    ("content_type", "origin", "path"),
    list(itertools.product(TYPES_OF_A_FORM, [ORIGIN, "http://evil.example", "null", None], PATHS)),
)
async def test_what_a_form_can_send_changes_nothing(client, page, content_type, origin, path):
    headers = page | {"Content-Type": content_type}
    if origin is None:
        del headers["Origin"]
    else:
        headers["Origin"] = origin

    response = await client.post(path, headers=headers, data=b'{"values":{}}')

    assert response.status == (415 if origin in (ORIGIN, None) else 403)


@pytest.mark.parametrize(
    "authorization",
    [
        "",
        "Bearer",
        "Bearer ",
        f"Bearer {TOKEN[:-1]}",
        f"Bearer {TOKEN}x",
        f"Bearer  {TOKEN}",
        f"Basic {TOKEN}",
        TOKEN,
        f"Bearer {TOKEN.upper()}",
        "Bearer \x83\xff",
        "Bearer ключ",
    ],
)
async def test_a_wrong_token_is_refused_and_the_page_may_read_why(server, client, page, authorization):
    response = await client.post("/v1/settings/get", headers=page | {"Authorization": authorization}, data=b"{}")

    assert response.status == 401
    assert (await response.json())["code"] == "not_paired"
    assert response.headers["Access-Control-Allow-Origin"] == ORIGIN
    assert server.bridge.seen == []


async def test_a_token_in_the_address_or_a_cookie_does_not_count(client, page):
    headers = {key: value for key, value in page.items() if key != "Authorization"}

    response = await client.post(
        f"/v1/settings/get?token={TOKEN}", headers=headers | {"Cookie": f"token={TOKEN}"}, data=b"{}"
    )

    assert response.status == 401


async def test_every_route_but_the_listed_ones_needs_the_token(server, client):
    """Walks the router, so that a route that is added later cannot forget."""
    open_routes = set()
    for route in client.server.app.router.routes():
        path = route.resource.canonical
        response = await client.request(route.method, path, headers={"Content-Type": "application/json"}, data=b"{}")
        if response.status != 401:
            open_routes.add((route.method, path))

    assert open_routes == {
        ("GET", "/v1/hello"),
        ("POST", "/v1/pair"),
        ("GET", "/allow"),
        ("POST", "/allow"),
        ("GET", "/pages/allow.css"),
        ("GET", "/pages/allow.js"),
    }
    assert server.bridge.seen == []


async def test_a_preflight_is_answered_for_an_allowed_origin(client):
    headers = {
        "Origin": ORIGIN,
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "authorization,content-type",
        "Access-Control-Request-Private-Network": "true",
    }

    response = await client.options("/v1/chat/attach", headers=headers)

    assert response.status == 204
    assert response.headers["Access-Control-Allow-Origin"] == ORIGIN
    assert response.headers["Access-Control-Max-Age"] == "7200"
    assert response.headers["Access-Control-Allow-Private-Network"] == "true"
    assert "authorization" in response.headers["Access-Control-Allow-Headers"]
    assert "last-event-id" in response.headers["Access-Control-Allow-Headers"]


@pytest.mark.parametrize(
    ("headers", "status"),
    [({"Origin": "http://evil.example"}, 403), ({"Host": "evil.example", "Origin": ORIGIN}, 421), ({}, 401)],
    ids=["strange origin", "strange host", "no origin"],
)
async def test_a_preflight_comes_after_host_and_origin(client, headers, status):
    response = await client.options("/v1/chat/attach", headers=headers)

    assert response.status == status
    assert "Access-Control-Allow-Methods" not in response.headers


@pytest.mark.parametrize("path", ["/v1/hello", "/v1/chat/attach", "/allow", "/nothing"])
async def test_no_answer_can_be_framed_sniffed_or_kept(client, path):
    response = await client.get(path)

    assert response.headers["X-Frame-Options"] == "DENY"
    assert "frame-ancestors 'none'" in response.headers["Content-Security-Policy"]
    assert "default-src 'none'" in response.headers["Content-Security-Policy"]
    assert "unsafe" not in response.headers["Content-Security-Policy"]
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    assert response.headers["Cache-Control"] == "no-store"


async def test_a_body_over_the_limit_is_refused_before_it_is_read(server, client, page):
    response = await client.post("/v1/settings/set", headers=page, data=io.BytesIO(b" " * (1024 * 1024 + 1)))

    assert response.status == 413
    assert (await response.json())["code"] == "payload_too_large"


async def test_a_body_without_a_length_is_refused_where_it_passes_the_limit(server, client, page):
    async def pieces():
        for _ in range(40):
            yield b" " * 65_536

    response = await client.post("/v1/settings/set", headers=page, data=pieces())

    assert response.status == 413
    assert server.bridge.seen == []

"""The page on which the user allows an origin."""

import html
import json
import re
from importlib.resources import files

import pytest

from st_bme.web.languages import LANGUAGES
from web.fakes import Server

OTHER_PAGE = "https://st.example.com"
FORM = {"Content-Type": "application/x-www-form-urlencoded"}


async def ask(client, origin=OTHER_PAGE, **headers):
    response = await client.get("/allow", params={"origin": origin}, headers=headers)
    return response, await response.text()


def nonce_of(text: str) -> str:
    match = re.search(r'name="nonce" value="([^"]+)"', text)
    assert match is not None
    return match[1]


async def press(client, nonce, origin=None, **headers):
    own = f"http://127.0.0.1:{client.server.port}"
    return await client.post("/allow", data=f"nonce={nonce}", headers=FORM | {"Origin": origin or own} | headers)


async def pair(client, origin=OTHER_PAGE):
    headers = {"Content-Type": "application/json"} | ({"Origin": origin} if origin else {})
    return await client.post("/v1/pair", headers=headers, json={})


async def test_an_allowed_page_is_paired_and_stays_allowed(server, client):
    assert (await pair(client)).status == 403
    _, text = await ask(client)

    pressed = await press(client, nonce_of(text))
    answer = await (await pair(client)).json()
    server.clock.now_s += 10_000
    headers = {"Origin": OTHER_PAGE, "Authorization": f"Bearer {answer['token']}", "Content-Type": "application/json"}
    command = await client.post("/v1/settings/get", headers=headers, data=b"{}")

    assert pressed.status == 200
    assert command.status == 200


async def test_a_press_pairs_one_browser_and_only_for_a_while(server, client):
    _, text = await ask(client)
    await press(client, nonce_of(text))
    server.clock.now_s += 301

    assert (await pair(client)).status == 403

    _, text = await ask(client)
    await press(client, nonce_of(text))
    first = await (await pair(client)).json()
    server.clock.now_s += 10_000
    second = await (await pair(client)).json()
    assert "token" in first
    assert second["paired"] is False


async def test_a_program_without_an_origin_can_be_allowed_too(client):
    _, text = await ask(client, "")

    await press(client, nonce_of(text))

    assert "token" in await (await pair(client, origin="")).json()
    assert "token" not in await (await pair(client, origin="")).json()


async def test_the_page_shows_the_exact_origin_and_runs_no_script_of_a_stranger(client):
    response, text = await ask(client)

    policy = response.headers["Content-Security-Policy"]
    assert OTHER_PAGE in text
    assert "script-src 'self'" in policy
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy
    assert "form-action 'self'" in policy
    assert not re.search(r"<script(?![^>]*\ssrc=)|\son\w+=|<style|\sstyle=", text)


async def test_the_page_is_in_the_language_of_the_browser_and_has_a_link_to_the_other(client):
    _, english = await ask(client)
    _, chinese = await ask(client, **{"Accept-Language": "zh-CN,zh;q=0.9,en;q=0.8"})
    link = html.unescape(re.search(r'<a href="([^"]+)"', chinese)[1])
    switched = await (await client.get(link, headers={"Accept-Language": "zh-CN"})).text()

    assert "<h1>May this page use your memory server?</h1>" in english
    assert "<h1>允许此页面使用您的记忆服务器吗？</h1>" in chinese
    assert '<html lang="zh">' in chinese
    assert "<h1>May this page use your memory server?</h1>" in switched
    assert OTHER_PAGE in switched
    assert "{{" not in english + chinese


async def test_the_answer_to_a_press_is_in_the_language_of_the_question(client):
    _, text = await ask(client, **{"Accept-Language": "zh-CN"})
    action = re.search(r'action="([^"]+)"', text)[1]
    own = f"http://127.0.0.1:{client.server.port}"

    pressed = await client.post(action, data=f"nonce={nonce_of(text)}", headers=FORM | {"Origin": own})

    assert pressed.status == 200
    assert "<h1>已允许</h1>" in await pressed.text()


def test_both_languages_of_the_page_say_the_same_things():
    texts = json.loads((files("st_bme.web") / "pages" / "texts.json").read_text(encoding="utf-8"))

    assert set(texts) == set(LANGUAGES)
    assert texts["en"].keys() == texts["zh"].keys()
    assert all(texts["en"][key] != texts["zh"][key] for key in texts["en"])


@pytest.mark.parametrize(
    "origin",
    ['"><script>alert(1)</script>', "javascript:alert(1)", "null", "http://a/b", "https://st.example.com/", "HTTP://A"],
)
async def test_what_is_no_origin_is_not_shown(client, origin):
    response, text = await ask(client, origin)

    assert response.status == 400
    assert origin not in text


async def test_a_page_that_navigates_here_may_ask_but_not_embed(client):
    opened, _ = await ask(client, **{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Dest": "document"})
    framed, _ = await ask(client, **{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Dest": "iframe"})

    assert opened.status == 200
    assert framed.status == 403


@pytest.mark.parametrize("origin", [OTHER_PAGE, "null", "http://127.0.0.1:8000", "http://evil.example"])
async def test_a_form_of_another_page_cannot_press(server, client, origin):
    _, text = await ask(client)

    response = await press(client, nonce_of(text), origin)

    assert response.status == 403
    assert OTHER_PAGE not in server.pairing.allowed_origins


async def test_a_press_without_an_origin_does_not_count(server, client):
    _, text = await ask(client)

    response = await client.post("/allow", data=f"nonce={nonce_of(text)}", headers=FORM)

    assert response.status == 403
    assert OTHER_PAGE not in server.pairing.allowed_origins


@pytest.mark.parametrize("nonce", ["", "guessed"])
async def test_a_press_needs_a_question_that_was_asked(server, client, nonce):
    response = await press(client, nonce)

    assert response.status == 400
    assert OTHER_PAGE not in server.pairing.allowed_origins


async def test_a_question_is_answered_once(client):
    _, text = await ask(client)

    await press(client, nonce_of(text))
    again = await press(client, nonce_of(text))

    assert again.status == 400


async def test_questions_are_bounded_the_oldest_goes(client):
    _, first = await ask(client)
    for _ in range(99):
        await ask(client)
    _, last = await ask(client)

    assert (await press(client, nonce_of(first))).status == 400
    assert (await press(client, nonce_of(last))).status == 200


async def test_json_does_not_press(client):
    _, text = await ask(client)

    response = await press(client, nonce_of(text), **{"Content-Type": "application/json"})

    assert response.status == 400


async def test_on_a_server_that_others_reach_the_page_opens_under_a_loopback_name_only(tmp_path, aiohttp_client):
    server = Server(tmp_path, hosts=frozenset({"nas.lan"}), is_loopback=False)
    client = await aiohttp_client(server.application())

    from_elsewhere, _ = await ask(client, Host=f"nas.lan:{client.server.port}")
    from_here, _ = await ask(client)

    assert from_elsewhere.status == 403
    assert from_here.status == 200

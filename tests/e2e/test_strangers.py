"""Pages that are not SillyTavern's, in a real browser: the server refuses them and nothing changes."""

from collections.abc import AsyncIterator

import aiohttp
import pytest_asyncio
from playwright.async_api import BrowserContext, Page
from pydantic import JsonValue

from st_bme.adapters.scripted_endpoint import ScriptedEndpoint

from .bridge import Bridge
from .chat_page import REBOUND_NAME
from .marks import E2E
from .sillytavern import SillyTavern

pytestmark = E2E

CHANGE = '{"values":{"recallTopK":3}}'
# A form can only send text, so the JSON is split around the "=" that it puts between name and value.
FORM_NAME, FORM_VALUE = '{"values":{"recallTopK":3},"id":"', '"}'
ASK = """async ([url, request]) => {
    try {
        const response = await fetch(url, request);
        return { status: response.status, type: response.type };
    } catch (error) {
        return { error: error.name };
    }
}"""


class Owner:
    """A program that has a token, to look at the server from the side of the user."""

    def __init__(self, session: aiohttp.ClientSession, token: str) -> None:
        self._session = session
        self.token = token

    async def changed_settings(self) -> JsonValue:
        """Empty until somebody changed one."""
        async with self._session.post("/v1/settings/get", json={}) as response:
            assert response.status == 200
            values: JsonValue = (await response.json())["values"]
            return values


@pytest_asyncio.fixture(loop_scope="session")
async def owner(bridge: Bridge, silly_tavern: SillyTavern) -> AsyncIterator[Owner]:
    async with aiohttp.ClientSession(bridge.url) as session:
        async with session.post("/v1/pair", json={}, headers={"Origin": silly_tavern.url}) as response:
            token = (await response.json())["token"]
        session.headers["Authorization"] = f"Bearer {token}"
        yield Owner(session, token)


@pytest_asyncio.fixture(loop_scope="session")
async def stranger(profile: BrowserContext, endpoint: ScriptedEndpoint) -> AsyncIterator[Page]:
    """A page of another port of this machine."""
    page = await profile.new_page()
    await page.goto(f"{endpoint.url}/v1/models")
    yield page
    await page.close()


@pytest_asyncio.fixture(loop_scope="session")
async def allowed(profile: BrowserContext, silly_tavern: SillyTavern) -> AsyncIterator[Page]:
    """A page of the allowed address, without the extension."""
    page = await profile.new_page()
    await page.goto(f"{silly_tavern.url}/robots.txt")
    yield page
    await page.close()


async def test_a_page_of_another_origin_is_refused_even_with_a_token(
    stranger: Page, bridge: Bridge, owner: Owner
) -> None:
    answer = await stranger.evaluate(ASK, [f"{bridge.url}/v1/settings/set", _command(owner.token)])

    assert answer == {"error": "TypeError"}
    assert await owner.changed_settings() == {}


async def test_a_blind_post_of_another_origin_changes_nothing(stranger: Page, bridge: Bridge, owner: Owner) -> None:
    blind = {"method": "POST", "mode": "no-cors", "headers": {"Content-Type": "text/plain"}, "body": CHANGE}

    async with stranger.expect_event("requestfailed") as waiting:
        answer = await stranger.evaluate(ASK, [f"{bridge.url}/v1/settings/set", blind])

    assert answer == {"error": "TypeError"}
    # The server answered, and its answer is not for this page to have, not even unread.
    assert "ERR_BLOCKED_BY_RESPONSE" in str((await waiting.value).failure)
    assert await owner.changed_settings() == {}


async def test_a_form_post_is_refused_from_a_stranger_and_from_sillytavern(
    stranger: Page, allowed: Page, bridge: Bridge, owner: Owner
) -> None:
    statuses = [await _submit_form(page, f"{bridge.url}/v1/settings/set") for page in (stranger, allowed)]

    # SillyTavern's pages hide where a form comes from, so theirs is a stranger's too.
    assert statuses == [403, 403]
    assert await owner.changed_settings() == {}


async def test_another_origin_is_not_paired_without_the_user(stranger: Page, bridge: Bridge, owner: Owner) -> None:
    request = {"method": "POST", "headers": {"Content-Type": "application/json"}, "body": "{}"}
    body = await stranger.evaluate(
        "async ([url, request]) => (await fetch(url, request)).json()", [f"{bridge.url}/v1/pair", request]
    )

    assert "token" not in body


async def test_sillytavern_needs_the_token(allowed: Page, bridge: Bridge, owner: Owner) -> None:
    without, wrong = _command(None), _command("x" * len(owner.token))

    statuses = [
        (await allowed.evaluate(ASK, [f"{bridge.url}/v1/settings/set", command]))["status"]
        for command in (without, wrong)
    ]
    assert statuses == [401, 401]
    assert await owner.changed_settings() == {}

    answer = await allowed.evaluate(ASK, [f"{bridge.url}/v1/settings/set", _command(owner.token)])
    assert answer == {"status": 200, "type": "cors"}
    assert await owner.changed_settings() == {"recallTopK": 3}


async def test_what_is_not_json_is_refused_even_with_the_token(allowed: Page, bridge: Bridge, owner: Owner) -> None:
    headers = {"Content-Type": "text/plain", "Authorization": f"Bearer {owner.token}"}

    answer = await allowed.evaluate(
        ASK, [f"{bridge.url}/v1/settings/set", {"method": "POST", "headers": headers, "body": CHANGE}]
    )

    assert answer == {"status": 415, "type": "cors"}
    assert await owner.changed_settings() == {}


async def test_a_strangers_name_for_this_machine_is_refused(profile: BrowserContext, bridge: Bridge) -> None:
    page = await profile.new_page()

    refused = await page.goto(f"http://{REBOUND_NAME}:{bridge.port}/v1/hello")
    served = await page.goto(f"{bridge.url}/v1/hello")

    assert refused is not None
    assert served is not None
    assert (refused.status, served.status) == (421, 200)
    await page.close()


def _command(token: str | None) -> dict[str, object]:
    headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {token}"} if token else {})
    return {"method": "POST", "headers": headers, "body": CHANGE}


async def _submit_form(page: Page, url: str) -> int:
    async with page.expect_response(url) as waiting:
        await page.evaluate(
            """([url, name, value]) => {
                const form = document.createElement('form');
                Object.assign(form, { method: 'post', action: url, enctype: 'text/plain' });
                const field = document.createElement('input');
                Object.assign(field, { name, value });
                form.append(field);
                document.documentElement.append(form);
                form.submit();
            }""",
            [url, FORM_NAME, FORM_VALUE],
        )
    return (await waiting.value).status

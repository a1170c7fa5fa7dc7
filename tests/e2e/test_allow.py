"""The *Allow* page in a real browser: it pairs a page of another address, and no stranger can press its button."""

from collections.abc import AsyncIterator

import pytest_asyncio
from playwright.async_api import BrowserContext, Page, expect

from st_bme.adapters.scripted_endpoint import ScriptedEndpoint

from .bridge import Bridge
from .marks import E2E

pytestmark = E2E

PAIR = """async url => {
    const body = '{}';
    const headers = { 'Content-Type': 'application/json' };
    return await (await fetch(`${url}/v1/pair`, { method: 'POST', headers, body })).json();
}"""
USE = """async ([url, token]) => {
    const headers = { 'Content-Type': 'application/json', 'Authorization': `Bearer ${token}` };
    return (await fetch(`${url}/v1/settings/get`, { method: 'POST', headers, body: '{}' })).status;
}"""
FRAME = """async url => {
    const frame = document.createElement('iframe');
    const loaded = new Promise(resolve => { frame.onload = resolve; });
    frame.src = url;
    document.documentElement.append(frame);
    await loaded;
}"""


@pytest_asyncio.fixture(loop_scope="session")
async def other_page(profile: BrowserContext, endpoint: ScriptedEndpoint) -> AsyncIterator[Page]:
    """A page of another port of this machine."""
    page = await profile.new_page()
    await page.goto(f"{endpoint.url}/v1/models")
    yield page
    await page.close()


async def test_a_page_that_the_user_allows_is_paired(
    profile: BrowserContext, other_page: Page, bridge: Bridge, endpoint: ScriptedEndpoint
) -> None:
    waits = await other_page.evaluate(PAIR, bridge.url)
    allow = await profile.new_page()
    await allow.goto(waits["allow_url"])
    await expect(allow.locator(".origin")).to_have_text(endpoint.url)
    await allow.get_by_role("button", name="Allow").click()
    await expect(allow.get_by_role("heading", name="Allowed")).to_be_visible()
    await allow.close()

    paired = await other_page.evaluate(PAIR, bridge.url)

    assert await other_page.evaluate(USE, [bridge.url, paired["token"]]) == 200


async def test_the_page_speaks_the_language_of_the_browser_or_the_other_one(
    profile: BrowserContext, other_page: Page, bridge: Bridge
) -> None:
    waits = await other_page.evaluate(PAIR, bridge.url)
    allow = await profile.new_page()
    await allow.set_extra_http_headers({"Accept-Language": "zh-CN,zh;q=0.9"})
    await allow.goto(waits["allow_url"])
    await expect(allow.get_by_role("button", name="允许")).to_be_visible()
    await allow.get_by_role("link", name="English").click()
    await expect(allow.get_by_role("button", name="Allow")).to_be_visible()
    await allow.get_by_role("link", name="中文").click()

    await allow.get_by_role("button", name="允许").click()

    await expect(allow.get_by_role("heading", name="已允许")).to_be_visible()
    assert "token" in await other_page.evaluate(PAIR, bridge.url)
    await allow.close()


async def test_the_button_does_nothing_until_the_page_was_in_front(profile: BrowserContext, bridge: Bridge) -> None:
    allow = await profile.new_page()
    await allow.goto(f"{bridge.url}/allow?origin=http://evil.example")

    await expect(allow.get_by_role("button", name="Allow")).to_be_disabled(timeout=500)
    await expect(allow.get_by_role("button", name="Allow")).to_be_enabled(timeout=3000)
    await allow.close()


async def test_the_page_does_not_show_in_a_frame_of_a_stranger(other_page: Page, bridge: Bridge) -> None:
    await other_page.evaluate(FRAME, f"{bridge.url}/allow?origin=http://evil.example")

    assert await other_page.frame_locator("iframe").locator("button").count() == 0

"""Fixtures of the end-to-end tests: one SillyTavern, one browser and one endpoint for the whole run."""

import json
import re
from collections.abc import AsyncIterator, Generator, Iterator, Mapping
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import BrowserContext, async_playwright

from st_bme.adapters.scripted_endpoint import ScriptedEndpoint

from .bridge import Bridge
from .chat_page import REBOUND_NAME, ChatPage, OpenPage
from .door import Door
from .prompts import reply_prompts
from .provision import Programs, ProvisionError, provision
from .sillytavern import Api, Setup, SillyTavern

_HAS_FAILED = pytest.StashKey[bool]()
_CHROMIUM_ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-sync",
    # A page without a window counts as covered: its timers and streams must run all the same.
    "--disable-backgrounding-occluded-windows",
    "--disable-renderer-backgrounding",
    "--disable-background-timer-throttling",
    f"--host-resolver-rules=MAP {REBOUND_NAME} 127.0.0.1",
]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if report.failed:
        item.stash[_HAS_FAILED] = True
    return report


@pytest.fixture(scope="session")
def programs() -> Programs:
    try:
        return provision()
    except ProvisionError as error:
        pytest.fail(str(error), pytrace=False)


@pytest.fixture(scope="session")
def silly_tavern(
    programs: Programs, shared_endpoint: ScriptedEndpoint, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[SillyTavern]:
    running = SillyTavern(programs, tmp_path_factory.mktemp("sillytavern"), shared_endpoint.url)
    running.install_extension()
    running.start()
    yield running
    running.stop()


@pytest_asyncio.fixture(loop_scope="session", scope="session")
async def shared_profile(programs: Programs) -> AsyncIterator[BrowserContext]:
    """One browser profile for the run: its cache of SillyTavern's 250 files halves the time of a page load."""
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=programs.chromium, args=_CHROMIUM_ARGUMENTS)
        yield await browser.new_context(viewport={"width": 1300, "height": 900})
        await browser.close()


@pytest_asyncio.fixture(loop_scope="session")
async def profile(shared_profile: BrowserContext, silly_tavern: SillyTavern) -> BrowserContext:
    """The browser profile with no page open and nothing stored by earlier tests but cached files."""
    page = await shared_profile.new_page()
    devtools = await shared_profile.new_cdp_session(page)
    await devtools.send("Storage.clearDataForOrigin", {"origin": silly_tavern.url, "storageTypes": "all"})
    await page.close()
    return shared_profile


@pytest_asyncio.fixture(loop_scope="session", scope="session")
async def shared_endpoint() -> AsyncIterator[ScriptedEndpoint]:
    serving = ScriptedEndpoint()
    await serving.start()
    yield serving
    await serving.stop()


@pytest.fixture
def endpoint(shared_endpoint: ScriptedEndpoint) -> ScriptedEndpoint:
    """The scripted endpoint, with nothing left of earlier tests."""
    shared_endpoint.reset()
    return shared_endpoint


@pytest_asyncio.fixture(loop_scope="session")
async def second() -> AsyncIterator[ScriptedEndpoint]:
    """An endpoint that SillyTavern is not connected to."""
    serving = ScriptedEndpoint(model="second-model")
    await serving.start()
    yield serving
    await serving.stop()


@pytest_asyncio.fixture(loop_scope="session")
async def third() -> AsyncIterator[ScriptedEndpoint]:
    """Another one, whose vectors are half as long."""
    serving = ScriptedEndpoint(model="third-model", dimensions=32)
    await serving.start()
    yield serving
    await serving.stop()


@pytest.fixture(params=list(Api), ids=lambda api: f"{api}-completion")
def api(request: pytest.FixtureRequest) -> Api:
    chosen: Api = request.param
    return chosen


@pytest.fixture
def artifacts(request: pytest.FixtureRequest) -> Path:
    """Where a failed test leaves its logs and pictures."""
    name = re.sub(r"[^\w.-]+", "_", request.node.name)
    return Path(request.config.cache.mkdir("e2e")) / name


@pytest.fixture
def bridge(
    request: pytest.FixtureRequest, silly_tavern: SillyTavern, artifacts: Path, tmp_path: Path
) -> Iterator[Bridge]:
    """A running memory server without memories."""
    server = Bridge(tmp_path / "bridge", silly_tavern.url)
    server.start()
    yield server
    server.stop()
    if request.node.stash.get(_HAS_FAILED, False):
        _write_files(artifacts, {"bridge.log": server.log.read_bytes()})


@pytest_asyncio.fixture(loop_scope="session")
async def door(bridge: Bridge) -> AsyncIterator[Door]:
    """A way to the memory server that can be made slow."""
    way = Door(bridge.door_port, bridge.port)
    await way.start()
    yield way
    await way.stop()


@pytest_asyncio.fixture(loop_scope="session")
async def open_page(
    request: pytest.FixtureRequest,
    silly_tavern: SillyTavern,
    profile: BrowserContext,
    endpoint: ScriptedEndpoint,
    artifacts: Path,
) -> AsyncIterator[OpenPage]:
    """Open SillyTavern in a setup; pages close, and a failed test's artifacts are kept, at its end."""
    pages: list[ChatPage] = []
    log_start = silly_tavern.log.stat().st_size

    async def open_page(setup: Setup) -> ChatPage:
        silly_tavern.configure(setup)
        pages.append(await ChatPage.open(profile, silly_tavern))
        return pages[-1]

    yield open_page
    if request.node.stash.get(_HAS_FAILED, False):
        prompts = [prompt.messages for prompt in reply_prompts(endpoint)]
        files = {
            "sillytavern.log": silly_tavern.log.read_bytes()[log_start:],
            "prompts.json": json.dumps(prompts, indent=1, ensure_ascii=False).encode(),
        }
        for number, page in enumerate(pages):
            files |= {f"page-{number}-{name}": content for name, content in (await page.collect_artifacts()).items()}
        _write_files(artifacts, files)
    for page in pages:
        await page.close()


def _write_files(folder: Path, files: Mapping[str, bytes]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (folder / name).write_bytes(content)

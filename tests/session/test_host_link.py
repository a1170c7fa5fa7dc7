"""Relayed model calls: who is asked, when, and what becomes of an answer that does not come."""

import asyncio
import json

import pytest

from st_bme.errors import ModelFailed, ModelTimeout
from st_bme.ports import ChatPrompt
from st_bme.protocol.commands import HostState, LlmResult
from st_bme.session import host_link
from st_bme.session.event_log import EventLog
from st_bme.session.host_link import REST_AFTER_GENERATION_S, HostLink

PROMPT = ChatPrompt(task="extract", system="s", user="u", max_tokens=10)


class Pages:
    """Reads the events as the pages of a browser do."""

    def __init__(self) -> None:
        self.events = EventLog(1)
        self.link = HostLink(self.events)
        self._read = 0

    def open(self, page: str, *, online: bool = True) -> None:
        self.link.seen(HostState(page=page, online=online))

    async def next(self) -> tuple[str, dict]:
        """Name and data of the next event."""
        for _ in range(2000):
            event = self.events.after(self._read)
            if event is not None:
                self._read = event.number
                return event.name, json.loads(event.data)
            await asyncio.sleep(0.001)
        raise AssertionError("no event came within two seconds")

    def answer(self, request: str, **fields: object) -> bool:
        return self.link.take(LlmResult(request=request, **fields))

    def ask(self, timeout_s: float = 5) -> asyncio.Task[LlmResult]:
        return asyncio.create_task(self.link.ask(PROMPT, profile="", timeout_s=timeout_s))


@pytest.fixture
def pages(monkeypatch):
    monkeypatch.setattr(host_link, "REST_AFTER_GENERATION_S", 0.01)
    return Pages()


async def test_the_page_heard_of_last_is_asked_and_its_answer_returned(pages):
    pages.open("first")
    pages.open("second")
    call = pages.ask()
    name, data = await pages.next()
    pages.answer(data["request"], text="{}", model="m")

    assert (name, data["page"], data["user"]) == ("llm_request", "second", "u")
    assert (await call).text == "{}"


async def test_a_call_waits_for_a_page(pages):
    call = pages.ask()
    await asyncio.sleep(0.01)

    assert pages.events.after(0) is None
    pages.open("p")
    pages.answer((await pages.next())[1]["request"], text="late")
    assert (await call).text == "late"


async def test_no_page_is_asked_while_it_makes_a_reply(pages):
    pages.open("p")
    pages.link.hold("p")
    call = pages.ask()
    await asyncio.sleep(0.05)

    assert pages.events.after(0) is None
    pages.link.release("p")
    pages.answer((await pages.next())[1]["request"], text="after")
    assert (await call).text == "after"


async def test_a_page_rests_behind_a_reply_before_it_is_asked(pages, monkeypatch):
    assert REST_AFTER_GENERATION_S == 1.0
    pages.open("p")
    pages.link.hold("p")
    call = pages.ask()
    monkeypatch.setattr(host_link, "REST_AFTER_GENERATION_S", 60)
    pages.link.release("p")
    await asyncio.sleep(0.05)

    assert pages.events.after(0) is None
    monkeypatch.setattr(host_link, "REST_AFTER_GENERATION_S", 0.01)
    pages.link.release("p")
    pages.answer((await pages.next())[1]["request"], text="rested")
    assert (await call).text == "rested"


async def test_a_call_that_stop_took_down_is_made_again(pages):
    pages.open("p")
    call = pages.ask()
    first = (await pages.next())[1]["request"]
    pages.answer(first, error="aborted")
    second = (await pages.next())[1]["request"]
    pages.answer(second, text="again")

    assert first != second
    assert (await call).text == "again"


async def test_a_failed_call_says_what_the_page_said(pages):
    pages.open("p")
    call = pages.ask()
    pages.answer((await pages.next())[1]["request"], error="failed", message="no connection")

    with pytest.raises(ModelFailed, match="no connection"):
        await call


async def test_a_call_without_an_answer_ends_in_time_and_is_cancelled_in_the_page(pages):
    pages.open("p")
    call = pages.ask(timeout_s=0.05)
    request = (await pages.next())[1]["request"]

    with pytest.raises(ModelTimeout):
        await call
    assert await pages.next() == ("llm_cancel", {"request": request, "page": "p"})
    assert not pages.answer(request, text="too late")


async def test_a_cancelled_call_is_cancelled_in_the_page(pages):
    pages.open("p")
    call = pages.ask()
    request = (await pages.next())[1]["request"]
    call.cancel()

    with pytest.raises(asyncio.CancelledError):
        await call
    assert (await pages.next())[1]["request"] == request


async def test_one_call_at_a_time(pages):
    pages.open("p")
    first, second = pages.ask(), pages.ask()
    request = (await pages.next())[1]["request"]
    await asyncio.sleep(0.02)

    assert pages.events.after(1) is None
    pages.answer(request, text="1")
    await first
    pages.answer((await pages.next())[1]["request"], text="2")
    assert (await second).text == "2"


async def test_a_stranger_s_answer_is_passed_over(pages):
    pages.open("p")

    assert not pages.answer("nobody", text="x")


async def test_the_link_is_online_as_the_last_page_says(pages):
    assert not pages.link.is_online
    pages.open("p", online=True)
    assert pages.link.is_online
    pages.open("p", online=False)
    assert not pages.link.is_online

"""When replies are read, and how many together, as the settings say."""

import asyncio

import pytest

from session.desk import Page, serving


@pytest.fixture
async def passes(monkeypatch):
    """Lets so many seconds pass for the event loop."""
    loop = asyncio.get_running_loop()
    real_time, passed_s = loop.time, 0.0
    monkeypatch.setattr(loop, "time", lambda: real_time() + passed_s)

    async def let_pass(seconds):
        nonlocal passed_s
        passed_s += seconds
        await asyncio.sleep(0.01)

    return let_pass


@pytest.mark.parametrize("every", [2, 3])
async def test_replies_are_read_as_many_at_once_as_is_set(tmp_path, every):
    async with serving(tmp_path) as desk:
        page = Page(desk, extractEvery=every)
        await page.attach()
        for number in range(6):
            await page.turn(f"hello {number}", f"[character C{number}]")

        assert [len(run) for run in desk.extractor.runs] == [2 * every] * (6 // every)
        assert page.names() == {f"C{number}" for number in range(6)}


async def test_a_turning_point_takes_all_pending_replies_at_once(tmp_path):
    async with serving(tmp_path) as desk:
        page = Page(desk, extractEvery=5, enableSmartTrigger=True)
        await page.attach()
        await page.turn("we walk on", "[character Bob]")
        assert desk.extractor.runs == []

        await page.turn("suddenly", "he is betrayed [character Cleo]")

        assert [len(run) for run in desk.extractor.runs] == [4]
        assert page.names() == {"Bob", "Cleo"}


async def test_patterns_that_cannot_be_used_are_told_once(tmp_path):
    async with serving(tmp_path) as desk:
        page = Page(desk, enableSmartTrigger=True, triggerPatterns="(?=x), ring")
        await page.attach()
        await page.turn("a", "b")
        await page.turn("c", "d")

        assert [notice["code"] for notice in page.told] == ["trigger_patterns_refused"]
        assert page.told[0]["data"] == {"patterns": "(?=x)"}


async def test_with_lag_one_the_newest_reply_waits_for_the_next(tmp_path):
    async with serving(tmp_path) as desk:
        page = Page(desk, extractAutoDelayLatestAssistant=True)
        await page.attach()
        await page.turn("hello", "[character Bob]")
        assert desk.extractor.runs == []

        await page.turn("and", "[character Cleo]")

        assert page.names() == {"Bob"}


async def test_after_a_long_silence_what_waited_is_read_too(tmp_path, passes):
    async with serving(tmp_path) as desk:
        page = Page(desk, extractEvery=5, idleMinutes=30)
        await page.attach()
        await page.turn("hello", "[character Bob]")
        await passes(29 * 60)
        await page.turn("and", "[character Cleo]")
        await passes(29 * 60)  # the second turn began the pause anew
        assert desk.extractor.runs == []

        await passes(2 * 60)
        await page.settled()

        assert page.names() == {"Bob", "Cleo"}


async def test_without_an_idle_time_what_waits_waits_on(tmp_path, passes):
    async with serving(tmp_path) as desk:
        page = Page(desk, extractEvery=5, idleMinutes=0)
        await page.attach()
        await page.turn("hello", "[character Bob]")
        await passes(7 * 24 * 3_600)
        await page.settled()

        assert desk.extractor.runs == []


async def test_a_short_chat_is_read_from_as_many_messages_as_is_set(tmp_path):
    async with serving(tmp_path) as desk:
        page = Page(desk, extractMinMessages=4)
        await page.attach()
        await page.turn("hello", "[character Bob]")
        assert desk.extractor.runs == []

        await page.turn("and", "[character Cleo]")

        assert page.names() == {"Bob", "Cleo"}


async def test_more_characters_than_one_call_takes_are_read_in_several(tmp_path):
    async with serving(tmp_path) as desk:
        page = Page(desk, extractEvery=3, extractMaxChars=500)
        await page.attach()
        for word in ("Bob", "Cleo", "Dan"):
            await page.turn("hello", f"[character {word}] {word * 60}")

        assert [len(run) for run in desk.extractor.runs] == [4, 2]
        assert page.names() == {"Bob", "Cleo", "Dan"}

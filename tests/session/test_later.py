"""Work that is put off: done once for all who asked, never forgotten."""

import asyncio

import pytest

from st_bme.session.later import Later

SOON_S, NEVER_S = 0.02, 3600.0


class Work:
    """Counts how often it was done; waits while it is held, fails while it is broken."""

    def __init__(self):
        self.done = 0
        self.begun = asyncio.Event()
        self.go_on = asyncio.Event()
        self.go_on.set()
        self.is_broken = False

    async def __call__(self):
        self.begun.set()
        await self.go_on.wait()
        if self.is_broken:
            raise OSError("the disk is full")
        self.done += 1


@pytest.fixture
def work():
    return Work()


async def test_it_is_done_once_for_all_who_asked_meanwhile(work):
    later = Later(work, SOON_S)
    later.wake()
    later.wake()
    at_once = work.done
    await asyncio.sleep(10 * SOON_S)

    assert (at_once, work.done) == (0, 1)


async def test_it_is_done_once_more_for_who_asks_while_it_is_done(work):
    later = Later(work, 0)
    work.go_on.clear()
    later.wake()
    await work.begun.wait()
    later.wake()
    work.go_on.set()
    await later.finish()

    assert work.done == 2


async def test_at_the_end_what_is_wanted_is_done_without_delay(work):
    later = Later(work, NEVER_S)
    later.wake()
    await later.finish()

    assert work.done == 1


async def test_at_the_end_nothing_is_done_that_nobody_wants(work):
    await Later(work, NEVER_S).finish()

    assert work.done == 0


async def test_a_failure_is_logged_and_the_next_try_succeeds(work, caplog):
    later = Later(work, 0)
    work.is_broken = True
    later.wake()
    await later.finish()
    work.is_broken = False
    later.wake()
    await later.finish()

    assert "the disk is full" in caplog.text
    assert work.done == 1

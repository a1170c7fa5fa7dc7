"""Events are numbered without a gap, and a lost one is always told."""

import asyncio

import pytest

from st_bme.protocol.events import JobEvent, SettingsEvent
from st_bme.protocol.results import Notice
from st_bme.session.event_log import EventLog


async def take(reader, count):
    return [await asyncio.wait_for(anext(reader), 1) for _ in range(count)]


def summary(events):
    return [(event.number, event.name) for event in events]


def publish(log, count):
    return [log.publish("settings", SettingsEvent()) for _ in range(count)]


async def test_a_new_reader_begins_with_the_next_event():
    log = EventLog(100)
    publish(log, 2)

    reader = log.subscribe(None)
    publish(log, 2)

    assert summary(await take(reader, 3)) == [(101, "ready"), (102, "settings"), (103, "settings")]


async def test_a_reader_that_comes_back_gets_what_it_missed():
    log = EventLog(100)
    publish(log, 4)

    reader = log.subscribe(101)

    assert summary(await take(reader, 3)) == [(101, "ready"), (102, "settings"), (103, "settings")]


async def test_a_reader_that_missed_nothing_waits():
    log = EventLog(100)
    publish(log, 1)
    reader = log.subscribe(100)
    assert summary(await take(reader, 1)) == [(100, "ready")]

    with pytest.raises(TimeoutError):
        await asyncio.wait_for(anext(reader), 0.05)


async def test_a_reader_that_was_away_too_long_is_told_of_the_gap():
    log = EventLog(1, kept_events=3)
    publish(log, 10)

    reader = log.subscribe(5)
    publish(log, 1)

    assert summary(await take(reader, 2)) == [(10, "gap"), (11, "settings")]


@pytest.mark.parametrize("last_id", [0, 57, 5_000])
async def test_a_number_of_another_run_is_a_gap(last_id):
    log = EventLog(1_000)
    publish(log, 2)

    assert summary(await take(log.subscribe(last_id), 1)) == [(1_001, "gap")]


async def test_a_slow_reader_is_told_of_the_gap_and_holds_nobody_up():
    log = EventLog(1, kept_events=3)
    slow = log.subscribe(None)
    quick = log.subscribe(None)
    await take(slow, 1)
    await take(quick, 1)
    seen = []
    for _ in range(10):
        publish(log, 1)
        seen += await take(quick, 1)

    assert summary(seen) == [(number, "settings") for number in range(1, 11)]
    assert summary(await take(slow, 1)) == [(10, "gap")]
    publish(log, 1)
    assert summary(await take(slow, 1)) == [(11, "settings")]


async def test_the_ring_is_bounded_by_bytes_too():
    log = EventLog(1, kept_bytes=3_000)
    for _ in range(10):
        log.publish("notice", Notice(code="x" * 1_000, level="info"))

    assert summary(await take(log.subscribe(7), 1)) == [(10, "gap")]
    assert summary(await take(log.subscribe(8), 2)) == [(8, "ready"), (9, "notice")]


async def test_an_event_that_alone_is_over_the_bound_still_arrives():
    log = EventLog(1, kept_bytes=10)
    reader = log.subscribe(None)

    log.publish("notice", Notice(code="x" * 1_000, level="info"))

    assert summary(await take(reader, 2)) == [(0, "ready"), (1, "notice")]


async def test_a_cancelled_wait_loses_nothing():
    log = EventLog(1)
    reader = log.subscribe(None)
    await take(reader, 1)
    for _ in range(3):
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(anext(reader), 0.01)

    publish(log, 2)

    assert summary(await take(reader, 2)) == [(1, "settings"), (2, "settings")]


async def test_bye_is_the_last_event():
    log = EventLog(1)
    reader = log.subscribe(None)
    publish(log, 1)

    log.close()
    ignored = log.publish("settings", SettingsEvent())

    assert summary([event async for event in reader]) == [(0, "ready"), (1, "settings"), (2, "bye")]
    assert ignored == 2


async def test_an_event_carries_its_json():
    log = EventLog(1)
    reader = log.subscribe(None)

    log.publish("job", JobEvent(lineage="abcd", task="extract", state="done", done=1, total=1))

    _, job = await take(reader, 2)
    assert job.data == (b'{"lineage":"abcd","task":"extract","state":"done","done":1,"total":1,"reason":""}')

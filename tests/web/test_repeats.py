"""One effect for a command that is sent twice."""

import asyncio

import pytest

from st_bme.protocol.results import Extracted
from st_bme.web.repeats import KEPT_ANSWERS, Repeats


class Counting:
    def __init__(self, fails: int = 0) -> None:
        self.runs = 0
        self.fails = fails
        self.go_on = asyncio.Event()

    async def __call__(self) -> Extracted:
        self.runs += 1
        await self.go_on.wait()
        if self.runs <= self.fails:
            raise RuntimeError("no")
        return Extracted(records=self.runs, operations=0, refused=0, calls=0, pending=0)


async def test_a_repeat_under_way_waits_for_the_first_and_gets_its_answer():
    repeats, command = Repeats(), Counting()
    first = asyncio.create_task(repeats.once("/v1/a", {"id": "x"}, command))
    second = asyncio.create_task(repeats.once("/v1/a", {"id": "x"}, command))
    await asyncio.sleep(0)
    command.go_on.set()

    assert (await first).records == (await second).records == 1
    assert command.runs == 1


async def test_a_repeat_after_the_answer_gets_it_again():
    repeats, command = Repeats(), Counting()
    command.go_on.set()
    await repeats.once("/v1/a", {"id": "x"}, command)

    assert (await repeats.once("/v1/a", {"id": "x"}, command)).records == 1


@pytest.mark.parametrize("body", [{}, {"id": ""}, {"id": 5}, []], ids=str)
async def test_without_an_id_each_command_is_run(body):
    repeats, command = Repeats(), Counting()
    command.go_on.set()
    await repeats.once("/v1/a", body, command)
    await repeats.once("/v1/a", body, command)

    assert command.runs == 2


async def test_another_route_is_another_command():
    repeats, command = Repeats(), Counting()
    command.go_on.set()
    await repeats.once("/v1/a", {"id": "x"}, command)
    await repeats.once("/v1/b", {"id": "x"}, command)

    assert command.runs == 2


async def test_a_failed_command_is_run_again():
    repeats, command = Repeats(), Counting(fails=1)
    command.go_on.set()
    with pytest.raises(RuntimeError):
        await repeats.once("/v1/a", {"id": "x"}, command)

    assert (await repeats.once("/v1/a", {"id": "x"}, command)).records == 2


async def test_a_caller_that_goes_away_does_not_stop_the_command():
    repeats, command = Repeats(), Counting()
    first = asyncio.create_task(repeats.once("/v1/a", {"id": "x"}, command))
    await asyncio.sleep(0)
    first.cancel()
    command.go_on.set()

    assert (await repeats.once("/v1/a", {"id": "x"}, command)).records == 1


async def test_only_the_last_answers_are_kept():
    repeats, command = Repeats(), Counting()
    command.go_on.set()
    for number in range(KEPT_ANSWERS + 1):
        await repeats.once("/v1/a", {"id": str(number)}, command)
    await repeats.once("/v1/a", {"id": "0"}, command)

    assert command.runs == KEPT_ANSWERS + 2

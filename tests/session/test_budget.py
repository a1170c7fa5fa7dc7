"""What calls cost is counted, and a budget of the day keeps background work from going beyond it."""

import asyncio
import json
from datetime import datetime

import pytest

from session.desk import Page, serving
from st_bme.adapters.model_extractor import ModelExtractor
from st_bme.adapters.testing import ScriptedChatModel
from st_bme.errors import ModelFailed, ModelTimeout
from st_bme.ports import ChatPrompt, ChatReply
from st_bme.protocol import commands

EVENT = json.dumps(
    {"operations": [{"action": "create", "type": "event", "fields": {"summary": "They met"}, "cite": "#1"}]}
)


class PricedModel(ScriptedChatModel):
    """An endpoint that tells what a call took."""

    def __init__(self, *, asked=900, said=100):
        super().__init__(lambda _: EVENT)
        self._told = asked, said

    async def complete(self, prompt, *, timeout_s):
        reply = await super().complete(prompt, timeout_s=timeout_s)
        return ChatReply(reply.text, self.name, *self._told)


def budget_in(folder, model):
    return serving(folder, ModelExtractor, model)


def page_of(desk, **settings):
    """A page whose chat is read and never tended, unless the settings say so."""
    upkeep = ("enableConsolidation", "enableHierarchicalSummary", "enableAutoCompression")
    return Page(desk, **(dict.fromkeys(upkeep, False) | settings))


async def used(desk, days=1):
    return await desk.bridge.usage(commands.Usage(days=days))


def waits(page):
    return [notice["code"] for notice in page.told if notice["code"].startswith("budget_")]


async def test_calls_are_counted_by_day_chat_and_task(tmp_path):
    async with budget_in(tmp_path, PricedModel()) as desk:
        page = page_of(desk)
        await page.attach()
        await page.turn("hello", "good evening")
        await page.turn("and then", "night fell")
        await desk.bridge.models_test(commands.ModelsTest(what="chat"))
        desk.clock.advance(86_400_000)
        await page.turn("and then", "day broke")
        report = await used(desk, days=2)

        told = [(row.chat, row.task, row.calls, row.prompt_tokens, row.answer_tokens) for row in report.entries]
        assert told == [
            ("Chat", "extraction", 1, 900, 100),
            ("Chat", "extraction", 2, 1_800, 200),
            ("", "test", 1, 900, 100),
        ]
        assert (report.calls, report.tokens) == (1, 1_000)
        assert report.entries[0].lineage == page.lineage
        assert report.entries[0].day == report.today > report.entries[1].day


async def test_tokens_that_nobody_tells_are_estimated(tmp_path):
    model = ScriptedChatModel(lambda _: EVENT)
    async with budget_in(tmp_path, model) as desk:
        page = page_of(desk)
        await page.attach()
        await page.turn("hello", "good evening")
        (row,) = (await used(desk)).entries

        prompt = model.prompts[0]
        letters = len(prompt.system) + len(prompt.user)
        assert letters / 6 < row.prompt_tokens < letters / 2
        assert len(EVENT) / 6 < row.answer_tokens < len(EVENT)


@pytest.mark.parametrize("told", [10**400, 2**63, -5], ids=["beyond a float", "beyond the store", "less than none"])
async def test_tokens_that_nobody_can_have_used_are_estimated(tmp_path, told):
    async with budget_in(tmp_path, PricedModel(asked=told, said=told)) as desk:
        page = page_of(desk)
        await page.attach()
        await page.turn("hello", "good evening")
        (row,) = (await used(desk)).entries

        assert 0 < row.prompt_tokens < 10_000
        assert 0 < row.answer_tokens < len(EVENT)
        assert desk.session(page.lineage).graph.nodes


@pytest.mark.parametrize(
    ("error", "counts_prompt"), [(ModelTimeout("late"), True), (ModelFailed("down"), False)], ids=["late", "down"]
)
async def test_a_call_that_failed_counts_its_prompt_only_if_it_may_have_been_worked_on(tmp_path, error, counts_prompt):
    async with budget_in(tmp_path, ScriptedChatModel([error])) as desk:
        page = page_of(desk)
        await page.attach()
        await page.turn("hello", "good evening")
        (row,) = (await used(desk)).entries

        assert (row.calls, row.answer_tokens) == (1, 0)
        assert (row.prompt_tokens > 0) == counts_prompt


async def test_what_was_used_today_is_known_after_a_restart(tmp_path):
    for _ in range(2):
        async with budget_in(tmp_path, PricedModel()) as desk:
            page = page_of(desk)
            await page.attach()
            await page.turn("hello", "good evening")
            before = (await used(desk)).tokens
            page.chat.send("and", "then")

    assert before == 2_000


async def test_reading_waits_when_the_budget_is_used_up_and_says_until_when(tmp_path):
    model = PricedModel()
    async with budget_in(tmp_path, model) as desk:
        page = page_of(desk, dailyTokenBudget=1_500)
        await page.attach()
        for number in range(4):
            await page.turn(f"hello {number}", f"good evening {number}")

        assert len(model.prompts) == 2
        assert sum(desk.session(page.lineage).graph.pending) == 4
        assert waits(page) == ["budget_extraction"]
        data = next(notice for notice in page.told if notice["code"] == "budget_extraction")["data"]
        assert (data["used"], data["budget"]) == (2_000, 1_500)
        until = datetime.fromisoformat(data["until"])
        assert 0 < until.timestamp() - desk.clock.now_ms() / 1_000 <= 86_400


async def test_what_waited_is_read_by_itself_on_the_next_day(tmp_path, monkeypatch):
    loop = asyncio.get_running_loop()
    real_time, passed_s = loop.time, 0.0
    monkeypatch.setattr(loop, "time", lambda: real_time() + passed_s)
    model = PricedModel()
    async with budget_in(tmp_path, model) as desk:
        page = page_of(desk, dailyTokenBudget=1_000, idleMinutes=0)
        await page.attach()
        await page.turn("hello", "good evening")
        await page.turn("and", "then")
        assert len(model.prompts) == 1

        desk.clock.advance(86_400_000)
        passed_s += 86_400
        await asyncio.sleep(0.01)
        await page.settled()

        assert len(model.prompts) == 2
        assert not any(desk.session(page.lineage).graph.pending)


async def test_what_the_user_asks_for_is_done_beyond_the_budget(tmp_path):
    model = PricedModel()
    async with budget_in(tmp_path, model) as desk:
        page = page_of(desk, dailyTokenBudget=1_000)
        await page.attach()
        await page.turn("hello", "good evening")
        await page.turn("and", "then")
        extracted = await desk.bridge.extract(commands.ChatExtract(lineage=page.lineage))

        assert extracted.records == 1


async def test_upkeep_waits_before_reading_does(tmp_path):
    """At four fifths of the budget reading goes on, upkeep does not."""
    model = PricedModel()
    async with budget_in(tmp_path, model) as desk:
        page = page_of(desk, dailyTokenBudget=4_000, enableHierarchicalSummary=True, smallSummaryEveryNExtractions=1)
        await page.attach()
        await desk.bridge._tools.usage.note(ChatPrompt("", "", "", 1), ChatReply("", "", 3_500, 1))
        for number in range(3):
            await page.turn(f"hello {number}", f"good evening {number}")
        tasks = {row.task for row in (await used(desk)).entries}

        assert waits(page)[0] == "budget_upkeep"
        assert tasks == {"other", "extraction"}


async def test_catching_up_waits_before_reading_does_and_goes_on_the_next_day(tmp_path):
    model = PricedModel()
    async with budget_in(tmp_path, model) as desk:
        page = page_of(desk, dailyTokenBudget=10_000, extractAutoEnabled=False)
        for number in range(12):
            page.chat.send(f"hello {number}", f"good evening {number}")
        await page.attach()
        await desk.bridge.catch_up_start(commands.CatchUpStart(lineage=page.lineage))
        await idle(desk, page)
        await page.read_events()
        first = len(model.prompts)
        assert 9 <= first < 12
        assert waits(page) == ["budget_catch_up"]
        assert [job["state"] for job in page.jobs if job["task"] == "catch_up"][-1] == "waiting"

        desk.clock.advance(86_400_000)
        desk.bridge._go_on()
        await idle(desk, page)

        assert len(model.prompts) == 12
        assert {row.task for row in (await used(desk, days=2)).entries} == {"catch_up"}


async def test_without_a_model_there_is_nothing_to_save(tmp_path):
    async with serving(tmp_path) as desk:
        page = Page(desk, dailyTokenBudget=1)
        await page.attach()
        await page.turn("hello", "[character Bob]")

        assert page.names() == {"Bob"}


async def idle(desk, page):
    """Wait until the job neither reads nor is about to."""
    async with asyncio.timeout(20):
        while not desk.bridge._chats[page.lineage].catch_up.is_idle:  # noqa: ASYNC110 - the job tells nobody
            await asyncio.sleep(0.005)


"""Upkeep behind the replies: when, in which order, at what cost (docs/storage.md, rules 10, 24, 27 and 30)."""

import asyncio

import pytest

from session.desk import Page, serving
from session.kept_chats import COMPRESSING, play, session_of, tasks_asked, told, told_chat, upkeep_of
from st_bme.adapters.scripted_upkeep import scripted_upkeep
from st_bme.adapters.testing import ScriptedChatModel
from st_bme.protocol import commands


async def test_every_third_reply_is_summarised(tmp_path):
    async with told_chat(tmp_path, turns=7) as (page, model):
        session = session_of(page)
        assert tasks_asked(model) == ["summarise", "summarise"]
        assert [len(record.run) for record in upkeep_of(session)] == [6, 6]
        assert [node.fields["summary"] for node in session.graph.frontier()] == [
            " ".join(f"turn {place} {told('happening', place)}" for place in places)
            for places in (range(3), range(3, 6))
        ]


async def test_more_than_three_summaries_of_a_level_roll_up(tmp_path):
    async with told_chat(tmp_path, turns=4, smallSummaryEveryNExtractions=1) as (page, model):
        session = session_of(page)
        assert [summary.level for summary in session.graph.frontier()] == [0, 1]
        assert tasks_asked(model) == ["summarise"] * 4 + ["roll_up"]


async def test_older_events_are_condensed_and_come_back_with_an_undo(tmp_path):
    async with told_chat(tmp_path, turns=10, **COMPRESSING) as (page, _):
        session = session_of(page)
        [record] = upkeep_of(session, "compress")
        made = [node for node in session.graph.active_nodes() if node.level == 1]
        assert [node.fields["summary"] for node in made] == ["happening0 + happening1 + happening2"]
        assert len(session.graph.active_nodes()) == 8
        listed = await page.desk.bridge.history_list(commands.HistoryList(lineage=page.lineage))
        identity = next(entry.id for entry in listed.entries if entry.cause == "compress")
        await page.desk.bridge.history_undo(commands.HistoryUndo(lineage=page.lineage, records=[identity]))
        assert len(session.graph.active_nodes()) == 10
        assert record.reads.keys() == set(made[0].child_ids)


async def test_a_swipe_back_takes_no_call(tmp_path):
    async with told_chat(tmp_path, turns=3) as (page, model):
        before = session_of(page).graph
        page.chat.swipe("[event another]")
        await page.event("MESSAGE_SWIPED")
        await page.settled()
        calls = len(model.prompts)

        page.chat.swipe_back()
        await page.event("MESSAGE_SWIPED")
        await page.settled()

        assert len(model.prompts) == calls == 2
        assert session_of(page).graph.summaries == before.summaries


async def test_what_the_user_keeps_is_not_condensed(tmp_path):
    async with told_chat(tmp_path, turns=9, **COMPRESSING) as (page, _):
        session = session_of(page)
        pinned, edited = list(session.graph.nodes)[:2]
        await page.desk.bridge.graph_pin(commands.GraphPin(lineage=page.lineage, node=pinned, pinned=True))
        fields = {"summary": "my own words"}
        await page.desk.bridge.graph_update(commands.GraphUpdate(lineage=page.lineage, node=edited, fields=fields))

        await play(page, 4, first=9)

        assert upkeep_of(session, "compress")
        assert not session.graph.nodes[pinned].archived
        assert session.graph.nodes[edited].fields["summary"] == "my own words"
        assert not session.graph.nodes[edited].archived


async def test_reflections_tell_of_the_last_events(tmp_path):
    async with told_chat(tmp_path, turns=4, enableReflection=True, reflectEveryN=2) as (page, _):
        graph = session_of(page).graph
        reflections = [node for node in graph.active_nodes() if node.type == "reflection"]
        evolved = [edge for edge in graph.current_edges() if edge.relation == "evolves"]
        assert [node.importance for node in reflections] == [7, 7]
        assert [edge.strength for edge in evolved] == [0.75] * 5


async def test_there_is_one_synopsis_and_it_goes_on(tmp_path):
    async with told_chat(tmp_path, turns=6, enableSynopsis=True, synopsisEveryN=3) as (page, _):
        synopses = [node for node in session_of(page).graph.nodes.values() if node.type == "synopsis"]
        [active] = [node for node in synopses if not node.archived]
        assert len(synopses) == 2
        assert "happening5" in active.fields["summary"]
        assert active.importance == 9


async def test_without_a_model_nothing_is_asked_and_forgetting_goes_on(tmp_path):
    async with serving(tmp_path) as desk:
        page = Page(desk, enableSleepCycle=True, sleepEveryN=200)
        await page.attach()
        for place in range(202):
            page.chat.send(f"turn {place}", told("happening", place))
        await page.event("MESSAGE_RECEIVED")
        await page.settled()

        session = desk.session(page.lineage)
        assert [record.task for record in upkeep_of(session)] == ["forget", "forget"]
        assert [place for place, node in enumerate(session.graph.nodes.values()) if node.archived] == [0, 1]


async def test_a_day_of_play_is_not_forgotten(tmp_path):
    async with serving(tmp_path) as desk:
        page = Page(desk, enableSleepCycle=True, sleepEveryN=1, extractSettleS=100)
        await page.attach()
        for place in range(199):
            page.chat.send(f"turn {place}", told("happening", place))
        await page.event("MESSAGE_RECEIVED")

        await desk.bridge.extract(commands.ChatExtract(lineage=page.lineage))
        await desk.bridge.tend(commands.ChatUpkeep(lineage=page.lineage))

        assert not any(node.archived for node in desk.session(page.lineage).graph.nodes.values())


async def test_no_more_calls_than_a_reply_may_cost(tmp_path):
    scarce = {"smallSummaryEveryNExtractions": 1, "summaryRollupFanIn": 2, "maxCallsPerTurn": 1}
    async with told_chat(tmp_path, **scarce) as (page, model):
        calls = []
        for place in range(5):
            await play(page, 1, first=place)
            calls.append(len(model.prompts))

        assert calls == [1, 2, 3, 4, 5]


@pytest.mark.parametrize(("turns", "calls"), [(2, 1), (5, 1), (7, 1), (8, 1)])
async def test_asking_for_it_does_at_once_what_would_wait_in_as_few_calls_as_it_takes(tmp_path, turns, calls):
    """Two of every three replies wait at most; they become one summary."""
    async with told_chat(tmp_path, turns=turns) as (page, _):
        tended = await page.desk.bridge.tend(commands.ChatUpkeep(lineage=page.lineage, tasks=["summarise"]))

        assert (tended.records, tended.calls, tended.failed) == (calls, calls, 0)
        assert all(session_of(page).graph.condensed["summarise"])


async def test_leaving_the_chat_ends_upkeep_behind_the_call_under_way(tmp_path):
    asked, go_on = asyncio.Event(), asyncio.Event()

    class Slow(ScriptedChatModel):
        async def complete(self, prompt, *, timeout_s):
            asked.set()
            await go_on.wait()
            return await super().complete(prompt, timeout_s=timeout_s)

    model = Slow(scripted_upkeep)
    async with serving(tmp_path, model=model) as desk:
        page = Page(desk, smallSummaryEveryNExtractions=1)
        await page.attach()
        page.chat.send("one", "[event one]")
        page.chat.send("two", "[event two]")
        await page.event("GENERATION_ENDED")
        await asked.wait()

        await page.close()
        go_on.set()
        await page.settled()

        assert len(upkeep_of(desk.session(page.lineage))) == len(model.prompts) == 1


async def test_tasks_follow_one_another_in_their_order(tmp_path):
    """Consolidate, summarise, reflect, forget, compress; vectors are made as soon as a task changes a memory."""
    every = dict.fromkeys(("reflectEveryN", "synopsisEveryN", "sleepEveryN", "compressionEveryN"), 1)
    switches = dict.fromkeys(("enableReflection", "enableSynopsis", "enableSleepCycle"), True)
    costs = {"maxCallsPerTurn": 50, "smallSummaryEveryNExtractions": 10}
    async with told_chat(tmp_path, turns=9, **costs, **every, **switches) as (page, model):
        model.prompts.clear()

        await page.turn("last", "[event something happening] [event a happening] [event happening again]")

        assert tasks_asked(model) == ["consolidate", "summarise", "synopsis", "reflect", "compress"]


async def test_two_events_make_no_synopsis(tmp_path):
    async with told_chat(tmp_path, turns=2, enableSynopsis=True, synopsisEveryN=1) as (page, _):
        assert all(node.type == "event" for node in session_of(page).graph.nodes.values())

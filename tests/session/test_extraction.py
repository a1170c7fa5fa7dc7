"""When replies are read, and that none is read twice (docs/storage.md, rules 15 to 18)."""

import asyncio
import logging

import pytest

from session.desk import FailingExtractor, Page, SlowExtractor, content, serving
from st_bme.adapters.testing import ScriptedExtractor
from st_bme.protocol import commands


async def test_a_reply_is_read_once_it_has_settled(tmp_path):
    async with serving(tmp_path) as desk:
        page = Page(desk)
        await page.attach()

        await page.turn("hello", "[character Bob state=glad]")

        assert page.names() == {"Bob"}
        assert [len(run) for run in desk.extractor.runs] == [2]


async def test_a_user_message_waits_for_its_reply(tmp_path):
    async with serving(tmp_path) as desk:
        page = Page(desk)
        await page.attach()
        page.chat.send("[character Cleo]", "x")
        page.chat.lines.pop()

        await page.event("MESSAGE_SENT")
        await page.settled()

        assert desk.extractor.runs == []
        assert page.file["pending"] == [[0, 0]]


async def test_a_reply_swiped_before_it_settled_is_never_read(tmp_path):
    async with serving(tmp_path) as desk:
        page = Page(desk, extractSettleS=0.2)
        await page.attach()
        page.chat.send("hello", "[character Wrong]")
        await page.event("GENERATION_ENDED")
        page.chat.swipe("[character Right]")
        await page.event("GENERATION_AFTER_COMMANDS", "swipe")
        await page.event("GENERATION_ENDED")
        await page.settled()

        assert page.names() == {"Right"}
        assert len(desk.extractor.runs) == 1


async def test_a_reroll_holds_what_waits_to_be_read(tmp_path):
    async with serving(tmp_path) as desk:
        page = Page(desk, extractSettleS=0.05)
        await page.attach()
        page.chat.send("hello", "[character Wrong]")
        await page.event("GENERATION_ENDED")

        await page.event("GENERATION_AFTER_COMMANDS", "regenerate")
        await asyncio.sleep(0.15)

        assert desk.extractor.runs == []


async def test_a_new_message_reads_the_reply_before_it_at_once(tmp_path):
    async with serving(tmp_path) as desk:
        page = Page(desk, extractSettleS=100.0)
        await page.attach()
        page.chat.send("hello", "[character Bob]")
        await page.event("GENERATION_ENDED")

        await page.event("GENERATION_AFTER_COMMANDS", "normal")
        await page.settled()

        assert page.names() == {"Bob"}


async def test_a_dry_run_reads_nothing(tmp_path):
    async with serving(tmp_path) as desk:
        page = Page(desk, extractSettleS=100.0)
        await page.attach()
        page.chat.send("hello", "[character Bob]")

        await page.event("GENERATION_AFTER_COMMANDS", "normal", dry_run=True)
        await asyncio.sleep(0.05)

        assert desk.extractor.runs == []


async def test_a_chat_that_is_left_is_read_at_once(tmp_path):
    async with serving(tmp_path) as desk:
        page = Page(desk, extractSettleS=100.0)
        await page.attach()
        page.chat.send("hello", "[character Bob]")
        await page.event("GENERATION_ENDED")

        await page.close()
        await desk.extracted(page.lineage)

        assert len(desk.extractor.runs) == 1


async def test_swiping_back_costs_no_call(tmp_path):
    async with serving(tmp_path) as desk:
        page = Page(desk)
        await page.attach()
        await page.turn("hello", "[character First]")
        first = content(page.file)
        page.chat.swipe("[character Second]")
        await page.event("MESSAGE_SWIPED")
        await page.settled()
        assert page.names() == {"Second"}
        calls = len(desk.extractor.runs)

        page.chat.edit(-1, "[character First]")
        await page.event("MESSAGE_SWIPED")
        await page.settled()

        assert content(page.file) == first
        assert len(desk.extractor.runs) == calls


async def test_deleting_and_hiding_and_moving_cost_no_call(tmp_path):
    async with serving(tmp_path) as desk:
        page = Page(desk)
        await page.attach()
        for word in ("Bob", "Cleo", "Dan"):
            await page.turn(f"hello {word}", f"[character {word}]")
        page.chat.delete(2)
        await page.event("MESSAGE_DELETED")
        page.chat.move(0, 3)
        await page.event("MESSAGE_EDITED")
        page.chat.duplicate(1)
        await page.event("MESSAGE_EDITED")
        await page.settled()

        assert len(desk.extractor.runs) == 3
        assert page.names() == {"Bob", "Cleo", "Dan"}


async def test_a_chat_that_says_the_same_again_and_again_is_asked_about_once(tmp_path):
    async with serving(tmp_path) as desk:
        page = Page(desk, extractAutoEnabled=False)
        for _ in range(25):
            page.chat.send("ok", "[event Ann_nods]")
        await page.attach()

        extracted = await desk.bridge.extract(commands.ChatExtract(lineage=page.lineage))

        assert (extracted.pending, extracted.records) == (0, 1)
        assert len(desk.extractor.runs) == 1


async def test_a_failed_call_leaves_its_messages_pending_and_the_rest_is_read(tmp_path, caplog):
    caplog.set_level(logging.CRITICAL)
    async with serving(tmp_path, FailingExtractor()) as desk:
        page = Page(desk)
        for word in ("Bob", "Cleo", "Dan"):
            page.chat.send(f"hello {word}", f"[character {word}]" + (" [fail]" if word == "Cleo" else ""))
        await page.attach()
        await page.settled()

        assert page.names() == {"Bob", "Dan"}
        assert page.file["pending"] == [[2, 3]]

        again = await desk.bridge.extract(commands.ChatExtract(lineage=page.lineage))
        assert (again.records, again.failed, again.pending) == (0, 1, 2)

        desk.extractor.is_down = False
        extracted = await desk.bridge.extract(commands.ChatExtract(lineage=page.lineage))
        await page.read_events()

        assert (extracted.records, extracted.failed, extracted.pending) == (1, 0, 0)
        assert page.names() == {"Bob", "Cleo", "Dan"}


async def test_an_answer_that_was_paid_for_is_recorded_when_the_next_call_breaks(tmp_path, caplog):
    class Breaking(ScriptedExtractor):
        async def extract(self, request):
            if any("[break]" in message.text for message in request.run):
                raise ValueError("a fault of the extractor")
            return await super().extract(request)

    async with serving(tmp_path, Breaking()) as desk:
        page = Page(desk)
        page.chat.send("hello", "[character Bob]")
        page.chat.send("hello again", "[break]")
        await page.attach()
        await page.settled()

        assert page.names() == {"Bob"}
        assert "a fault of the extractor" in caplog.text


async def test_a_late_answer_to_a_message_that_is_gone_sleeps_until_it_is_back(tmp_path):
    async with serving(tmp_path, SlowExtractor()) as desk:
        page = Page(desk)
        await page.attach()
        page.chat.send("hello", "[character Bob]")
        await page.event("GENERATION_ENDED")
        await desk.extractor.asked.wait()
        page.chat.swipe("ok")
        desk.extractor.go.set()
        await page.event("MESSAGE_SWIPED")
        await page.settled()
        assert page.names() == set()
        calls = len(desk.extractor.runs)

        page.chat.edit(-1, "[character Bob]")
        await page.event("MESSAGE_SWIPED")
        await page.settled()

        assert page.names() == {"Bob"}
        assert len(desk.extractor.runs) == calls


async def test_runs_that_are_due_no_more_are_not_asked_about(tmp_path):
    async with serving(tmp_path, SlowExtractor()) as desk:
        page = Page(desk)
        page.chat.send("hello", "[character Bob]")
        page.chat.send("hello again", "[character Wrong]")
        await page.attach()
        await desk.extractor.asked.wait()
        page.chat.swipe("[character Right]")
        await page.event("MESSAGE_SWIPED")
        desk.extractor.go.set()
        await page.settled()

        assert page.names() == {"Bob", "Right"}
        assert len(desk.extractor.runs) == 2


async def test_a_recall_does_not_wait_for_an_extraction(tmp_path):
    async with serving(tmp_path, SlowExtractor()) as desk:
        page = Page(desk)
        desk.extractor.go.set()
        await page.attach()
        await page.turn("hello", "[character Bob state=glad]")
        desk.extractor.go.clear()
        desk.extractor.asked.clear()
        page.chat.send("hello again", "[character Cleo]")
        await page.event("GENERATION_ENDED")
        await desk.extractor.asked.wait()

        recalled = await asyncio.wait_for(page.recall("How is Bob?"), 5)

        assert "Bob" in recalled.text
        desk.extractor.go.set()
        await page.settled()
        assert page.names() == {"Bob", "Cleo"}


async def test_nothing_is_read_where_memory_is_off(tmp_path):
    async with serving(tmp_path) as desk:
        page = Page(desk, enabled=False)
        await page.attach()

        await page.turn("hello", "[character Bob]")

        assert desk.extractor.runs == []


@pytest.mark.parametrize(
    ("settings", "strengths"),
    [
        ({}, [0.25]),
        ({"extractDefaultBatchRelatedEdgeStrength": 0.5}, [0.5]),
        ({"extractDefaultBatchRelatedEdges": False}, []),
    ],
    ids=["by default", "stronger", "off"],
)
async def test_what_is_told_together_is_related_as_strongly_as_is_set(tmp_path, settings, strengths):
    async with serving(tmp_path) as desk:
        page = Page(desk, **settings)
        await page.attach()
        await page.turn("hello", "[character Bob] [character Cleo]")

        assert [edge.strength for edge in desk.session(page.lineage).graph.edges.values()] == strengths


async def test_filters_of_the_settings_hold_for_what_is_read_and_what_is_before_it(tmp_path):
    async with serving(tmp_path) as desk:
        page = Page(desk, extractAssistantExcludeTags="ooc", extractAssistantExcludeRules="(( ... ))")
        await page.attach()
        await page.turn("hello", "<ooc>[character Wrong]</ooc>[character Bob] ((aside))")
        await page.turn("and", "[character Cleo]")

        assert page.names() == {"Bob", "Cleo"}
        assert [message.text for message in desk.extractor.requests[-1].context] == ["hello", "[character Bob]"]


async def test_a_cap_of_messages_shortens_what_is_before_a_run(tmp_path):
    async with serving(tmp_path) as desk:
        page = Page(desk, extractContextTurns=5, extractRecentMessageCap=3)
        await page.attach()
        for word in ("Bob", "Cleo", "Dan"):
            await page.turn(f"hello {word}", f"[character {word}]")

        assert [len(request.context) for request in desk.extractor.requests] == [0, 1, 1]
        assert [len(request.run) for request in desk.extractor.requests] == [2, 2, 2]


async def test_what_cites_a_message_that_was_swiped_away_is_gone_with_it(tmp_path):
    async with serving(tmp_path) as desk:
        page = Page(desk, extractEvery=2)
        await page.attach()
        await page.turn("hello", "[character Bob]")
        await page.turn("and", "[character Cleo]")
        assert [len(run) for run in desk.extractor.runs] == [4]
        assert page.names() == {"Bob", "Cleo"}

        page.chat.swipe("nothing happens")
        await page.event("MESSAGE_SWIPED")
        await page.settled()

        assert page.names() == {"Bob"}

"""Reading a long chat as a job: its price, pauses, restarts, and that it comes to what reading turn by turn does."""

import asyncio

import pytest

from session.desk import FailingExtractor, Page, SlowExtractor, content, serving
from st_bme.adapters.testing import ScriptedExtractor
from st_bme.errors import BadRequest
from st_bme.protocol import commands

QUIET = {"extractAutoEnabled": False}


async def unread(desk, turns):
    """The page of a chat of so many turns, none of them read."""
    page = Page(desk, **QUIET)
    for number in range(turns):
        page.chat.send(f"hello {number}", f"[character Person{number}] [character Ann mood=m{number}]")
    await page.attach()
    return page


async def asking(desk, extractor, turns):
    """The page of a chat whose job waits for the answer to its first call."""
    page = await unread(desk, turns)
    await start(page)
    await asyncio.wait_for(extractor.asked.wait(), 5)
    return page


async def steer(page, action):
    return await page.desk.bridge.catch_up_steer(commands.CatchUpSteer(lineage=page.lineage, action=action))


async def start(page, **span):
    return await page.desk.bridge.catch_up_start(commands.CatchUpStart(lineage=page.lineage, **span))


async def price(page, **span):
    return await page.desk.bridge.catch_up_price(commands.CatchUpPrice(lineage=page.lineage, **span))


def job_of(page):
    return page.desk.bridge._chats[page.lineage].catch_up


async def finished(page):
    async with asyncio.timeout(20):
        while not job_of(page).is_idle:  # noqa: ASYNC110 - the job tells nobody in the process
            await asyncio.sleep(0.005)
    await page.read_events()


@pytest.mark.parametrize("batch", [1, 3])
async def test_a_job_comes_to_what_reading_turn_by_turn_does(tmp_path, batch):
    async with serving(tmp_path / "turns") as desk:
        page = Page(desk)
        await page.attach()
        for number in range(7):
            await page.turn(f"hello {number}", f"[character Person{number}] [character Ann mood=m{number}]")
        turn_by_turn = content(page.file)

    async with serving(tmp_path / "job") as desk:
        page = await unread(desk, 7)
        await start(page, batch=batch)
        await finished(page)

        assert content(page.file) == turn_by_turn
        assert [len(run) for run in desk.extractor.runs] == ([2] * 7 if batch == 1 else [6, 6, 2])
        assert (await price(page)).state == ""


async def test_a_span_is_read_and_nothing_else(tmp_path):
    async with serving(tmp_path) as desk:
        page = await unread(desk, 5)

        asked = await price(page, first=2, last=5)
        await start(page, first=2, last=5)
        await finished(page)

        assert asked.messages == 4
        assert [[message.floor for message in request.run] for request in desk.extractor.requests] == [[2, 3], [4, 5]]


async def test_progress_is_told_in_messages(tmp_path):
    async with serving(tmp_path) as desk:
        page = await unread(desk, 4)

        await start(page)
        await finished(page)

        jobs = [job for job in page.jobs if job["task"] == "catch_up"]
        assert (jobs[0]["state"], jobs[0]["done"], jobs[0]["total"]) == ("running", 0, 8)
        assert (jobs[-1]["state"], jobs[-1]["done"], jobs[-1]["total"]) == ("done", 8, 8)


async def test_a_pause_ends_behind_the_call_and_a_resume_goes_on(tmp_path):
    extractor = SlowExtractor()
    async with serving(tmp_path, extractor) as desk:
        page = await asking(desk, extractor, 3)

        paused = await steer(page, "pause")
        extractor.go.set()
        await finished(page)
        read = len(extractor.runs)
        await steer(page, "resume")
        await finished(page)

        assert paused.state == "paused"
        assert read < 3
        assert len(extractor.runs) == 3
        assert page.file.get("pending", []) == []


async def test_a_cancel_ends_at_once_and_keeps_what_was_read(tmp_path):
    extractor = SlowExtractor()
    async with serving(tmp_path, extractor) as desk:
        page = await asking(desk, extractor, 2)

        async with asyncio.timeout(1):
            cancelled = await steer(page, "cancel")

        assert cancelled.state == ""
        assert sum(desk.session(page.lineage).graph.pending) == 4
        assert (await start(page)).state == "running"


async def test_a_job_goes_on_after_a_restart(tmp_path):
    extractor = SlowExtractor()
    async with serving(tmp_path, extractor) as desk:
        page = await asking(desk, extractor, 3)

    async with serving(tmp_path) as desk:
        again = Page(desk, page.chat, file=page.file, **QUIET)
        await again.attach()
        await finished(again)

        assert len(desk.extractor.runs) == 3
        assert again.file.get("pending", []) == []


async def test_a_paused_job_stays_paused_after_a_restart(tmp_path):
    async with serving(tmp_path, SlowExtractor()) as desk:
        page = await unread(desk, 3)
        await start(page)
        await steer(page, "pause")

    async with serving(tmp_path) as desk:
        again = Page(desk, page.chat, file=page.file, **QUIET)
        await again.attach()

        assert (await price(again)).state == "paused"
        assert desk.extractor.runs == []


async def test_a_model_that_keeps_failing_pauses_the_job_with_the_reason(tmp_path):
    extractor = FailingExtractor()
    async with serving(tmp_path, extractor) as desk:
        page = Page(desk, **QUIET)
        for number in range(6):
            page.chat.send(f"hello {number}", f"[fail] [character P{number}]")
        await page.attach()
        await start(page)
        await finished(page)
        stopped = await price(page)

        extractor.is_down = False
        await steer(page, "resume")
        await finished(page)

        assert (stopped.state, stopped.reason) == ("paused", "the model is down")
        assert page.file.get("pending", []) == []


async def test_a_new_reply_is_read_while_the_job_goes_on(tmp_path):
    extractor = SlowExtractor()
    async with serving(tmp_path, extractor) as desk:
        page = Page(desk)
        await page.attach()
        page.chat.send("a", "[character Old]")
        page.chat.send("b", "[character Older]")
        page.settings["extractAutoEnabled"] = False
        await page.attach()
        await start(page, last=3)
        await asyncio.wait_for(extractor.asked.wait(), 5)
        extractor.go.set()

        await page.turn("c", "[character New]")
        await desk.bridge.extract(commands.ChatExtract(lineage=page.lineage))
        await finished(page)

        assert page.names() == {"Old", "Older", "New"}
        assert len(extractor.runs) == 3


class CountingExtractor(ScriptedExtractor):
    """Takes a moment for each call, and counts how many are made at the same time."""

    def __init__(self):
        super().__init__()
        self.now = self.most = 0

    async def extract(self, request):
        self.now += 1
        self.most = max(self.most, self.now)
        await asyncio.sleep(0.002)
        self.now -= 1
        return await super().extract(request)


async def test_however_many_ask_there_is_one_call_at_a_time_in_a_chat(tmp_path):
    extractor = CountingExtractor()
    async with serving(tmp_path, extractor) as desk:
        page = await unread(desk, 6)
        await start(page, first=0, last=7)
        page.settings["extractAutoEnabled"] = True
        await page.attach()
        by_hand = commands.ChatExtract(lineage=page.lineage)
        await asyncio.gather(
            page.turn("and", "[character New]"), desk.bridge.extract(by_hand), desk.bridge.extract(by_hand)
        )
        await finished(page)
        await desk.bridge.extract(by_hand)

        assert extractor.most == 1
        assert len(extractor.runs) == len({tuple(run) for run in extractor.runs}) == 7


async def test_jobs_of_several_chats_go_on_while_another_one_is_open(tmp_path):
    extractor = SlowExtractor()
    async with serving(tmp_path, extractor) as desk:
        pages = [Page(desk, name=f"Chat {number}", **QUIET) for number in range(3)]
        for number, page in enumerate(pages):
            for turn in range(3):
                page.chat.send(f"hello {turn}", f"[character Person{number}{turn}]")
            await page.attach()
            await start(page)
            await page.close()
        extractor.go.set()
        for page in pages:
            await finished(page)

        graphs = [desk.session(page.lineage).graph for page in pages]
        assert [{node.name for node in graph.active_nodes()} for graph in graphs] == [
            {f"Person{number}{turn}" for turn in range(3)} for number in range(3)
        ]
        assert not any(any(graph.pending) for graph in graphs)


async def test_there_is_one_job_a_chat(tmp_path):
    async with serving(tmp_path, SlowExtractor()) as desk:
        page = await unread(desk, 2)
        await start(page)

        with pytest.raises(BadRequest):
            await start(page)


async def test_what_is_read_already_can_be_read_again_and_the_new_answer_counts(tmp_path):
    async with serving(tmp_path) as desk:
        page = await unread(desk, 3)
        await start(page)
        await finished(page)
        before, behind = content(page.file), desk.session(page.lineage).records.highest_n

        asked, nothing = await price(page, again=True), await price(page)
        await start(page, again=True)
        await finished(page)

        assert (asked.messages, nothing.messages) == (6, 0)
        assert [len(run) for run in desk.extractor.runs[3:]] == [2] * 3
        assert content(page.file) == before
        assert all(owner.answer.stamp.n > behind for owner in desk.session(page.lineage).graph.coverage.owners)


async def test_reading_again_keeps_what_the_user_did_and_what_they_undid(tmp_path):
    async with serving(tmp_path) as desk:
        page = await unread(desk, 3)
        await start(page)
        await finished(page)
        session = desk.session(page.lineage)
        ann = next(node for node in session.graph.nodes.values() if node.name == "Ann")
        by_hand = commands.GraphUpdate(lineage=page.lineage, node=ann.id, fields={"mood": "calm"})
        await desk.bridge.graph_update(by_hand)
        first = session.graph.coverage.owners[0].answer_id
        await desk.bridge.history_undo(commands.HistoryUndo(lineage=page.lineage, records=[first]))

        await start(page, again=True)
        await finished(page)

        assert session.graph.nodes[ann.id].fields["mood"] == "calm"
        assert "Person0" not in page.names()
        assert [len(run) for run in desk.extractor.runs[3:]] == [2, 2]


async def test_undoing_a_new_answer_brings_the_old_one_back(tmp_path):
    async with serving(tmp_path) as desk:
        page = await unread(desk, 1)
        await start(page)
        await finished(page)
        session = desk.session(page.lineage)
        old = session.graph.coverage.owners[0].answer_id
        await start(page, again=True)
        await finished(page)
        new = session.graph.coverage.owners[0].answer_id

        await desk.bridge.history_undo(commands.HistoryUndo(lineage=page.lineage, records=[new]))

        assert new != old
        assert session.graph.coverage.owners[0].answer_id == old


async def test_reading_again_goes_on_after_a_restart_where_it_was(tmp_path):
    extractor = SlowExtractor()
    async with serving(tmp_path) as desk:
        page = await unread(desk, 3)
        await start(page)
        await finished(page)
    async with serving(tmp_path, extractor) as desk:
        page = Page(desk, page.chat, file=page.file, **QUIET)
        await page.attach()
        await start(page, again=True, last=1)
        await asyncio.wait_for(extractor.asked.wait(), 5)
        await steer(page, "pause")
    async with serving(tmp_path) as desk:
        page = Page(desk, page.chat, file=page.file, **QUIET)
        await page.attach()
        await steer(page, "resume")
        await finished(page)

        assert [[message.floor for message in request.run] for request in desk.extractor.requests] == [[0, 1]]
        assert (await price(page)).state == ""

"""What upkeep costs in calls: where the chat changes below what was made of it, and where calls fail."""

import pytest

from session.kept_chats import COMPRESSING, play, session_of, tasks_asked, told_chat, upkeep_of
from st_bme.adapters.scripted_upkeep import scripted_upkeep
from st_bme.adapters.testing import ScriptedChatModel
from st_bme.errors import ModelFailed
from st_bme.graph.records import Upkeep
from st_bme.ports import ChatReply
from st_bme.protocol import commands
from st_bme.upkeep.schedule import replies_since

SUMMARISING = {"enableAutoCompression": False}
ROLLING = SUMMARISING | {"smallSummaryEveryNExtractions": 1}
MERGING = {"enableHierarchicalSummary": False, "enableAutoCompression": False, "conflictThreshold": 0.6}
LAMP, AGAIN = "the lamp went out", "the lamp went out 2"


def delete(chat, place):
    chat.delete(place, 1)


def edit(text):
    return lambda chat, place: chat.edit(place, f"[event {text}]")


def told_by(session):
    """All that the memories and summaries in force say."""
    graph = session.graph
    return " | ".join(next(iter(node.fields.values())) for node in (*graph.active_nodes(), *graph.frontier()))


@pytest.mark.parametrize(
    ("turns", "settings", "change", "calls"),
    [
        pytest.param(6, SUMMARISING, edit("changed"), ["summarise"], id="edit below a summary"),
        pytest.param(6, SUMMARISING, delete, ["summarise"], id="deletion below a summary"),
        pytest.param(4, ROLLING, edit("changed"), ["summarise", "roll_up"], id="edit below a summary of summaries"),
        pytest.param(10, COMPRESSING, edit("changed"), ["compress"], id="edit below a compression"),
        pytest.param(10, COMPRESSING, delete, [], id="deletion that leaves too few to condense"),
        pytest.param(11, COMPRESSING, delete, ["compress"], id="deletion that leaves enough to condense"),
    ],
)
async def test_what_was_made_of_a_changed_message_is_made_anew_and_nothing_else(
    tmp_path, turns, settings, change, calls
):
    async with told_chat(tmp_path, turns=turns, **settings) as (page, model):
        session = session_of(page)
        assert "happening0" in told_by(session)
        model.prompts.clear()

        change(page.chat, 1)
        await page.event("MESSAGE_EDITED")
        await page.settled()

        assert tasks_asked(model) == calls
        assert "happening0" not in told_by(session)
        assert "happening1" in told_by(session)
        await page.desk.bridge.event(
            commands.ChatEvent(lineage=page.lineage, page=page.page, event="GENERATION_ENDED", args=[])
        )
        await page.settled()
        assert tasks_asked(model) == calls


@pytest.mark.parametrize(
    ("place", "change", "calls", "told"),
    [
        pytest.param(1, edit("Bob slept"), 0, ["Bob slept", AGAIN], id="the old one became another"),
        pytest.param(3, edit("Bob slept"), 0, ["Bob slept", LAMP], id="the new one became another"),
        pytest.param(1, edit("the lamp went out 3"), 1, [f"the lamp went out 3 + {AGAIN}"], id="the old one is alike"),
        pytest.param(3, edit("the lamp went out 3"), 1, [f"{LAMP} + the lamp went out 3"], id="the new one is alike"),
        pytest.param(1, delete, 0, [AGAIN], id="the old one is deleted"),
        pytest.param(3, delete, 0, [LAMP], id="the new one is deleted"),
    ],
)
async def test_a_merge_falls_apart_with_what_it_merged_and_is_judged_anew_where_need_be(
    tmp_path, place, change, calls, told
):
    async with told_chat(tmp_path, **MERGING) as (page, model):
        await page.turn("hello", f"[event {LAMP}]")
        await page.turn("then", f"[event {AGAIN}]")
        session = session_of(page)
        assert told_by(session) == f"{LAMP} + {AGAIN}"
        model.prompts.clear()

        change(page.chat, place)
        await page.event("MESSAGE_EDITED")
        await page.settled()

        assert len(model.prompts) == calls
        assert sorted(node.fields["summary"] for node in session.graph.active_nodes()) == sorted(told)


class Failing(ScriptedChatModel):
    """Fails at each call of this number and its multiples, at none for 0; each that succeeds costs one token."""

    def __init__(self, every):
        super().__init__(scripted_upkeep)
        self._every = every
        self._calls = 0
        self.is_down = True

    async def complete(self, prompt, *, timeout_s):
        self._calls += 1
        if self.is_down and self._every and self._calls % self._every == 0:
            raise ModelFailed("the model is down")
        reply = await super().complete(prompt, timeout_s=timeout_s)
        return ChatReply(reply.text, reply.model, prompt_tokens=1)


UNJUDGED = {"enableConsolidation": False, "enablePreciseConflict": False}
BY_WHAT_THERE_IS = {"summarise": ROLLING | UNJUDGED, "compress": COMPRESSING | UNJUDGED, "consolidate": MERGING}
BY_REPLIES = {
    "synopsis": MERGING | UNJUDGED | {"enableSynopsis": True, "synopsisEveryN": 2},
    "reflect": MERGING | UNJUDGED | {"enableReflection": True, "reflectEveryN": 2},
}


async def kept(folder, model, **settings):
    """The session of a chat of twelve turns, and one more in which no call fails."""
    async with told_chat(folder, model=model, maxCallsPerTurn=50, **settings) as (page, _):
        session = session_of(page)
        for place in range(12):
            await play(page, 1, first=place)
            records = [record for record in session.records.all() if isinstance(record, Upkeep)]
            assert len(upkeep_of(session)) == len(records) == len({record.memo_key for record in records})
            assert sum(record.stamp.tokens for record in records) == len(model.prompts)
        model.is_down = False
        await page.turn("and", "then")
        assert len({prompt.user for prompt in model.prompts}) == len(model.prompts)
        return session


@pytest.mark.parametrize("every", [1, 2, 3, 5])
@pytest.mark.parametrize("task", BY_WHAT_THERE_IS)
async def test_each_failing_call_is_made_again_and_nothing_is_half_done_or_paid_twice(
    tmp_path, monkeypatch, task, every
):
    """In the end all is as it would be without a failure."""
    monkeypatch.setattr("st_bme.session.setbacks.FIRST_REST_S", 0.0)

    whole = await kept(tmp_path / "whole", Failing(0), **BY_WHAT_THERE_IS[task])
    failing = await kept(tmp_path / "failing", Failing(every), **BY_WHAT_THERE_IS[task])

    assert upkeep_of(failing, task)
    assert sorted(told_by(failing).split(" | ")) == sorted(told_by(whole).split(" | "))


@pytest.mark.parametrize("every", [1, 2, 3, 5])
@pytest.mark.parametrize("task", BY_REPLIES)
async def test_what_is_due_by_replies_is_done_behind_the_next_one_if_it_fails(tmp_path, monkeypatch, task, every):
    monkeypatch.setattr("st_bme.session.setbacks.FIRST_REST_S", 0.0)

    session = await kept(tmp_path / "failing", Failing(every), **BY_REPLIES[task])

    assert upkeep_of(session, task)
    assert replies_since(task, session.graph, session.view.roles, session.records) < 2


@pytest.mark.parametrize("is_down", [True, False])
async def test_each_task_that_ran_says_how_it_ended_with_its_own_count(tmp_path, is_down):
    """So that the page's line about it goes, and what stands against its model."""
    model = Failing(1)
    async with told_chat(tmp_path, model=model, maxCallsPerTurn=50, **ROLLING | UNJUDGED) as (page, _):
        await play(page, 6)
        assert any(job["task"] == "summarise" for job in page.jobs)
        page.jobs.clear()
        model.is_down = is_down

        await page.desk.bridge.tend(commands.ChatUpkeep(lineage=page.lineage))
        await page.read_events()

        made = len(upkeep_of(session_of(page), "summarise"))
        ended = {job["task"]: (job["state"], job["done"], job["total"]) for job in page.jobs}

    assert ended["summarise"] == (("failed", 0, 0) if is_down else ("done", made, made))
    assert is_down == (made == 0)
    assert "upkeep" not in ended
    assert all(state != "running" for state, _, _ in ended.values())

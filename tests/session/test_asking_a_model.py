"""What a chat asks a model for, and what becomes of its answer."""

import json
import re

from session.desk import Page, content, serving
from st_bme.adapters.model_extractor import MOST_TRIES, ModelExtractor
from st_bme.adapters.testing import ScriptedChatModel
from st_bme.protocol import commands


def answering(*operations, **beside):
    """A model that always says this, citing the last message that it was shown."""

    def answer(prompt):
        last = re.findall(r"^#(\d+) \[", prompt.user, re.MULTILINE)[-1]
        cited = [{**operation, "cite": f"#{last}"} for operation in operations]
        return json.dumps({"operations": cited, **beside})

    return ScriptedChatModel(answer)


MEETING = {"action": "create", "type": "event", "fields": {"summary": "They met at the lighthouse"}}


async def test_an_answer_becomes_memories_story_time_and_variables(tmp_path):
    model = answering(
        MEETING,
        batchStoryTime={"label": "dusk", "advancesActiveTimeline": True},
        regionUpdates={"activeRegionHint": "Mill"},
        cognitionUpdates=[{"ownerName": "Ann", "knownRefs": ["op0"]}],
        variables={"mood": "glad", "secret": "x"},
    )
    async with serving(tmp_path, ModelExtractor(model), model) as desk:
        page = Page(desk, trackedVariables="mood: how Ann feels")
        await page.attach()
        await page.turn("hello", "good evening")
        graph = desk.session(page.lineage).graph

        assert [node.name for node in graph.active_nodes()] == ["They met at the lighthouse"]
        assert graph.ledgers.active_segment.label == "dusk"
        assert graph.ledgers.active_region() == "Mill"
        assert [known.owner_name for known in graph.ledgers.knowledge.values()] == ["Ann"]
        assert [(each.name, each.value) for each in graph.ledgers.variables.values()] == [("mood", "glad")]


async def test_the_next_prompt_tells_what_is_known_by_then(tmp_path):
    model = answering(
        MEETING, batchStoryTime={"label": "dusk", "advancesActiveTimeline": True}, variables={"mood": "glad"}
    )
    async with serving(tmp_path, ModelExtractor(model), model) as desk:
        page = Page(desk, trackedVariables="mood: how Ann feels")
        await page.attach()
        await page.turn("hello", "good evening")
        await page.turn("who else stood at the lighthouse?", "by the well")
        user = model.prompts[-1].user

        for told in ("event 1", "N1 [event] ", "They met at the lighthouse", "[dusk]", "mood: how Ann feels (= glad)"):
            assert told in user


async def test_runs_that_are_read_together_know_what_those_before_them_wrote(tmp_path):
    model = answering(MEETING)
    async with serving(tmp_path, ModelExtractor(model), model) as desk:
        page = Page(desk, extractAutoEnabled=False)
        await page.attach()
        page.chat.send("hello", "good evening")
        page.chat.send("who else stood at the lighthouse?", "by the well")
        await page.event("MESSAGE_RECEIVED")
        extracted = await desk.bridge.extract(commands.ChatExtract(lineage=page.lineage))

        assert extracted.records == 2
        assert ["N1 [event] " in prompt.user for prompt in model.prompts] == [False, True]


async def test_a_message_too_long_for_a_prompt_loses_its_middle(tmp_path):
    model = answering(MEETING)
    async with serving(tmp_path, ModelExtractor(model), model) as desk:
        page = Page(desk, extractMaxChars=1_000, extractPromptStructuredMode="transcript")
        await page.attach()
        await page.turn("hello", f"It began. {'Then it rained. ' * 500} It ended.")
        user = model.prompts[0].user

        assert "hello" in user
        assert "It began." in user
        assert "It ended." in user
        assert user.count("Then it rained.") < 1_000 / len("Then it rained. ")


async def test_what_the_page_says_is_told_where_the_user_wants_it(tmp_path):
    model = answering()
    async with serving(tmp_path, ModelExtractor(model), model) as desk:
        page = Page(desk, extractIncludeCard=True)
        await page.attach()
        said = commands.ChatBackground(
            lineage=page.lineage, persona="a sailor", card="a clockmaker", world_info="tides"
        )
        await desk.bridge.background(said)
        await page.turn("hello", "good evening")

        assert "a sailor" in model.prompts[0].user
        assert "a clockmaker" in model.prompts[0].user
        assert "tides" not in model.prompts[0].user


async def test_an_unusable_answer_changes_nothing_and_its_messages_stay_pending(tmp_path):
    model = ScriptedChatModel(lambda _: "I cannot help with that.")
    async with serving(tmp_path, ModelExtractor(model), model) as desk:
        page = Page(desk)
        await page.attach()
        before = content(page.file)
        await page.turn("hello", "good evening")

        assert len(model.prompts) == MOST_TRIES
        assert desk.session(page.lineage).graph.nodes == {}
        assert content(page.file)["nodes"] == before["nodes"]
        assert all(desk.session(page.lineage).graph.pending[-2:])
        assert [notice["code"] for notice in page.told] == ["answer_unusable"]


async def test_an_empty_answer_is_recorded_and_its_messages_are_not_read_again(tmp_path):
    model = ScriptedChatModel(lambda _: '{"has_key_information": false}')
    async with serving(tmp_path, ModelExtractor(model), model) as desk:
        page = Page(desk)
        await page.attach()
        await page.turn("hello", "good evening")
        again = await desk.bridge.extract(commands.ChatExtract(lineage=page.lineage))

        assert len(model.prompts) == 1
        assert (again.calls, again.pending) == (0, 0)


async def test_calls_are_counted_whether_they_were_of_use_or_not(tmp_path):
    answers = iter(["no", '{"operations":[]}', "no", "no", "no"])
    model = ScriptedChatModel(lambda _: next(answers))
    async with serving(tmp_path, ModelExtractor(model), model) as desk:
        page = Page(desk, extractAutoEnabled=False)
        await page.attach()
        counted = []
        for said in ("hello", "well?"):
            page.chat.send(said, "good evening")
            await page.event("MESSAGE_RECEIVED")
            counted.append((await desk.bridge.extract(commands.ChatExtract(lineage=page.lineage))).calls)

        assert counted == [2, 3]


async def test_a_run_that_was_left_out_is_shown_what_was_known_before_it(tmp_path):
    model = answering(MEETING)
    async with serving(tmp_path, ModelExtractor(model), model) as desk:
        page = Page(desk)
        await page.attach()
        await page.turn("hello", "good evening")
        await page.turn("and then", "night fell")
        page.chat.edit(1, "good morning, they met")
        await page.event("MESSAGE_EDITED", 1)
        await desk.bridge.extract(commands.ChatExtract(lineage=page.lineage))

        assert "good morning" in model.prompts[-1].user
        assert "event 1" in model.prompts[1].user
        assert "event" not in model.prompts[-1].user

"""What is told again under the same name, where no model can be asked whether it is new."""

from session.desk import Page, serving
from st_bme.adapters.testing import ScriptedChatModel
from st_bme.protocol import commands

FIRST = "[event the lamp of the old tower went out title=The_lamp]"
AGAIN = "[event The lamp of the old tower went out! title=the_lamp participants=Bob]"
ANOTHER = "[event Bob carried it home through the rain title=The_lamp]"


def events(session):
    return [node for node in session.graph.active_nodes() if node.type == "event"]


async def test_what_is_told_again_in_nearly_the_same_words_is_one_mention_more(tmp_path):
    async with serving(tmp_path) as desk:
        page = Page(desk)
        await page.attach()
        await page.turn("hello", FIRST)

        await page.turn("then", AGAIN)

        session = desk.session(page.lineage)
        [kept] = events(session)
        assert kept.mentions == 2
        assert kept.fields["summary"] == "the lamp of the old tower went out"
        assert set(kept.sources) >= {session.view.keys[1], session.view.keys[3]}


async def test_undo_takes_the_two_apart_and_they_stay_so(tmp_path):
    async with serving(tmp_path) as desk:
        page = Page(desk)
        await page.attach()
        await page.turn("hello", FIRST)
        await page.turn("then", AGAIN)
        listed = await desk.bridge.history_list(commands.HistoryList(lineage=page.lineage))
        [identity] = [entry.id for entry in listed.entries if entry.cause == "consolidate"]

        await desk.bridge.history_undo(commands.HistoryUndo(lineage=page.lineage, records=[identity]))
        await page.turn("and", "[event Bob slept]")

        session = desk.session(page.lineage)
        assert [node.mentions for node in events(session)] == [1, 1, 1]


async def test_one_name_for_two_things_is_left_alone(tmp_path):
    async with serving(tmp_path) as desk:
        page = Page(desk)
        await page.attach()
        await page.turn("hello", FIRST)

        await page.turn("then", ANOTHER)

        assert len(events(desk.session(page.lineage))) == 2


async def test_what_is_pinned_takes_nothing_in(tmp_path):
    async with serving(tmp_path) as desk:
        page = Page(desk)
        await page.attach()
        await page.turn("hello", FIRST)
        [told] = events(desk.session(page.lineage))
        await desk.bridge.graph_pin(commands.GraphPin(lineage=page.lineage, node=told.id, pinned=True))

        await page.turn("then", AGAIN)

        assert len(events(desk.session(page.lineage))) == 2


async def test_a_model_is_asked_where_there_is_one(tmp_path):
    model = ScriptedChatModel(lambda _: '{"results": [{"memory": "N1", "action": "keep"}]}')
    async with serving(tmp_path, model=model) as desk:
        page = Page(desk, enableHierarchicalSummary=False)
        await page.attach()
        await page.turn("hello", FIRST)

        await page.turn("then", AGAIN)

        assert [prompt.task for prompt in model.prompts] == ["consolidate"]
        assert len(events(desk.session(page.lineage))) == 2

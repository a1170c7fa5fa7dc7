"""The graph as the page draws it, and the counts of a chat."""

import pytest

from session.desk import Page, serving
from st_bme.errors import NotFound
from st_bme.protocol import commands


async def told_chat(desk):
    page = Page(desk)
    await page.attach()
    await page.turn("hello", "[character Ann mood=glad] [character Bo] [link Ann Bo]")
    await page.turn("and then", "[event The bell rang] [location Mill]")
    return page


async def draw(page, **wanted):
    return await page.desk.bridge.graph_draw(commands.GraphDraw(lineage=page.lineage, **wanted))


async def test_active_memories_and_the_relations_between_them_are_drawn(tmp_path):
    async with serving(tmp_path) as desk:
        page = await told_chat(desk)
        graph = desk.session(page.lineage).graph

        drawing = await draw(page)

        assert {node.name for node in drawing.nodes} == page.names()
        assert len(drawing.edges) == len(graph.current_edges()) > 0
        assert drawing.total == len(drawing.nodes)
        assert drawing.types == {"character": 2, "event": 1, "location": 1}
        degrees = {node.id: node.edges for node in drawing.nodes}
        assert sum(degrees.values()) == 2 * len(drawing.edges)


async def test_of_too_many_the_weightiest_are_drawn_and_all_are_counted(tmp_path):
    async with serving(tmp_path) as desk:
        page = await told_chat(desk)
        mill = next(node for node in (await draw(page)).nodes if node.name == "Mill")
        await desk.bridge.graph_pin(commands.GraphPin(lineage=page.lineage, node=mill.id, pinned=True))

        drawing = await draw(page, most=1)

        assert [node.name for node in drawing.nodes] == ["Mill"]
        assert drawing.total == 4


async def test_a_search_shows_what_says_it_and_what_is_joined_with_that(tmp_path):
    async with serving(tmp_path) as desk:
        page = await told_chat(desk)

        drawing = await draw(page, query="GLAD")

        found = {node.name for node in drawing.nodes if node.found}
        assert found == {"Ann"}
        assert "Bo" in {node.name for node in drawing.nodes}
        assert drawing.total == 1


async def test_what_was_put_away_is_found_by_a_search_alone(tmp_path):
    async with serving(tmp_path) as desk:
        page = await told_chat(desk)
        mill = next(node for node in (await draw(page)).nodes if node.name == "Mill")
        await desk.bridge.graph_archive(commands.GraphArchive(lineage=page.lineage, node=mill.id, archived=True))

        assert "Mill" not in {node.name for node in (await draw(page)).nodes}
        drawing = await draw(page, query="mill")
        (found,) = (node for node in drawing.nodes if node.found)
        assert (found.name, found.archived, drawing.total) == ("Mill", True, 1)
        assert "location" not in drawing.types

        assert (await draw(page, query="mill", types=["event"])).total == 0


async def test_types_can_be_left_out_and_stay_counted(tmp_path):
    async with serving(tmp_path) as desk:
        page = await told_chat(desk)

        drawing = await draw(page, types=["event"])

        assert [node.name for node in drawing.nodes] == ["The bell rang"]
        assert drawing.types["character"] == 2


async def test_one_memory_is_told_with_its_messages_and_neighbours(tmp_path):
    async with serving(tmp_path) as desk:
        page = await told_chat(desk)
        ann = next(node for node in (await draw(page)).nodes if node.name == "Ann")

        memory = await desk.bridge.graph_look(commands.GraphLook(lineage=page.lineage, node=ann.id))

        assert memory.fields["name"] == "Ann"
        assert [(source.floor, "[character Ann mood=glad]" in source.text) for source in memory.sources] == [(1, True)]
        assert "Bo" in {neighbour.name for neighbour in memory.neighbours}
        assert not memory.archived


async def test_a_memory_that_is_gone_is_not_found(tmp_path):
    async with serving(tmp_path) as desk:
        page = await told_chat(desk)

        with pytest.raises(NotFound):
            await desk.bridge.graph_look(commands.GraphLook(lineage=page.lineage, node="gone"))


async def test_statistics_count_what_there_is(tmp_path):
    async with serving(tmp_path) as desk:
        page = await told_chat(desk)
        bo = next(node for node in (await draw(page)).nodes if node.name == "Bo")
        await desk.bridge.graph_archive(commands.GraphArchive(lineage=page.lineage, node=bo.id, archived=True))
        page.chat.send("one more", "")
        await page.event("MESSAGE_SENT")

        told = await desk.bridge.statistics(commands.ChatStatistics(lineage=page.lineage))

        assert (told.messages, told.pending, told.last_floor) == (6, 2, 3)
        assert (told.active, told.archived, told.by_type) == (3, 1, {"character": 1, "event": 1, "location": 1})
        assert (told.texts, told.vectors) == (0, 0)  # nothing embeds here

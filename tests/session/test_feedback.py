"""What we put into a prompt never comes back as memory, whoever repeats it."""

from session.desk import Page, serving
from st_bme.adapters.heuristic_extractor import HeuristicExtractor
from st_bme.protocol import commands

STORY = (
    ("Where do you live?", "Iris Vale lives in the Clock Tower. She has a brother, Marek Vale, who guards the harbor."),
    ("And then?", "Marek Vale gave Iris Vale the silver key to the Clock Tower before he left for Northport."),
)


async def test_recalled_text_fed_back_writes_nothing_new(tmp_path):
    async with serving(tmp_path, HeuristicExtractor()) as desk:
        page = Page(desk)
        await page.attach()
        for said, reply in STORY:
            await page.turn(said, reply)
        known = page.names()
        recalled = await page.recall("What of Iris Vale and Marek Vale?")

        await page.turn(recalled.text, f"{recalled.steady}\n{recalled.text}")
        await desk.bridge.extract(commands.ChatExtract(lineage=page.lineage))
        await page.read_events()

        assert known
        assert "Iris Vale" in recalled.text + recalled.steady
        assert page.names() == known
        assert page.file.get("pending", []) == []


async def test_state_blocks_of_other_tools_write_nothing(tmp_path):
    async with serving(tmp_path, HeuristicExtractor()) as desk:
        page = Page(desk)
        await page.attach()
        block = '<UpdateVariable>Baron Orlov lives in Blackmoor Castle.</UpdateVariable>\n```json\n{"hp": "10"}\n```'

        await page.turn("Go on.", block)

        assert not any("Orlov" in name for name in page.names())

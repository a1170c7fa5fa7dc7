"""Memories of types that the user defined: asked for, written, shown again, recalled."""

import json
import re

from session.desk import Page, serving
from st_bme.adapters.model_extractor import ModelExtractor
from st_bme.adapters.testing import ScriptedChatModel
from st_bme.protocol import commands

TYPES = "spell (magic that someone can cast | 某人会的法术): name*, effect (what it does | 作用), cost"


def casting(*told):
    """A model that notes one spell a call, with these fields."""
    answers = iter(told)

    def answer(prompt):
        last = re.findall(r"^#(\d+) \[", prompt.user, re.MULTILINE)[-1]
        spell = {"action": "create", "type": "spell", "fields": next(answers), "cite": f"#{last}"}
        return json.dumps({"operations": [spell]})

    return ScriptedChatModel(answer)


async def test_a_type_of_the_users_own_is_asked_for_written_and_recalled(tmp_path):
    model = casting({"name": "Emberhand", "effect": "lights candles", "colour": "red"})
    async with serving(tmp_path, ModelExtractor, model) as desk:
        page = Page(desk, nodeTypeSchema=TYPES)
        await page.attach()
        await page.turn("hello", "Watch: Emberhand!")
        page.chat.send("And what does Emberhand do?", "...")
        recalled = await page.recall("What does Emberhand do?")

        assert "spell (magic that someone can cast): name*, effect (what it does), cost" in model.prompts[0].system
        assert "spell" in model.prompts[0].schema["properties"]["operations"]["items"]["properties"]["type"]["enum"]
        (node,) = desk.session(page.lineage).graph.active_nodes()
        assert (node.type, dict(node.fields)) == ("spell", {"name": "Emberhand", "effect": "lights candles"})
        assert "| name | effect |" in recalled.text
        assert "| Emberhand | lights candles |" in recalled.text


async def test_a_known_name_of_such_a_type_is_brought_up_to_date(tmp_path):
    model = casting({"name": "Emberhand", "effect": "lights candles"}, {"name": "Emberhand", "cost": "a night's sleep"})
    async with serving(tmp_path, ModelExtractor, model) as desk:
        page = Page(desk, nodeTypeSchema=TYPES, enableConsolidation=False, enablePreciseConflict=False)
        await page.attach()
        await page.turn("hello", "Watch: Emberhand!")
        await page.turn("What does Emberhand cost you?", "A night's sleep.")
        spells = [node for node in desk.session(page.lineage).graph.active_nodes() if node.type == "spell"]

        told = {"name": "Emberhand", "effect": "lights candles", "cost": "a night's sleep"}
        assert [dict(each.fields) for each in spells] == [told]


async def test_a_type_that_nobody_defined_is_refused(tmp_path):
    model = casting(*[{"name": "Emberhand"}] * 3)
    async with serving(tmp_path, ModelExtractor, model) as desk:
        page = Page(desk)
        await page.attach()
        await page.turn("hello", "Watch: Emberhand!")

        assert desk.session(page.lineage).graph.nodes == {}
        assert "unknown node type 'spell'" in page.told[0]["data"]["reason"]


async def test_the_hints_are_in_the_language_of_the_chat(tmp_path):
    model = casting({"name": "余烬之手"})
    async with serving(tmp_path, ModelExtractor, model) as desk:
        page = Page(desk, nodeTypeSchema=TYPES)
        await page.attach()
        await page.turn("你好，今天想学点什么法术呢？", "看好了，这是余烬之手，可以点亮蜡烛。")

        assert "spell (某人会的法术): name*, effect (作用), cost" in model.prompts[0].system


async def test_memories_of_a_type_that_was_changed_or_taken_away_keep_what_they_say(tmp_path):
    model = casting({"name": "Emberhand", "effect": "lights candles"}, {"name": "Frostbite", "danger": "high"})
    async with serving(tmp_path, ModelExtractor, model) as desk:
        page = Page(desk, nodeTypeSchema=TYPES, enableConsolidation=False, enablePreciseConflict=False)
        await page.attach()
        await page.turn("hello", "Watch: Emberhand!")

        await desk.bridge.settings_set(commands.SettingsSet(values={"nodeTypeSchema": "spell: name*, danger"}))
        await page.turn("And a dangerous one?", "Watch: Frostbite!")
        await desk.bridge.settings_set(commands.SettingsSet(values={"nodeTypeSchema": ""}))

        spells = [dict(node.fields) for node in desk.session(page.lineage).graph.active_nodes()]
        assert spells == [{"name": "Emberhand", "effect": "lights candles"}, {"name": "Frostbite", "danger": "high"}]
        page.chat.send("What do Emberhand and Frostbite do?", "...")
        recalled = await page.recall("What do Emberhand and Frostbite do?")
        assert "lights candles" in recalled.text
        assert "Frostbite" in recalled.text

"""New memories beside those that are near them: kept, merged, or changing how the old ones are understood."""

import json

import pytest

from session.desk import Page, serving
from st_bme.adapters.testing import ScriptedChatModel
from st_bme.protocol import commands

ALONE = {"enableHierarchicalSummary": False, "enableAutoCompression": False}
LAMP = "[event the lamp went out]"
SAME = "[event the lamp went out again]"
LIGHTS = ("[event the lamp was lit]", "[event the lamp burned low]")


def says(*results):
    """A model that gives these verdicts at each call."""
    return ScriptedChatModel(lambda _: json.dumps({"results": list(results)}))


def verdict(memory="N1", action="keep", **more):
    return {"memory": memory, "action": action} | more


def texts(session):
    return sorted(node.fields["summary"] for node in session.graph.active_nodes())


async def test_what_is_near_nothing_is_not_asked_about(tmp_path):
    model = says(verdict())
    async with serving(tmp_path, model=model) as desk:
        page = Page(desk, **ALONE)
        await page.attach()

        await page.turn("hello", "[event rain fell] [event Bob slept]")

        assert model.prompts == []


async def test_several_new_memories_are_judged_by_one_call_and_only_once(tmp_path):
    model = says(verdict("N1"), verdict("N2"))
    async with serving(tmp_path, model=model) as desk:
        page = Page(desk, **ALONE)
        await page.attach()

        await page.turn("hello", LAMP)
        await page.turn("then", " ".join(LIGHTS))
        await page.turn("and", "[event Bob slept]")

        assert [prompt.task for prompt in model.prompts] == ["consolidate"]
        assert len(texts(desk.session(page.lineage))) == 4


async def test_what_stays_as_it_is_is_one_line_of_the_history(tmp_path):
    evolves = [{"target": "O1", "relation": "evolves"}]
    model = says(verdict("N1", links=evolves), verdict("N2", links=evolves), verdict("N3"))
    async with serving(tmp_path, model=model) as desk:
        page = Page(desk, **ALONE)
        await page.attach()
        await page.turn("hello", LAMP)
        await page.turn("then", " ".join((*LIGHTS, "[event the lamp was sold]")))

        listed = await desk.bridge.history_list(commands.HistoryList(lineage=page.lineage))

        upkeep = [entry for entry in listed.entries if entry.kind == "upkeep"]
        assert [(entry.cause, entry.comparisons, len(entry.operations)) for entry in upkeep] == [
            ("consolidate", 0, 1),
            ("consolidate", 0, 1),
            ("consolidate", 3, 0),
        ]
        oldest = upkeep[-1].n
        older = await desk.bridge.history_list(commands.HistoryList(lineage=page.lineage, before=oldest, limit=1))
        assert [entry.kind for entry in older.entries] == ["answer"]
        assert oldest == older.entries[0].n + 1


async def test_what_stays_as_it_is_leaves_nothing_to_undo(tmp_path):
    async with serving(tmp_path, model=says(verdict("N1"), verdict("N2"))) as desk:
        page = Page(desk, **ALONE, consolidationAutoMinNewNodes=5)
        await page.attach()
        await page.turn("hello", LAMP)
        await page.turn("then", " ".join(LIGHTS))

        tended = await desk.bridge.tend(commands.ChatUpkeep(lineage=page.lineage, tasks=["consolidate"]))

        assert (tended.records, tended.calls, tended.made) == (2, 1, [])


async def test_a_merged_memory_hands_on_its_words_sources_and_edges_and_comes_back(tmp_path):
    model = says(verdict(action="merge", target="O1", fields={"summary": "the lamp went out twice"}))
    async with serving(tmp_path, model=model) as desk:
        page = Page(desk, **ALONE, conflictThreshold=0.6)
        await page.attach()
        await page.turn("hello", LAMP)

        await page.turn("then", f"{SAME} [character Bob] [link #1 character:Bob involved_in]")

        session = desk.session(page.lineage)
        [kept] = [node for node in session.graph.active_nodes() if node.type == "event"]
        assert kept.fields["summary"] == "the lamp went out twice"
        assert set(kept.sources) >= {session.view.keys[1], session.view.keys[3]}
        assert kept.id in {edge.from_id for edge in session.graph.current_edges() if edge.relation == "involved_in"}
        listed = await desk.bridge.history_list(commands.HistoryList(lineage=page.lineage))
        identity = next(entry.id for entry in listed.entries if entry.cause == "consolidate")
        await desk.bridge.history_undo(commands.HistoryUndo(lineage=page.lineage, records=[identity]))
        told = [node.fields["summary"] for node in session.graph.active_nodes() if node.type == "event"]
        assert told == ["the lamp went out", "the lamp went out again"]


@pytest.mark.parametrize(
    ("action", "told"),
    [("skip", "the lamp went out"), ("update", "the lamp went out again"), ("keep", None)],
)
async def test_what_becomes_of_a_memory_that_is_much_like_another(tmp_path, action, told):
    async with serving(tmp_path, model=says(verdict(action=action, target="O1"))) as desk:
        page = Page(desk, **ALONE, conflictThreshold=0.6)
        await page.attach()
        await page.turn("hello", LAMP)

        await page.turn("then", SAME)

        session = desk.session(page.lineage)
        assert texts(session) == ([told] if told else ["the lamp went out", "the lamp went out again"])


@pytest.mark.parametrize(
    ("settings", "calls"),
    [
        ({"enablePreciseConflict": True, "enableConsolidation": False}, 1),
        ({"enablePreciseConflict": False, "enableConsolidation": True}, 1),
        ({"enablePreciseConflict": False, "enableConsolidation": False}, 0),
        ({"conflictThreshold": 0.99, "consolidationThreshold": 0.99}, 0),
        ({"conflictThreshold": 0.99, "consolidationThreshold": 0.99, "consolidationAutoMinNewNodes": 1}, 1),
    ],
)
async def test_one_much_alike_is_judged_at_once_where_that_is_wanted(tmp_path, settings, calls):
    model = says(verdict())
    async with serving(tmp_path, model=model) as desk:
        thresholds = {"conflictThreshold": 0.6, "consolidationThreshold": 0.6}
        page = Page(desk, **ALONE | thresholds | settings)
        await page.attach()
        await page.turn("hello", LAMP)

        await page.turn("then", SAME)

        assert len(model.prompts) == calls


def changing(**more):
    change = {"target": "O1", "understanding": "Bob had put the lamp out", "tags": ["lamp"]}
    return says(verdict(changes=[change], links=[{"target": "O1", "relation": "evolves"}], **more))


async def test_a_new_memory_changes_how_an_old_one_is_understood_as_long_as_it_stands(tmp_path):
    model = changing()
    async with serving(tmp_path, model=model) as desk:
        page = Page(desk, **ALONE, conflictThreshold=0.6)
        await page.attach()
        await page.turn("hello", LAMP)
        await page.turn("then", SAME)
        session = desk.session(page.lineage)
        old, new = session.graph.active_nodes()

        assert (old.fields["summary"], old.clusters) == ("Bob had put the lamp out", ("lamp",))
        assert [(edge.from_id, edge.strength) for edge in session.graph.current_edges()] == [(new.id, 0.7)]
        page.chat.delete(2, 2)
        await page.event("MESSAGE_DELETED")
        await page.settled()
        assert texts(session) == ["the lamp went out"]
        assert len(model.prompts) == 1


async def test_the_original_is_told_which_memory_changed_how_another_is_understood(tmp_path):
    async with serving(tmp_path, model=changing()) as desk:
        page = Page(desk, **ALONE, conflictThreshold=0.6)
        await page.attach()
        await page.turn("hello", LAMP)
        await page.turn("then", SAME)
        old, new = desk.session(page.lineage).graph.active_nodes()

        exported = await desk.bridge.export_state(commands.Export(lineage=page.lineage, original=True))

        nodes = {node["id"]: node for node in json.loads(exported.text)["nodes"]}
        [change] = nodes[old.id]["_evolutionHistory"]
        assert (change["triggeredBy"], change["timestamp"]) == (new.id, desk.clock.now_ms())
        assert "_evolutionHistory" not in nodes[new.id]


async def test_without_evolution_nothing_else_changes(tmp_path):
    async with serving(tmp_path, model=changing()) as desk:
        page = Page(desk, **ALONE, conflictThreshold=0.6, enableEvolution=False)
        await page.attach()
        await page.turn("hello", LAMP)
        await page.turn("then", SAME)

        session = desk.session(page.lineage)
        assert texts(session) == ["the lamp went out", "the lamp went out again"]
        assert session.graph.current_edges() == []


@pytest.mark.parametrize("model", [changing(), says(verdict(action="merge", target="O1", fields={"summary": "x"}))])
async def test_what_is_pinned_is_neither_changed_nor_merged_into(tmp_path, model):
    async with serving(tmp_path, model=model) as desk:
        page = Page(desk, **ALONE, conflictThreshold=0.6)
        await page.attach()
        await page.turn("hello", LAMP)
        session = desk.session(page.lineage)
        [old] = session.graph.nodes
        await desk.bridge.graph_pin(commands.GraphPin(lineage=page.lineage, node=old, pinned=True))

        await page.turn("then", SAME)

        assert len(model.prompts) == 1
        assert texts(session) == ["the lamp went out", "the lamp went out again"]


async def test_no_more_neighbours_than_are_wanted_are_shown(tmp_path):
    model = says(verdict())
    async with serving(tmp_path, model=model) as desk:
        page = Page(desk, **ALONE, evoNeighborCount=2, conflictThreshold=0.6)
        await page.attach()
        for word in ("rose", "swam", "sang", "fell"):
            await page.turn("hello", f"[event the lamp {word}]")
        model.prompts.clear()

        await page.turn("then", "[event the lamp fell apart]")

        assert [prompt.user.count("\nO") for prompt in model.prompts] == [3]

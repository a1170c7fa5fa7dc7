"""What the panel shows of a chat's memory and lets the user do with it."""

import json
import re
from pathlib import Path

import pytest
from playwright.async_api import Locator

from graph.unpacked import fields_of
from st_bme.adapters.scripted_endpoint import ScriptedEndpoint

from .bridge import Bridge
from .chat_page import ChatPage, OpenPage, wait_until
from .marks import E2E
from .memory import Memory
from .panel import Panel, Village, has_count, holds, lacks
from .sillytavern import SillyTavern

pytestmark = [pytest.mark.timeout(180, func_only=True), *E2E]


@pytest.fixture
def village(open_page: OpenPage, bridge: Bridge, second: ScriptedEndpoint, silly_tavern: SillyTavern) -> Village:
    return Village(open_page, bridge, second, silly_tavern)


async def test_the_graph_is_drawn_searched_and_read(village: Village) -> None:
    panel = await village.read()
    page = panel.chat
    remembered = [node for node in (await Memory(page).graph())["nodes"] if not node.get("archived")]

    await panel.press("Graph")
    nodes = panel.popup.locator(".st-bme-node")
    await wait_until(lambda: has_count(nodes, len(remembered)), "every memory as a node")
    legend = await panel.popup.locator(".st-bme-legend button").all()
    kinds = {(await kind.inner_text()).rsplit(" ", 1)[0] for kind in legend}
    assert kinds >= {"Event", "Person", "Place", "Rule", "Thread", "Reflection"}
    assert await overlapping(panel) == 0

    mira = panel.popup.locator(".st-bme-node[aria-label^='Person: Mira']")
    await mira.dispatch_event("click")
    card = panel.popup.locator(".st-bme-card")
    await wait_until(lambda: holds(card, "as of chapter 7"), "what is known of Mira")
    assert "#15 Mira" in await card.inner_text()
    await card.locator("button", has_text="Pin").dispatch_event("click")
    await wait_until(lambda: holds(card, "Let go"), "a pinned memory")
    assert (await node_named(page, "Mira"))["pinned"]

    await panel.popup.locator("input[type=search]").fill("vestry")
    await wait_until(lambda: holds(panel.popup, "1 memory says so"), "what was searched for")
    assert await nodes.count() < len(remembered)
    await panel.popup.locator("input[type=search]").fill("")
    await wait_until(lambda: has_count(nodes, len(remembered)), "all of it again")

    await put_away_and_bring_back(panel, mira, card, len(remembered))

    await panel.popup.locator(".st-bme-legend button", has_text="Event").dispatch_event("click")
    await wait_until(lambda: has_count(panel.popup.locator(".st-bme-node[aria-label^='Event']"), 0), "no events")
    await walk_by_keyboard(panel, mira, card)
    await panel.close()


async def put_away_and_bring_back(panel: Panel, mira: Locator, card: Locator, count: int) -> None:
    """What was put away is drawn where a search finds it, and there alone."""
    nodes, search = panel.popup.locator(".st-bme-node"), panel.popup.locator("input[type=search]")
    await mira.dispatch_event("click")
    await card.locator("button", has_text="Put away").dispatch_event("click")
    await wait_until(lambda: has_count(nodes, count - 1), "a graph without Mira")
    await nodes.first.dispatch_event("click")
    await wait_until(lambda: lacks(card, "Bring back"), "the card of another memory")

    await search.fill("as of chapter 7")
    await wait_until(lambda: has_count(panel.popup.locator(".st-bme-archived"), 1), "Mira, pale")
    await mira.dispatch_event("click")
    await wait_until(lambda: holds(card, "Bring back"), "the card of Mira")
    await card.locator("button", has_text="Bring back").dispatch_event("click")
    await wait_until(lambda: has_count(panel.popup.locator(".st-bme-archived"), 0), "nothing pale")
    await search.fill("")
    await wait_until(lambda: has_count(nodes, count), "all of it again")


async def walk_by_keyboard(panel: Panel, mira: Locator, card: Locator) -> None:
    """Go from one memory to the next without a mouse, and on a narrow screen."""
    await mira.focus()
    await panel.page.keyboard.press("ArrowRight")
    await panel.page.keyboard.press("Enter")
    await wait_until(lambda: lacks(card, "as of chapter 7"), "another memory by the keyboard")
    await panel.page.set_viewport_size({"width": 360, "height": 740})
    width = await panel.page.evaluate("() => document.querySelector('dialog[open] .st-bme').scrollWidth")
    assert width <= 360
    assert await labels_on_each_other(panel) == 0
    await panel.page.set_viewport_size({"width": 1300, "height": 900})


async def test_what_is_asked_for_is_done_at_once_and_can_be_undone(village: Village) -> None:
    panel = await village.read()
    page = panel.chat

    numbers = await panel.numbers()
    assert re.search(r"Messages\s+16\b", numbers)
    assert re.search(rf"Memories\s+{len((await Memory(page).graph())['nodes'])}\b", numbers)

    await panel.press("Summaries")
    said = await panel.wait_until_it_says("Summaries: ")
    assert re.search(r"Summaries: [1-9]\d* changes?, [1-9]\d* model calls?\.", said)
    assert re.search(r"Summaries\s+[1-9]", await panel.numbers())
    await panel.press("Summaries")
    await panel.wait_until_it_says("Summaries: there was nothing to do")
    asked = json.loads(await page.run_slash_command("/bme-upkeep tidy, forget"))
    assert (asked["calls"], asked["failed"]) == (0, 0)
    await panel.press("Condensing")
    await panel.wait_until_it_says("Condensing: ")
    await panel.press("Reflections")
    await panel.wait_until_it_says("Reflections: 1 change,")
    await panel.numbers()
    await panel.wait_until_it_says("Reflections: 1 change,")
    await panel.press("Undo")
    await panel.wait_until_it_says("Undone.")
    await panel.press("Forgetting")
    await panel.wait_until_it_says("Forgetting: ")


async def test_the_last_injection_and_the_history_are_shown(village: Village) -> None:
    panel = await village.read()
    page = panel.chat

    await panel.press("Last injection")
    assert "Nothing was injected" in await panel.popup.inner_text()
    await panel.close()
    await page.send("Chapter 9: where is the lantern of the old mill?")
    await panel.press("Last injection")
    await wait_until(lambda: holds(panel.popup, "<memory>"), "the text of the last injection")
    await panel.close()

    await panel.press("History")
    first = panel.popup.locator(".st-bme-history > li", has_text="Extraction").first
    await first.locator("button").dispatch_event("click")
    await wait_until(lambda: holds(first, "Redo"), "an answer that is undone")
    await first.locator("button").dispatch_event("click")
    await wait_until(lambda: holds(first, "Undo"), "an answer that counts again")
    await panel.close()


async def test_the_history_is_told_in_the_language_of_silly_tavern(village: Village) -> None:
    panel = await village.read()
    await panel.use_language("zh-cn")

    await panel.press("历史")
    newest = panel.popup.locator(".st-bme-history > li").first
    await wait_until(lambda: holds(newest, "提取"), "the newest record")
    await newest.locator("summary").dispatch_event("click")

    told = await newest.inner_text()
    assert "新增：人物“Mira”（现状：as of chapter 7）" in told
    assert re.search(r"20\d\d年\d+月\d+日 \d\d:\d\d · 消息 14–15 · ", told)


async def test_memory_is_rebuilt_exported_and_taken_in(
    village: Village, second: ScriptedEndpoint, tmp_path: Path
) -> None:
    panel = await village.read(embeddingSource="local")
    page = panel.chat
    names = await remembered_names(page)
    calls = len(second.requests)

    await panel.press("Rebuild…")
    catch_up = page.page.locator(".st-bme-catch-up")
    await wait_until(lambda: holds(catch_up, "16 messages: 8 model calls"), "the price")
    assert len(second.requests) == calls
    await catch_up.locator("button", has_text="Read it").dispatch_event("click")
    await wait_until(lambda: holds(catch_up, "All of this is remembered."), "the end of it", timeout_s=30)
    assert len(second.requests) == calls + 8
    assert await remembered_names(page) == names

    await panel.press("New vectors…")
    await panel.wait_until_it_says("texts get a new vector")
    await panel.press("Do it")
    await panel.wait_until_it_says("New vectors are being made")

    async with page.page.expect_download() as download:
        await panel.press("Export")
    saved = tmp_path / "memory.json"
    await (await download.value).save_as(saved)
    assert json.loads(saved.read_text())["version"] == 10
    await page.page.locator(".st-bme-actions input[type=file]").set_input_files(saved)
    await panel.wait_until_it_says("Imported: 0 new records")
    await import_into_a_new_chat(panel, saved)
    saved.write_text("no JSON")
    await page.page.locator(".st-bme-actions input[type=file]").set_input_files(saved)
    await panel.wait_until_it_says("no export of memory")


async def import_into_a_new_chat(panel: Panel, saved: Path) -> None:
    """What came in is undone and redone beside the line that tells of it."""
    await panel.chat.new_chat()
    await Memory(panel.chat).wait_for_badge("green", "ready")
    await panel.page.locator(".st-bme-actions input[type=file]").set_input_files(saved)
    assert re.search(r"Imported: [1-9]\d* new records", await panel.wait_until_it_says("Imported: "))
    for button, said in (("Undo", "Undone."), ("Redo", "Redone."), ("Undo", "Undone.")):
        await panel.press(button)
        await panel.wait_until_it_says(said)
    await panel.page.locator(".st-bme-actions input[type=file]").set_input_files(saved)
    await panel.wait_until_it_says("undone here and can be redone")
    await panel.press("Redo")
    await panel.wait_until_it_says("Redone.")


async def test_a_new_chat_takes_over_what_another_one_remembers(village: Village) -> None:
    panel = await village.read()
    page = panel.chat
    names = await remembered_names(page)
    await page.new_chat()
    await Memory(page).wait_for_badge("green", "ready")
    assert await remembered_names(page) == set()

    await panel.press("From another chat…")
    await panel.wait_until_it_says("Village (16 messages)")
    await panel.press("Do it")
    await panel.wait_until_it_says("memories of that chat")

    async def has_all() -> bool:
        return await remembered_names(page) == names

    await wait_until(has_all, "the memories of the other chat")
    await page.send("Where did Otto row to with Mira?")
    await panel.press("Last injection")
    await wait_until(lambda: holds(panel.popup, "rowed to the harbour"), "what the other chat told")
    await panel.close()


async def remembered_names(page: ChatPage) -> set[str]:
    graph = await Memory(page).graph()
    told = [fields_of(graph, node) for node in graph.get("nodes", [])]
    words = ("name", "title", "summary", "insight")
    return {next(fields[word] for word in words if fields.get(word)) for fields in told}


async def node_named(page: ChatPage, name: str) -> dict[str, object]:
    graph = await Memory(page).graph()
    found: dict[str, object] = next(node for node in graph["nodes"] if fields_of(graph, node).get("name") == name)
    return found


async def overlapping(panel: Panel) -> int:
    """Pairs of nodes whose middles lie within half of the smaller one."""
    count: int = await panel.page.evaluate(
        """() => {
            const nodes = [...document.querySelectorAll('dialog[open] .st-bme-node')];
            const boxes = nodes.map(node => node.getBoundingClientRect());
            const middle = b => [(b.left + b.right) / 2, (b.top + b.bottom) / 2];
            let pairs = 0;
            boxes.forEach((one, n) => boxes.slice(n + 1).forEach(other => {
                const [a, b] = [middle(one), middle(other)];
                pairs += Math.hypot(a[0] - b[0], a[1] - b[1]) < Math.min(one.width, other.width) / 2;
            }));
            return pairs;
        }"""
    )
    return count


async def labels_on_each_other(panel: Panel) -> int:
    """Pairs of shown labels that cover each other, of which there are some."""
    labels = panel.popup.locator(".st-bme-canvas text[visibility=visible]")
    assert await labels.count() > 5
    count: int = await labels.evaluate_all(
        """labels => {
            const boxes = labels.map(label => label.getBoundingClientRect());
            const meet = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
            return boxes.flatMap((one, n) => boxes.slice(n + 1).filter(other => meet(one, other))).length;
        }"""
    )
    return count

"""What each setting of writing does to what a model is asked, changed in the real block."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import pytest

from st_bme.adapters.scripted_endpoint import ScriptedEndpoint
from st_bme.graph.state import decode_state

from .bridge import Bridge
from .chat_page import OpenPage, wait_until
from .marks import E2E
from .memory import Memory
from .prompts import reply_prompts
from .sillytavern import PROMPT_MARK
from .writer import CARD, GREETING, SPELL, VIEW, Asked, Writer, open_writer

# Each case is a turn or two; the first limit of a test counts.
pytestmark = [pytest.mark.timeout(600, func_only=True), *E2E]

Calls = list[Asked]


@dataclass(frozen=True, slots=True)
class Case:
    """Changed settings, how many turns they need, and what the calls must be, of which the first turn has a number."""

    changes: Mapping[str, object]
    is_right: Callable[[Calls, int], bool]
    turns: int = 1


def reading(calls: Calls, number: int) -> Calls:
    """The extractions that read the reply of a turn."""
    return [call for call in calls if call.task == "extract" and f"r{number:03}" in call.run]


def reads(*wanted: str, but: str = "") -> Callable[[Calls, int], bool]:
    """Whether a turn is read with these words among the messages, and without others."""

    def is_right(calls: Calls, number: int) -> bool:
        runs = [call.run for call in reading(calls, number)]
        return bool(runs) and all(word in runs[0] for word in wanted) and (not but or but not in runs[0])

    return is_right


def tells(wanted: str) -> Callable[[Calls, int], bool]:
    return lambda calls, number: any(wanted in call.system + call.user for call in reading(calls, number))


def tells_not(unwanted: str) -> Callable[[Calls, int], bool]:
    def is_right(calls: Calls, number: int) -> bool:
        found = reading(calls, number)
        return bool(found) and not any(unwanted in call.user for call in found)

    return is_right


def asks(*tasks: str) -> Callable[[Calls, int], bool]:
    return lambda calls, _: [call.task for call in calls] == list(tasks)


def are_read_together(calls: Calls, _: int) -> bool:
    """Whether a call reads more than one turn."""
    return any(len(set(re.findall(r"\br\d{3}\b", call.run))) > 1 for call in calls)


def has_no_context(calls: Calls, number: int) -> bool:
    found = reading(calls, number)
    return bool(found) and f"r{number - 1:03}" not in found[0].context


def waits_for_the_next(calls: Calls, number: int) -> bool:
    return bool(reading(calls, number)) and not reading(calls, number + 1)


CASES = (
    Case({}, reads("Open", "Planned", "Told", "Aside")),
    Case({"extractAssistantExcludeTags": "plan"}, reads("Open", "Told", but="Planned")),
    Case({"extractAssistantExtractTags": "story"}, reads("Told", but="Open")),
    Case({"extractAssistantExcludeRules": "[[ ... ]]"}, reads("Told", but="Aside")),
    Case({"extractAssistantExtractRules": "[[ ... ]]"}, reads("Aside", but="Told")),
    Case({"extractPromptStructuredMode": "transcript"}, reads("#", but='"floor"')),
    Case({"extractPromptStructuredMode": "structured"}, reads('"floor"', '"text"')),
    Case({}, lambda calls, number: not has_no_context(calls, number) and tells("evening")(calls, number)),
    Case({"extractContextTurns": 0}, has_no_context),
    Case({"extractRecentMessageCap": 2}, has_no_context),
    Case({"extractMaxChars": 500}, has_no_context),
    Case({"extractIncludeStoryTime": False}, tells_not("evening")),
    Case({"extractIncludeCard": True}, tells(CARD)),
    Case({"extractPrompt": "Tell me of $types in JSON, as the harbour master would."}, tells("harbour master")),
    Case({"forbiddenVariables": "vault code"}, tells("vault code")),
    Case({"trackedVariables": "mood: how Bertil feels"}, tells("mood: how Bertil feels")),
    Case({"extractStages": "gate_then_extract"}, asks("extract_gate", "extract")),
    Case({"extractStages": "objective_then_pov"}, asks("extract", "extract_pov")),
    # The second turn is read when all calls for the first are over.
    Case({"nodeTypeSchema": "spell*: name"}, asks("extract", "extract"), turns=2),
    Case({"nodeTypeSchema": "spell*: name"}, tells("spell")),
    Case({"nodeTypeSchema": "spell*: name", "enableForceUpdate": True}, asks("extract", "extract_missing")),
    Case({"extractAutoDelayLatestAssistant": True}, waits_for_the_next, turns=2),
    Case({"extractEvery": 2}, are_read_together, turns=2),
    Case(
        {"extractEvery": 50, "enableSmartTrigger": True, "triggerPatterns": "bertil", "smartTriggerThreshold": 1},
        lambda calls, number: bool(reading(calls, number)),
    ),
)
PARTS = (
    "enableScopedMemory",
    "enablePovMemory",
    "enableCognitiveMemory",
    "enableStoryTimeline",
    "enableSpatialAdjacency",
)


async def test_settings_of_writing_change_what_is_asked(
    open_page: OpenPage, bridge: Bridge, endpoint: ScriptedEndpoint, second: ScriptedEndpoint
) -> None:
    writer = await open_writer(open_page, bridge, endpoint, second)
    await writer.turn()
    await writer.wait_until_read()
    assert any(GREETING in call.run for call in writer.asked())
    whole = set(writer.asked()[-1].system.splitlines())

    wrong = [case.changes for case in CASES if not await is_shown(writer, case)]
    for key in PARTS:
        case = Case({key: False}, lambda calls, n: any(set(c.system.splitlines()) < whole for c in reading(calls, n)))
        if not await is_shown(writer, case):
            wrong.append(case.changes)
    assert not wrong, wrong


async def is_shown(writer: Writer, case: Case) -> bool:
    """Whether the calls are as they should be while the settings are changed; then they are as before."""
    shown = await writer.block.controls()
    before = {}
    for key, value in case.changes.items():
        before[key] = shown[key] if key in shown else (await writer.block.controls())[key]
        await writer.block.change(key, value)
    writer.begin()
    number = writer.turns + 1
    for _ in range(case.turns):
        await writer.turn()

    async def is_right() -> bool:
        return case.is_right(writer.asked(), number)

    try:
        await wait_until(is_right, str(case.changes), timeout_s=20)
    except AssertionError:
        return False
    finally:
        for key in reversed(before):
            await writer.block.change(key, before[key])
    return True


async def test_what_is_not_to_be_read_yet_is_read_when_it_may(
    open_page: OpenPage, bridge: Bridge, endpoint: ScriptedEndpoint, second: ScriptedEndpoint
) -> None:
    writer = await open_writer(open_page, bridge, endpoint, second)
    await writer.block.change("extractGreeting", False)
    await writer.turn()
    await writer.wait_until_read()
    assert not any(GREETING in call.run for call in writer.asked())

    for key, value in (("extractAutoEnabled", False), ("extractSettleS", 60), ("extractMinMessages", 50)):
        before = (await writer.block.controls())[key]
        await writer.block.change(key, value)
        writer.begin()
        await writer.turn()
        await writer.page.page.wait_for_timeout(1000)  # a call would be made by now
        assert reading(writer.asked(), writer.turns) == [], key
        await writer.block.change(key, before)
        await writer.turn()
        await writer.wait_until_read()
        assert reading(writer.asked(), writer.turns - 1), key


async def test_what_later_calls_of_a_turn_bring_becomes_memories_too(
    open_page: OpenPage, bridge: Bridge, endpoint: ScriptedEndpoint, second: ScriptedEndpoint
) -> None:
    writer = await open_writer(open_page, bridge, endpoint, second)
    settings = {"extractStages": "objective_then_pov", "nodeTypeSchema": "spell*: name", "enableForceUpdate": True}
    for key, value in settings.items():
        await writer.block.change(key, value)
    writer.begin()
    await writer.turn()

    memory = Memory(writer.page)
    await memory.wait_until_told("Bertil sang in the hall of number 001.", SPELL, VIEW)
    assert [call.task for call in writer.asked()] == ["extract", "extract_missing", "extract_pov"]
    assert [record["kind"] for record in await memory.records()] == ["origin", "answer"]
    nodes = decode_state(await memory.graph()).nodes.values()
    assert [(node.scope.layer, node.scope.owner_name) for node in nodes if node.fields.get("summary") == VIEW] == [
        ("pov", "Bertil")
    ]


async def test_a_followed_value_stands_where_a_prompt_names_it(
    open_page: OpenPage, bridge: Bridge, endpoint: ScriptedEndpoint, second: ScriptedEndpoint
) -> None:
    writer = await open_writer(open_page, bridge, endpoint, second)
    await writer.page.page.evaluate(_WRITE_MAIN_PROMPT, PROMPT_MARK + " Mood: {{bmevar::mood}}.")
    await writer.block.change("trackedVariables", "mood: how Bertil feels")
    await writer.turn()

    async def is_known() -> bool:
        return await writer.page.run_slash_command("/bme-var mood") == "mood 001"

    await wait_until(is_known, "the value", timeout_s=20)
    await writer.turn()

    prompts = [prompt.text for prompt in reply_prompts(endpoint)]
    assert "Mood: ." in prompts[0]
    assert "Mood: mood 001." in prompts[1]


_WRITE_MAIN_PROMPT = """(text) => {
    const { chatCompletionSettings } = SillyTavern.getContext();
    chatCompletionSettings.prompts.find(({ identifier }) => identifier === 'main').content = text;
}"""

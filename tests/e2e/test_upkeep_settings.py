"""What each setting of upkeep does to what a model is asked behind the replies, changed in the real block."""

import pytest

from st_bme.adapters.scripted_endpoint import ScriptedEndpoint

from .bridge import Bridge
from .chat_page import OpenPage, wait_until
from .marks import E2E
from .writer import SUMMED_UP, Writer, open_writer

pytestmark = [pytest.mark.timeout(300, func_only=True), *E2E]

# Each task with its switch, and how many replies it waits for: as many as may be set, so that it is never due.
TASKS = (
    ("synopsis", "enableSynopsis", "synopsisEveryN", 100),
    ("reflect", "enableReflection", "reflectEveryN", 200),
    ("summarise", "enableHierarchicalSummary", "smallSummaryEveryNExtractions", 50),
    ("compress", "enableAutoCompression", "compressionEveryN", 200),
)


async def test_settings_of_upkeep_change_what_is_asked(
    open_page: OpenPage, bridge: Bridge, endpoint: ScriptedEndpoint, second: ScriptedEndpoint
) -> None:
    writer = await open_writer(open_page, bridge, endpoint, second)
    for _, switch, every, most in TASKS:
        await writer.block.change(switch, True)
        await writer.block.change(every, most)
    await writer.block.change("summaryRollupFanIn", 10)
    await writer.turn()
    await writer.wait_until_read()
    assert await tasks_of_a_turn(writer) == {"extract"}

    for task, switch, every, _ in TASKS:
        await wait_for_task(writer, task, every, 1)
        if task == "summarise":
            await roll_up(writer)
        await writer.block.change(switch, False)
    await writer.block.change("enableConsolidation", True)
    await wait_for_task(writer, "consolidate", "consolidationAutoMinNewNodes", 1)
    await writer.block.change("enableConsolidation", False)

    await writer.turn()
    await writer.wait_until_read()
    assert await tasks_of_a_turn(writer) == {"extract"}


async def roll_up(writer: Writer) -> None:
    """Summaries are told to later extractions if wanted, and above a number they become one."""
    assert SUMMED_UP in await told_to_an_extraction(writer)
    await writer.block.change("extractIncludeSummaries", False)
    assert SUMMED_UP not in await told_to_an_extraction(writer)
    await wait_for_task(writer, "roll_up", "summaryRollupFanIn", 2)


async def told_to_an_extraction(writer: Writer) -> str:
    writer.begin()
    await writer.turn()
    await writer.wait_until_read()
    return next(asked.user for asked in writer.asked() if asked.task == "extract")


async def tasks_of_a_turn(writer: Writer) -> set[str]:
    """What was asked from one extraction to the next."""
    writer.begin()
    await writer.turn()
    await writer.wait_until_read()
    return {asked.task for asked in writer.asked()}


async def wait_for_task(writer: Writer, task: str, key: str, value: int) -> None:
    """Change a setting and take a turn: this is asked then."""
    writer.begin()
    await writer.block.change(key, value)
    await writer.turn()

    async def is_asked() -> bool:
        return any(asked.task == task for asked in writer.asked())

    await wait_until(is_asked, f"a call to {task}", timeout_s=20)

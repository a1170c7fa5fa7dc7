"""How long a save of SillyTavern's takes with the graph in its metadata; `figures.py saves` runs it.

No test of the suite: other work on the machine would decide it.
"""

import os
import statistics

import pytest

from .bridge import Bridge
from .chat_page import OpenPage
from .figures import report
from .marks import E2E
from .memory import COPY_KEY, remembering
from .processor import processor_ms
from .sillytavern import Api, SillyTavern
from .test_saves import SAVE, open_long_chat

ROUNDS = int(os.environ.get("SAVES_ROUNDS", "15"))
ADDED_TIME_LIMIT = 1.1
SAVES_A_ROUND = 2  # a save uses some tens of the ticks that processor time is counted in

pytestmark = [pytest.mark.timeout(300, func_only=True), *E2E]


async def test_the_state_adds_little_to_the_time_of_a_save(
    open_page: OpenPage, bridge: Bridge, silly_tavern: SillyTavern
) -> None:
    page = await open_page(remembering(Api.CHAT_COMPLETION, bridge.url))
    await open_long_chat(page, bridge, silly_tavern)
    waits_ms: dict[bool, list[float]] = {False: [], True: []}
    used_ms: dict[bool, list[float]] = {False: [], True: []}

    for _ in range(ROUNDS):
        for is_with in (False, True):
            before = processor_ms()
            waits_ms[is_with].append(await page.page.evaluate(SAVE, [COPY_KEY, SAVES_A_ROUND, is_with]))
            used_ms[is_with].append((processor_ms() - before) / (1 + SAVES_A_ROUND))

    plain, remembered = (statistics.median(waits_ms[is_with]) for is_with in (False, True))
    report(
        save_ms=round(plain),
        save_ms_with_state=round(remembered),
        processor_ms=round(min(used_ms[False])),
        processor_ms_with_state=round(min(used_ms[True])),
    )
    assert remembered <= ADDED_TIME_LIMIT * plain

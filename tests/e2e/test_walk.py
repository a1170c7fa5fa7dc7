"""A walk over all actions, each step with the oracle of a fresh extraction. `figures.py` takes longer ones."""

import os

import pytest

from st_bme.adapters.scripted_endpoint import ScriptedEndpoint, ScriptedReply

from .bridge import Bridge
from .chat_page import OpenPage
from .figures import report
from .marks import E2E
from .memory import remembering
from .sillytavern import Api
from .walking import Walk

STEPS = int(os.environ.get("WALK_STEPS", "30"))
SEED = int(os.environ.get("WALK_SEED", "1"))

# The first limit of a test counts.
pytestmark = [pytest.mark.timeout(120 + 20 * STEPS, func_only=True), *E2E]


async def test_a_walk_over_all_actions_leaves_the_graph_true_at_each_step(
    open_page: OpenPage, bridge: Bridge, endpoint: ScriptedEndpoint
) -> None:
    setup = remembering(Api.CHAT_COMPLETION, bridge.url)
    tabs = [await open_page(setup)]
    avatar = await tabs[0].create_character("Mira")
    tabs.append(await open_page(setup))
    walk = Walk(SEED, tabs, avatar, bridge)
    endpoint.script = lambda request: ScriptedReply(walk.reply())
    await walk.start()

    await walk.take(STEPS)

    assert walk.taken.total() == STEPS
    report(taken=dict(walk.taken.most_common()))

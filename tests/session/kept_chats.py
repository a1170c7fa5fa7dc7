"""Chats that a scripted model keeps in order: what the tests of upkeep act with."""

from contextlib import asynccontextmanager

from session.desk import Page, serving
from st_bme.adapters.scripted_upkeep import scripted_upkeep
from st_bme.adapters.testing import ScriptedChatModel
from st_bme.graph.records import Upkeep

COMPRESSING = {"enableHierarchicalSummary": False, "compressionEveryN": 1}


def told(text, place):
    return f"[event {text}{place}]"


@asynccontextmanager
async def told_chat(tmp_path, *, turns=0, model=None, **settings):
    """A page, so many turns into its chat, and the model that upkeep asks."""
    model = model or ScriptedChatModel(scripted_upkeep)
    async with serving(tmp_path, model=model) as desk:
        page = Page(desk, **settings)
        await page.attach()
        await play(page, turns)
        yield page, model


def session_of(page):
    return page.desk.session(page.lineage)


async def play(page, count, *, first=0):
    """So many turns, of which each tells of an event."""
    for place in range(first, first + count):
        await page.turn(f"turn {place}", told("happening", place))


def upkeep_of(session, task=""):
    """The records of a task that take part."""
    return [
        record
        for identity, record in ((identity, record) for _, identity, record in session.records.in_order())
        if isinstance(record, Upkeep) and identity in session.graph.live and task in ("", record.task)
    ]


def tasks_asked(model):
    return [prompt.task for prompt in model.prompts]

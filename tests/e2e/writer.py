"""A chat whose memories a scripted model writes behind an endpoint of its own: turns to take, and what it was asked."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass

from st_bme.adapters.scripted_endpoint import RecordedRequest, ScriptedEndpoint, ScriptedReply

from .block import Block
from .bridge import Bridge
from .chat_page import ChatPage, OpenPage, wait_until
from .memory import Memory
from .sillytavern import PROMPT_MARK, USER_NAME, Api, Setup

GREETING = "Welcome to the Copper Heron."
SUMMED_UP = "Summed up by the model."
SPELL, VIEW = "Emberhand", "Bertil thinks that nobody saw it."
CARD = "Mira mends clocks and limps."
# What each reply says; the filters tell its parts apart.
_PARTS = "Open {0} words. <plan>Planned.</plan> <story>Told {0} words. [[Aside {0} words.]]</story>"
_REPLY = "Rain falls. " * 15 + _PARTS
_TURN = re.compile(r"\bt(\d{3})\b")
_RUN, _CONTEXT = "NEW MESSAGES", "CONTEXT"

QUIET = {
    "enableConsolidation": False,
    "enablePreciseConflict": False,
    "enableHierarchicalSummary": False,
    "enableAutoCompression": False,
}


@dataclass(frozen=True, slots=True)
class Asked:
    """A call for memory work."""

    task: str
    system: str
    user: str

    @property
    def run(self) -> str:
        """The messages that are to be read."""
        return self.user.partition(_RUN)[2]

    @property
    def context(self) -> str:
        """The messages before them."""
        return self.user.partition(_RUN)[0].partition(_CONTEXT)[2]


class Writer:
    """Takes numbered turns. Turn 7 says `t007` and gets a reply with `r007`."""

    def __init__(self, page: ChatPage, block: Block, replies: ScriptedEndpoint, model: ScriptedEndpoint) -> None:
        self.page = page
        self.block = block
        self.turns = 0
        self._model = model
        self._first = 0
        replies.script = self._reply
        model.script = _work

    async def turn(self) -> None:
        self.turns += 1
        await self.page.send(f"Bertil begins t{self.turns:03} with {USER_NAME}.")

    def begin(self) -> None:
        """What was asked so far is no more of interest."""
        self._first = len(self._model.requests)

    def asked(self) -> list[Asked]:
        """The calls since then, oldest first."""
        return [_asked(request) for request in self._model.requests[self._first :] if request.kind == "chat"]

    async def wait_until_read(self) -> None:
        """Wait until the newest turn was read, whole."""

        async def is_read() -> bool:
            return any(f"r{self.turns:03}" in asked.run for asked in self.asked())

        await wait_until(is_read, f"an extraction that reads turn {self.turns}", timeout_s=20)

    def _reply(self, request: RecordedRequest) -> ScriptedReply:
        said = _REPLY.format(f"r{self.turns:03}")
        return ScriptedReply(said if PROMPT_MARK in request.prompt else "{}")


async def open_writer(
    open_page: OpenPage, bridge: Bridge, endpoint: ScriptedEndpoint, second: ScriptedEndpoint
) -> Writer:
    """A page with a chat open whose memories `second` writes, without upkeep."""
    model = {"modelSource": "openai", "llm.baseURL": f"{second.url}/v1", "llm.model": second.model}
    settings = {"extractSettleS": 0, "embeddingSource": "none", **model, **QUIET}
    page = await open_page(
        Setup(Api.CHAT_COMPLETION, extension_settings={"enabled": True, "serverUrl": bridge.url, "settings": settings})
    )
    await page.select_character(await page.create_character("Mira", first_message=GREETING, description=CARD))
    await Memory(page).wait_for_badge("green", "ready")
    block = Block(page, bridge.url)
    await block.show_all()
    return Writer(page, block, endpoint, second)


def _asked(request: RecordedRequest) -> Asked:
    form = request.body["response_format"]
    assert isinstance(form, dict)
    schema = form["json_schema"]
    assert isinstance(schema, dict)
    (_, system), (_, user) = request.messages
    return Asked(str(schema["name"]), system, user)


def _work(request: RecordedRequest) -> ScriptedReply:
    """Three events of each turn, when it was and how somebody felt; a spell or a view where these are asked for."""
    asked = _asked(request)
    match asked.task:
        case "extract":
            answer: object = _memories(asked.run)
        case "extract_missing":
            answer = {"operations": [_noted("spell", {"name": SPELL}, asked.run)]}
        case "extract_pov":
            scope = {"layer": "pov", "ownerType": "character", "ownerName": "Bertil"}
            answer = {"operations": [{**_noted("pov_memory", {"summary": VIEW}, asked.run), "scope": scope}]}
        case task:
            answer = _ANSWERS.get(task, {"summary": SUMMED_UP})
    return ScriptedReply(json.dumps(answer))


# Of upkeep what is least.
_ANSWERS: Mapping[str, object] = {
    "extract_gate": {"has_key_information": True},
    "consolidate": {"results": []},
    "compress": {"fields": {"summary": "Much happened."}},
    "reflect": {"insight": "Bertil is restless.", "importance": 6},
}


def _memories(run: str) -> dict[str, object]:
    number = _TURN.findall(run)[-1] if _TURN.search(run) else "000"
    told = [f"Bertil {deed} in the hall of number {number}." for deed in ("sang", "wept", "slept")]
    return {
        "operations": [_noted("event", {"summary": text}, run) for text in told],
        "batchStoryTime": {"cite": _cite(run), "label": f"evening {number}", "tense": "ongoing", "relation": "after"},
        "variables": {"mood": f"mood {number}"},
    }


def _noted(kind: str, fields: Mapping[str, str], run: str) -> dict[str, object]:
    return {"action": "create", "type": kind, "fields": fields, "cite": _cite(run)}


def _cite(run: str) -> str:
    """The newest message, as far as the run is written in lines."""
    floors: list[str] = re.findall(r"#([0-9]+) ", run)
    return f"#{floors[-1]}" if floors else ""

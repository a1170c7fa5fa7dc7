"""What one member of a group was told while another was away. `figures.py secret` asks more often."""

import json
import os
import re

import pytest

from st_bme.adapters.scripted_endpoint import RecordedRequest, Script, ScriptedEndpoint, ScriptedReply

from .bridge import Bridge
from .chat_page import OpenPage
from .figures import report
from .marks import E2E
from .memory import Memory
from .prompts import reply_prompts
from .sillytavern import PROMPT_MARK, Api, Setup
from .test_prompt import lineage, with_model

TURNS = int(os.environ.get("SECRET_TURNS", "10"))
SHARE_OF_THE_KNOWING = 0.9
SECRET = "The vault opens with heliotrope."
ASKED = ("With which word does the vault open?", "What do you know of the vault?", "Speak of the vault, please.")

pytestmark = [pytest.mark.timeout(120 + 30 * TURNS, func_only=True), *E2E]


def knowing_of(knower: str) -> Script:
    """A model that notes two people and the secret, and which of them knows it, as the message says."""

    def reply(request: RecordedRequest) -> ScriptedReply:
        if PROMPT_MARK in request.prompt:
            return ScriptedReply("The rain goes on.")
        told = re.search(r"#(\d+) [^\n]*whisper", request.prompt.split("NEW MESSAGES")[-1])
        if told is None:
            return ScriptedReply('{"operations": []}')
        cite = f"#{told[1]}"
        event = {"action": "create", "type": "event", "ref": "a", "fields": {"summary": SECRET}, "cite": cite}
        people = [
            {"action": "create", "type": "character", "fields": {"name": name, "state": "here"}, "cite": cite}
            for name in ("Anna", "Boris")
        ]
        knows = {"cite": cite, "ownerType": "character", "ownerName": knower, "knownRefs": ["a"]}
        return ScriptedReply(json.dumps({"operations": [event, *people], "cognitionUpdates": [knows]}))

    return reply


async def test_a_secret_stays_with_whom_it_was_told(
    open_page: OpenPage, bridge: Bridge, endpoint: ScriptedEndpoint
) -> None:
    endpoint.script = knowing_of("Anna")
    settings = with_model(bridge, endpoint)
    page = await open_page(Setup(Api.CHAT_COMPLETION, context_tokens=8_000, extension_settings=settings))
    members = [await page.create_character(name) for name in ("Anna", "Boris")]
    await page.create_group("Two", members)
    await page.run_slash_command(f"/send We are alone, and I whisper to Anna: {SECRET}")
    floor = len(await page.spoken()) - 1
    await page.run_slash_command(f"/hide {floor}")
    memory = Memory(page)
    await memory.command(bridge.url, "chat/extract", lineage=await lineage(page), whole=True)
    assert await memory.tells("heliotrope")
    endpoint.requests.clear()

    for turn in range(TURNS):
        await page.send_to_group(f"{ASKED[turn % len(ASKED)]} ({turn})")

    prompts = reply_prompts(endpoint)
    by_member = {name: [prompt for prompt in prompts if _speaker(prompt.text) == name] for name in ("Anna", "Boris")}
    told = {name: sum("heliotrope" in prompt.text for prompt in asked) for name, asked in by_member.items()}
    report(told=told)
    assert {name: len(asked) for name, asked in by_member.items()} == {"Anna": TURNS, "Boris": TURNS}
    assert told["Boris"] == 0
    assert told["Anna"] >= SHARE_OF_THE_KNOWING * TURNS


def _speaker(prompt: str) -> str:
    """Whose turn the prompt is for: SillyTavern asks for them by name at its end."""
    asked = re.findall(r"\[Write the next reply only as (\w+)\.\]", prompt)
    return str(asked[-1]) if asked else ""

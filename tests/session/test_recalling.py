"""What a chat that is attached recalls: memories, past messages, with and without vectors."""

from __future__ import annotations

import asyncio
import time

import pytest

from session import chats
from session.chats import PacedEmbedder, bridge_in, jobs, long_chat, open_chat, until
from st_bme.adapters.sqlite_store import SqliteStore
from st_bme.adapters.testing import HashEmbedder, ScriptedExtractor
from st_bme.errors import NotFound
from st_bme.history.keys import message_key
from st_bme.protocol import commands
from st_bme.session import chat_session
from st_bme.session.side_table import SideTable

SECRET = "Mira whispers that the vault opens with the word heliotrope."


@pytest.mark.parametrize("model", ["hash", "none"])
async def test_the_start_of_an_old_chat_is_recalled_within_a_minute_without_a_model_call(tmp_path, model):
    chat = long_chat(1548)
    chat[3] = SECRET
    started = time.perf_counter()
    async with bridge_in(tmp_path, HashEmbedder()) as (bridge, events):
        lineage = await open_chat(bridge, chat, embeddingModel=model)
        words = await _recall(bridge, lineage)
        words_s = time.perf_counter() - started
        if model != "none":
            await until(lambda: (jobs(events, "embedding") or [{}])[-1].get("state") == "done")
        answer = await _recall(bridge, lineage)

        assert words_s < 10
        assert time.perf_counter() - started < 60
        for text in (words.text, answer.text):
            assert f"- #3 Ann: {SECRET}" in text
        assert answer.items[0].section == "passages"
        assert answer.degraded == []
        assert jobs(events, "extraction") == []


async def test_what_an_update_changed_is_embedded_anew(tmp_path):
    embedder = PacedEmbedder()
    chat = ["hi", "and?", "[character Bob state=glad]", "then?", "[character Bob state=weeping]"]
    async with bridge_in(tmp_path, embedder, extractor=ScriptedExtractor()) as (bridge, events):
        for length in (3, 5):
            lineage = await open_chat(bridge, chat[:length], embeddingModel="paced", enablePassages=False)
            await bridge.extract(commands.ChatExtract(lineage=lineage))
            await until(lambda: (jobs(events, "embedding") or [{}])[-1].get("state") == "done")
        await until(lambda: any("weeping" in text for text in embedder.embedded))

        told = [text for text in embedder.embedded if "Bob" in text and "[" not in text]
        assert "glad" in told[0]
        assert any("weeping" in text and "glad" not in text for text in told[1:])


async def test_what_the_prompt_holds_is_not_quoted(tmp_path):
    chat = long_chat(60)
    chat[3] = SECRET
    async with bridge_in(tmp_path) as (bridge, _):
        lineage = await open_chat(bridge, chat)
        held = await _recall(bridge, lineage, in_context_from=2)
        gone = await _recall(bridge, lineage, in_context_from=20)

        assert "heliotrope" not in held.text
        assert "heliotrope" in gone.text


async def test_without_word_of_what_the_prompt_holds_it_is_reckoned_from_its_room(tmp_path):
    chat = long_chat(60)
    chat[3] = SECRET
    async with bridge_in(tmp_path) as (bridge, _):
        lineage = await open_chat(bridge, chat)
        roomy = await _recall(bridge, lineage, in_context_from=None, context_tokens=8000)
        narrow = await _recall(bridge, lineage, in_context_from=None, context_tokens=600)

        assert "heliotrope" not in roomy.text
        assert "heliotrope" in narrow.text


async def test_quotes_can_be_switched_off(tmp_path):
    chat = long_chat(60)
    chat[3] = SECRET
    async with bridge_in(tmp_path) as (bridge, _):
        lineage = await open_chat(bridge, chat, enablePassages=False)

        assert (await _recall(bridge, lineage, in_context_from=20)).text == ""


async def test_a_deleted_message_is_not_quoted_any_more(tmp_path):
    chat = long_chat(60)
    chat[3] = SECRET
    async with bridge_in(tmp_path) as (bridge, _):
        lineage = await open_chat(bridge, chat)
        before = await _recall(bridge, lineage, in_context_from=20)
        left = chats.message_list([*chat[:2], *chat[4:]])
        event = commands.ChatEvent(lineage=lineage, event="MESSAGE_DELETED", messages=left)
        await bridge.event(event)
        after = await _recall(bridge, lineage, in_context_from=18)

        assert "heliotrope" in before.text
        assert "heliotrope" not in after.text


async def test_a_recall_before_there_are_vectors_says_so(tmp_path):
    embedder = PacedEmbedder()
    embedder.go_on.clear()
    chat = long_chat(60)
    chat[3] = SECRET
    async with bridge_in(tmp_path, embedder) as (bridge, _):
        lineage = await open_chat(bridge, chat, embeddingModel="paced")
        answer = await _recall(bridge, lineage, in_context_from=20)

        assert answer.degraded == ["vectors"]
        assert "heliotrope" in answer.text


async def test_a_message_that_came_later_gets_a_vector(tmp_path):
    embedder = PacedEmbedder()
    chat = long_chat(20)
    async with bridge_in(tmp_path, embedder) as (bridge, _events):
        lineage = await open_chat(bridge, chat, embeddingModel="paced")
        await until(lambda: "Mira: " + chat[0] in embedder.embedded)
        await open_chat(bridge, [*chat, SECRET], embeddingModel="paced")
        await until(lambda: f"Mira: {SECRET}" in embedder.embedded)

        assert lineage
        assert len(embedder.embedded) == len(set(embedder.embedded))


async def test_recall_goes_on_while_the_user_switches_the_model(tmp_path):
    old, new = PacedEmbedder("old"), PacedEmbedder("new", 64)
    chat = long_chat(300)
    chat[3] = SECRET
    async with bridge_in(tmp_path, old, new) as (bridge, events):
        lineage = await open_chat(bridge, chat, embeddingModel="old")
        await until(lambda: _is_done(events, 1))
        new.pause_at = 2
        await bridge.settings_set(commands.SettingsSet(values={"embeddingModel": "new"}))
        await until(lambda: len(new.asked) == 2)
        during = await _recall(bridge, lineage, in_context_from=280)
        new.go_on.set()
        await until(lambda: _is_done(events, 2))
        after = await _recall(bridge, lineage, in_context_from=280)

        assert (during.degraded, after.degraded) == ([], [])
        assert len(old.queries) == 1
        assert len(new.queries) == 1
        for answer in (during, after):
            assert SECRET in answer.text


async def test_a_closed_chat_is_not_embedded_until_it_is_opened_again(tmp_path):
    embedder = PacedEmbedder()
    embedder.pause_at = 1
    chat = long_chat(100)
    async with bridge_in(tmp_path, embedder) as (bridge, events):
        lineage = await open_chat(bridge, chat, embeddingModel="paced")
        await until(lambda: len(embedder.asked) == 1)
        await bridge.close(commands.ChatClose(lineage=lineage, page="page"))
        embedder.go_on.set()
        await asyncio.sleep(0.05)
        asked_while_closed = len(embedder.asked)
        await open_chat(bridge, chat, embeddingModel="paced")
        await until(lambda: _is_done(events, 1))

        assert asked_while_closed == 1
        assert {text.partition(": ")[2] for text in embedder.embedded} >= set(chat)


def _is_done(events, times: int) -> bool:
    return [job["state"] for job in jobs(events, "embedding")].count("done") >= times


@pytest.mark.parametrize(
    ("context_tokens", "fixed_tokens", "most"),
    [(None, 0, 1200), (8000, 0, 1200), (2000, 0, 1000), (2000, 1500, 464), (1000, 964, 0)],
    ids=["unknown", "roomy", "half", "card", "full"],
)
async def test_memories_leave_room_for_card_and_newest_messages(tmp_path, context_tokens, fixed_tokens, most):
    """The four newest messages have 9 tokens each. Memories get what is left, and never more than half of the room."""
    vaults = [f"The vault of house {number} opens with the word w{number}." for number in range(60)]
    chat = [*vaults, *["a b c d e f g h i" for _ in range(4)]]
    async with bridge_in(tmp_path) as (bridge, _):
        lineage = await open_chat(bridge, chat, passageMaxTokens=8000)
        answer = await _recall(
            bridge, lineage, in_context_from=60, context_tokens=context_tokens, fixed_tokens=fixed_tokens
        )

    assert 0.6 * most <= answer.tokens <= most


async def test_a_message_that_does_not_fit_anyway_takes_no_room_from_memories(tmp_path):
    """Of 490 tokens the newest message takes 9; the 900 tokens before it cannot be there."""
    vaults = [f"The vault of house {number} opens with the word w{number}." for number in range(40)]
    chat = [*vaults, "a b c d e f g h i " * 100, "a b c d e f g h i"]
    async with bridge_in(tmp_path) as (bridge, _):
        lineage = await open_chat(bridge, chat, passageMaxTokens=8000)
        answer = await _recall(bridge, lineage, in_context_from=41, context_tokens=790, fixed_tokens=300)

    assert 200 < answer.tokens <= 790 * 0.5


async def test_what_is_being_typed_is_looked_up_ahead(tmp_path):
    embedder = PacedEmbedder()
    async with bridge_in(tmp_path, embedder) as (bridge, events):
        lineage = await open_chat(bridge, ["I hid the key.", "Rain again."], embeddingModel="paced")
        await until(lambda: (jobs(events, "embedding") or [{}])[-1].get("state") == "done")

        await bridge.recall_prepare(commands.RecallPrepare(lineage=lineage, text=" Where  is the key? "))
        prepared = list(embedder.queries)
        await bridge.recall(commands.ChatRecall(lineage=lineage, text="Where is the key?", early=True))

    assert prepared == [["Where is the key?"]]
    assert all("Where is the key?" not in queries for queries in embedder.queries[1:])


async def test_what_was_injected_for_a_message_is_kept_with_its_reasons(tmp_path):
    chat = long_chat(60)
    chat[3] = SECRET
    chat[-1] = "With which word does the vault open?"
    async with bridge_in(tmp_path) as (bridge, _):
        lineage = await open_chat(bridge, chat)
        answer = await bridge.recall(commands.ChatRecall(lineage=lineage, in_context_from=20))
        why = await bridge.recall_why(commands.RecallWhy(lineage=lineage, floor=59))
        with pytest.raises(NotFound, match="floor 58"):
            await bridge.recall_why(commands.RecallWhy(lineage=lineage, floor=58))
    async with bridge_in(tmp_path) as (bridge, _):
        assert await open_chat(bridge, chat) == lineage
        after_restart = await bridge.recall_why(commands.RecallWhy(lineage=lineage, floor=59))

    reasons = [(item.node_id, item.section, item.reason) for item in answer.items]
    assert reasons
    assert [(item.node_id, item.section, item.reason) for item in why.items] == reasons
    assert after_restart == why


async def test_the_floor_of_a_reply_tells_what_was_injected_for_the_message_that_it_answers(tmp_path):
    chat = [*long_chat(59), "With which word does the vault open?"]
    chat[3] = SECRET
    async with bridge_in(tmp_path) as (bridge, _):
        lineage = await open_chat(bridge, chat)
        await bridge.recall(commands.ChatRecall(lineage=lineage, in_context_from=20))
        await open_chat(bridge, [*chat, "It is written on the wall."])

        why, of_reply = [await bridge.recall_why(commands.RecallWhy(lineage=lineage, floor=at)) for at in (59, 60)]

    assert why.items
    assert of_reply == why


async def test_what_a_recall_counted_is_on_the_disk_soon_and_no_reply_waits_for_it(tmp_path, monkeypatch):
    monkeypatch.setattr(chat_session, "SIDE_AFTER_S", 0.5)
    chat = long_chat(60)
    async with bridge_in(tmp_path) as (bridge, _):
        lineage = await open_chat(bridge, chat)
        await bridge.recall(commands.ChatRecall(lineage=lineage, in_context_from=20))
        asked = message_key("user", chat[-1])
        at_once = (await _stored_side(tmp_path, lineage)).shown_for(asked)

        assert at_once is None
        await until(lambda: _is_stored(tmp_path, lineage, asked))


async def _is_stored(folder, lineage, asked) -> bool:
    return (await _stored_side(folder, lineage)).shown_for(asked) is not None


async def _stored_side(folder, lineage):
    store = SqliteStore(folder / "memory.sqlite3")
    await store.open()
    stored = await store.load(lineage)
    await store.close()
    return SideTable(stored.side)


async def _recall(bridge, lineage, *, in_context_from=1500, context_tokens=None, fixed_tokens=0):
    return await bridge.recall(
        commands.ChatRecall(
            lineage=lineage,
            text="With which word does the vault open?",
            early=True,
            in_context_from=in_context_from,
            context_tokens=context_tokens,
            fixed_tokens=fixed_tokens,
        )
    )

from __future__ import annotations

import time
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from st_bme.adapters.heuristic_extractor import HeuristicExtractor, read_message
from st_bme.model.message import Message, Role
from st_bme.model.operation import Operation, Target
from st_bme.model.story_time import StoryTime
from st_bme.ports import ExtractionInput


def message(text: str, name: str = "", role: Role = "assistant", floor: int = 1) -> Message:
    return Message(key=f"k{floor}", role=role, name=name, text=text, floor=floor)


def read(text: str, name: str = "") -> list[Operation]:
    return list(read_message(message(text, name), 0))


async def extract(run: Sequence[Message]) -> tuple[Operation, ...]:
    request = ExtractionInput(run=run, context=(), known=(), user_name="Sam", character_name="Iris", language="en")
    return (await HeuristicExtractor().extract(request)).operations


def created(operations: Sequence[Operation], node_type: str) -> list[dict[str, str]]:
    return [dict(op.fields) for op in operations if op.action == "create" and op.type == node_type]


def test_one_event_with_its_people_and_place():
    operations = read("Well. I met Marcus at the tavern, and he promised to hide the silver key.", "Iris")

    summary = "Iris: I met Marcus at the tavern, and he promised to hide the silver key."
    assert created(operations, "event") == [{"summary": summary, "participants": "Iris, Marcus"}]
    assert created(operations, "character") == [{"name": "Iris"}, {"name": "Marcus"}]
    assert created(operations, "location") == [{"name": "tavern"}]
    event = Target(ref="m0.event")
    assert [(op.target, op.relation, op.to) for op in operations if op.action == "link"] == [
        (Target(type="character", name="Iris"), "involved_in", event),
        (Target(type="character", name="Marcus"), "involved_in", event),
        (event, "occurred_at", Target(type="location", name="tavern")),
    ]


def test_chinese_message():
    operations = read("（推开门）陈远山说，他把地图藏在旧图书馆了。我们在旧图书馆等他。", "林月")

    assert created(operations, "character") == [{"name": "林月"}, {"name": "陈远山"}]
    assert created(operations, "location") == [{"name": "旧图书馆"}]
    (event,) = created(operations, "event")
    assert event["summary"].startswith("林月：陈远山说，他把地图藏在旧图书馆了。")


@pytest.mark.parametrize(
    "text", ["Good morning!", "*nods*", "Really? Why?", "嗯。", "（疑惑）啊？", "", "...", "\ud800"]
)
def test_small_talk_gives_nothing(text):
    assert read(text, "Iris") == []


def test_state_lines_become_fields_of_the_speaker():
    operations = read("Mood: uneasy\nLocation: Old Mill", "Iris")

    assert created(operations, "character") == [{"name": "Iris", "state": "uneasy"}]
    assert created(operations, "location") == [{"name": "Old Mill"}]


async def test_part_of_a_known_name_owns_the_state_lines_of_the_whole():
    operations = await extract([message("[Iris's mood: uneasy]\n[Sam's state: tired]", "Iris Hale")])

    assert created(operations, "character") == [
        {"name": "Iris Hale", "state": "uneasy"},
        {"name": "Sam", "state": "tired"},
    ]


def test_time_line_dates_the_event():
    (event,) = [
        op for op in read("Time: Day 3, dusk\nThe northern bridge collapsed into the river.") if op.type == "event"
    ]

    assert event.story_time == StoryTime("Day 3, dusk")


@pytest.mark.parametrize("name", ["", "You", "{{user}}", "System", "旁白"])
def test_a_speaker_without_a_name_is_nobody(name):
    operations = read("The northern bridge collapsed into the river.", name)

    assert created(operations, "character") == []
    assert created(operations, "event") == [{"summary": "The northern bridge collapsed into the river."}]


def test_turning_points_weigh_more():
    def importance(text: str) -> float | None:
        return next(op.importance for op in read(text) if op.type == "event")

    plain, turning = (
        importance("The baker sold seven fresh loaves."),
        importance("The baker murdered seven old rivals."),
    )

    assert plain is not None
    assert turning is not None
    assert 3 <= plain < turning <= 8


async def test_macros_are_names():
    operations = await extract([message("{{char}} gave the silver key to a stranger.", "{{user}}", "user")])

    assert created(operations, "character") == [{"name": "Sam"}, {"name": "Iris"}]


@given(st.lists(st.text(alphabet="Anna Bo.,!?*\n在去林月说城a1:|（）", max_size=60), min_size=2, max_size=4))
async def test_a_message_gives_the_same_in_any_run(texts):
    """Only refs and citations tell the message's place in the run."""
    run = [message(text, "Iris", floor=floor) for floor, text in enumerate(texts)]
    together = await extract(run)

    for index, one in enumerate(run):
        alone = await extract([one])
        there = [op for op in together if op.cite == index]
        assert [(op.action, op.type, op.fields, op.importance, op.relation) for op in alone] == [
            (op.action, op.type, op.fields, op.importance, op.relation) for op in there
        ]
        assert all(op.cite == 0 for op in alone)


@given(st.text(max_size=400))
def test_any_text_is_read_and_summaries_stay_short(text):
    for operation in read(text, "Iris"):
        assert all(value for value in operation.fields.values())
        assert len(operation.fields.get("summary", "")) <= 200


def test_short_messages_are_read_quickly():
    """The limit is 0.5 ms a message; the bound is wide, for a busy machine."""
    texts = [f"I met Marcus number {n} at the tavern and we talked about the old war." for n in range(300)]
    started = time.perf_counter()
    for text in texts:
        read(text, "Iris")

    assert (time.perf_counter() - started) / len(texts) < 0.003


@pytest.mark.parametrize(
    "part",
    ["*", "（", "[", "((OOC", "<", "Aa ", "艾琳", "艾·", "mood: x\n", "a's ", "\n \n", "在", '"'],
    ids=repr,
)
def test_hostile_texts_end_soon(part):
    started = time.perf_counter()
    read(part * (20_000 // len(part)), "Iris")

    assert time.perf_counter() - started < 2

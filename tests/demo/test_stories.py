"""The bundled chats, read as the files of SillyTavern that they are."""

import json

import pytest

from st_bme.adapters.chat_file import read_chat_file
from st_bme.commands.demo import STORIES, load_stories
from st_bme.write.language import detect_language

STORY_NAMES = [story.language for story in load_stories()]
CHATS = sorted((STORIES / "chats").glob("*.jsonl"))


def test_there_is_an_english_and_a_chinese_story():
    assert STORY_NAMES == ["en", "zh"]
    assert [path.stem for path in CHATS] == STORY_NAMES


@pytest.mark.parametrize("story", load_stories(), ids=STORY_NAMES)
def test_a_story_is_a_chat_of_two_in_its_language(story):
    slots = [slot for slot in story.chat.slots if slot is not None]

    assert len(slots) == len(story.chat.slots) >= 40
    assert [slot.role for slot in slots] == ["assistant", "user"] * (len(slots) // 2)
    assert {slot.name for slot in slots} == {story.chat.user_name, story.chat.character_name}
    assert detect_language(story.chat.texts) == story.language


@pytest.mark.parametrize("story", load_stories(), ids=STORY_NAMES)
def test_each_of_three_questions_is_answered_by_the_story_and_gives_nothing_away(story):
    told = "\n".join(story.chat.texts)

    assert len(story.questions) == 3
    for question in story.questions:
        assert question.answer in told
        assert question.answer not in question.query


@pytest.mark.parametrize("path", CHATS, ids=lambda path: path.stem)
def test_every_line_has_what_sillytavern_writes(path):
    header, *messages = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]

    assert header["chat_metadata"] == {}
    assert all(message.keys() == {"name", "is_user", "is_system", "send_date", "mes", "extra"} for message in messages)
    dates = [message["send_date"] for message in messages]
    assert dates == sorted(dates)


@pytest.mark.parametrize("path", CHATS, ids=lambda path: path.stem)
def test_a_chat_read_by_path_is_the_one_of_the_story(path):
    story = next(story for story in load_stories() if story.language == path.stem)

    assert read_chat_file(path) == story.chat

"""`demo`: two bundled stories through the whole pipeline, without SillyTavern and without a model."""

from __future__ import annotations

import argparse
import asyncio
import time
from dataclasses import dataclass
from pathlib import Path

import orjson

from st_bme.adapters.chat_file import ChatFile, read_chat_file
from st_bme.commands.demo_account import Account, Question, print_account, print_end, print_start
from st_bme.commands.replay import Replayed, replay, summary
from st_bme.graph.state import decode_state

STORIES = Path(__file__).parents[1] / "demo"


@dataclass(frozen=True, slots=True)
class Story:
    """A bundled chat, and what is asked about it once it has been read."""

    language: str
    title: str
    chat: ChatFile
    questions: tuple[Question, ...]


def run(arguments: argparse.Namespace) -> int:
    """Replay each story, and tell what came of it."""
    started = time.perf_counter()
    stories = load_stories()
    if arguments.json:
        chats = [(story, _replay(story)) for story in stories]
        timings = {f"replay_{story.language}": round(replayed.seconds * 1000, 1) for story, replayed in chats}
        timings["total"] = round((time.perf_counter() - started) * 1000, 1)
        report = {"chats": [chat_report(story, replayed) for story, replayed in chats], "timings_ms": timings}
        print(orjson.dumps(report).decode())
        return 0
    print_start()
    for story in stories:
        print_account(_account(story, _replay(story)))
    print_end(time.perf_counter() - started)
    return 0


def load_stories() -> tuple[Story, ...]:
    """The bundled stories, the English one first."""
    listed = orjson.loads((STORIES / "stories.json").read_bytes())
    return tuple(
        Story(
            language=story["language"],
            title=story["title"],
            chat=read_chat_file(STORIES / "chats" / story["file"]),
            questions=tuple(Question(**question) for question in story["questions"]),
        )
        for story in listed
    )


def chat_report(story: Story, replayed: Replayed) -> dict[str, object]:
    """What came of a story, as JSON."""
    report = summary(story.chat, replayed)
    counts = {name: report[name] for name in ("nodes", "edges", "records", "state_bytes", "queries")}
    return {"language": story.language, "messages": report["floors"], **counts}


def _replay(story: Story) -> Replayed:
    return asyncio.run(replay(story.chat, [question.query for question in story.questions]))


def _account(story: Story, replayed: Replayed) -> Account:
    return Account(
        title=story.title,
        messages=len(story.chat.slots),
        state=decode_state(orjson.loads(orjson.dumps(replayed.state))),
        state_bytes=len(orjson.dumps(replayed.state)),
        records=replayed.extracted.records,
        seconds=replayed.seconds,
        answers=tuple(
            (question, recalled) for question, (_, recalled) in zip(story.questions, replayed.recalls, strict=True)
        ),
    )

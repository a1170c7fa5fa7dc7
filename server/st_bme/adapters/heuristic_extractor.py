"""An extractor without a model: patterns instead of understanding, in English and Chinese.

What it makes of a message depends on that message's role, name and text alone, never on its neighbours, so that
it does not matter in which runs messages are read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from st_bme.model.message import Message
from st_bme.model.operation import Operation, Target
from st_bme.model.story_time import StoryTime
from st_bme.ports import ChatPrompt, Extraction, ExtractionInput
from st_bme.write.heuristics import chinese, english
from st_bme.write.heuristics.mentions import Mentions
from st_bme.write.heuristics.quote_marks import balanced
from st_bme.write.heuristics.sentences import HAN, Sentence, plain_text, split_sentences
from st_bme.write.heuristics.state_lines import read_state_lines
from st_bme.write.heuristics.telling import told_by
from st_bme.write.heuristics.weigh import (
    ENOUGH,
    SUMMARY_LENGTH,
    choose_sentences,
    is_weighty,
    shorten,
    weigh_sentence,
)
from st_bme.write.heuristics.word_set import word_set

_NOBODY = word_set(
    """
    you user assistant system narrator char unknown anonymous bot ai {{user}} {{char}} 用户 系统 旁白 助手 我 你 众人
    """
)
"""Names of speakers that name no one."""

_HAN_CHARACTER = re.compile(f"[{HAN}]")
_NOTE = re.compile(r"[（(].*?(?:[）)]|$)")
_MOST_PEOPLE = 4
_MOST_PLACES = 2
_ROOM_TO_CLOSE = 2
"""Quote marks that a cut may have to put back."""
_LEAST_IMPORTANCE, _MOST_IMPORTANCE = 3.0, 8.0

_States = dict[str, dict[str, str]]
"""Fields by whose they are."""


class HeuristicExtractor:
    """Speakers and named people, places, one event a message that says enough, and state lines."""

    name = "heuristic"

    async def extract(self, request: ExtractionInput) -> Extraction:
        macros = {"{{user}}": request.user_name, "{{char}}": request.character_name}
        known = [name for name in macros.values() if not _is_nobody(name)]
        operations: list[Operation] = []
        for index, message in enumerate(request.run):
            operations += read_message(_with_names(message, macros), index, known)
        return Extraction(tuple(operations), (), self.name)

    def prompts(self, request: ExtractionInput) -> Sequence[ChatPrompt]:  # noqa: ARG002
        return ()


def read_message(message: Message, cite: int, known: Sequence[str] = ()) -> Iterator[Operation]:
    """The operations that a message gives, each citing it. `known` are people of the whole chat."""
    state = read_state_lines(plain_text(message.text))
    speaker = _speaker(message.name)
    sentences = split_sentences(state.text)
    around = [speaker, *known] if speaker else known
    mentions = _find_mentions(state.text, around)
    event = _event(sentences, speaker, cite)
    people = _people(_with_whole_names(state.fields, around), speaker, mentions, has_event=event is not None)
    places = [place for place in (state.place, *mentions.places) if place][:_MOST_PLACES]
    for name, fields in people.items():
        yield Operation("create", cite, "character", {"name": name, **fields})
    for place in places:
        yield Operation("create", cite, "location", {"name": place})
    if event is None:
        return
    yield event.operation(people, state.time)
    for name in people:
        yield Operation(
            "link", cite, target=Target(type="character", name=name), to=Target(ref=event.ref), relation="involved_in"
        )
    for place in places:
        yield Operation(
            "link", cite, target=Target(ref=event.ref), to=Target(type="location", name=place), relation="occurred_at"
        )


@dataclass(frozen=True, slots=True)
class _Event:
    """What a message tells."""

    ref: str
    cite: int
    summary: str
    importance: float

    def operation(self, people: Sequence[str] | dict[str, dict[str, str]], time: str) -> Operation:
        fields = {"summary": self.summary}
        if people:
            fields["participants"] = ", ".join(people)
        when = StoryTime(time) if time else None
        return Operation("create", self.cite, "event", fields, self.importance, story_time=when, ref=self.ref)


def _with_names(message: Message, names: dict[str, str]) -> Message:
    name, text = message.name, message.text
    for macro, value in names.items():
        if value:
            name, text = name.replace(macro, value), text.replace(macro, value)
    return Message(message.key, message.role, name, text, message.floor, message.hidden)


def _speaker(name: str) -> str:
    """The speaker's name without notes in brackets, "" for one that names no one."""
    bare = _NOTE.sub("", name).strip() or name.strip()
    return "" if _is_nobody(bare) else bare


def _is_nobody(name: str) -> bool:
    return not name.strip() or name.strip().casefold() in _NOBODY


def _find_mentions(text: str, known: Sequence[str]) -> Mentions:
    if _HAN_CHARACTER.search(text):
        return chinese.find_mentions(text, known)
    return english.find_mentions(text, known)


def _event(sentences: Sequence[Sentence], speaker: str, cite: int) -> _Event | None:
    weights = [weigh_sentence(sentence) for sentence in sentences]
    if max(weights, default=0.0) < ENOUGH:
        return None
    chosen = choose_sentences(sentences, weights, SUMMARY_LENGTH - len(speaker) - 2)
    told = told_by(speaker, chosen)
    summary = told if len(told) <= SUMMARY_LENGTH else balanced(shorten(told, SUMMARY_LENGTH - _ROOM_TO_CLOSE))
    importance = 4.0 + max(weights) / 6.0 + (1.5 if is_weighty(summary) else 0.0)
    importance = min(_MOST_IMPORTANCE, max(_LEAST_IMPORTANCE, float(round(importance))))
    return _Event(f"m{cite}.event", cite, summary, importance)


def _with_whole_names(fields: _States, known: Sequence[str]) -> _States:
    """Part of a known name stands for the whole, as in `Iris's mood` for Iris Hale."""
    whole = {part: name for name in reversed(known) for part in name.split(" ")}
    named: _States = {}
    for subject, said in fields.items():
        named.setdefault(whole.get(subject, subject), {}).update(said)
    return named


def _people(states: _States, speaker: str, mentions: Mentions, *, has_event: bool) -> _States:
    """Who is created or updated: those with state lines, the speaker of an event, and who is named."""
    people: _States = {}
    for subject, fields in states.items():
        if subject or speaker:
            people.setdefault(subject or speaker, {}).update(fields)
    if speaker and has_event:
        people.setdefault(speaker, {})
    for name in mentions.people:
        if len(people) < _MOST_PEOPLE:
            people.setdefault(name, {})
    return people

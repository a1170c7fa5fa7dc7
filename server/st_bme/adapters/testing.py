"""Scripted doubles of the ports: what a test, a demo or a try-out without any model runs on."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import get_args

import numpy as np
from numpy.typing import NDArray

from st_bme.errors import ModelFailed
from st_bme.model.message import Message
from st_bme.model.operation import Action, Operation, Target
from st_bme.model.schema import STORY_TYPES
from st_bme.model.scope import OBJECTIVE, Scope
from st_bme.model.story_time import StoryTime, TimeRelation
from st_bme.ports import ChatPrompt, ChatReply, Extraction, ExtractionInput


class FixedClock:
    """A clock that stands until it is told to go on."""

    def __init__(self, now_ms: int = 1_700_000_000_000) -> None:
        self._now_ms = now_ms

    def now_ms(self) -> int:
        return self._now_ms

    def advance(self, by_ms: int) -> None:
        self._now_ms += by_ms


class ScriptedChatModel:
    """Answers from a list, one a call, and keeps the prompts. An exception in the list is raised.

    Where the answer depends on the prompt, give a function instead of a list.
    """

    name = "scripted"

    def __init__(self, answers: Sequence[str | Exception] | Callable[[ChatPrompt], str]) -> None:
        self._answers = answers
        self.prompts: list[ChatPrompt] = []

    async def complete(self, prompt: ChatPrompt, *, timeout_s: float) -> ChatReply:  # noqa: ARG002
        self.prompts.append(prompt)
        if callable(self._answers):
            return ChatReply(self._answers(prompt), self.name)
        if len(self.prompts) > len(self._answers):
            raise ModelFailed(f"the script has {len(self._answers)} answers and was asked once more")
        answer = self._answers[len(self.prompts) - 1]
        if isinstance(answer, Exception):
            raise answer
        return ChatReply(answer, self.name)


class ScriptedExtractor:
    """Does what messages say in brackets, each message for itself, and cites it.

    `[character Alice mood=sad]` creates a node of that type; words without `=` are its first required column.
    `[update character Alice mood=glad]`, `[archive character Alice]` and `[wake character Alice]` name it by identity.
    `[link Alice Bob related]` and `[unlink Alice Bob related]` join characters; `location:Harbor` names another type,
    `#1` the first node that the same message creates. `[time after the_feast]` tells when all this happens,
    `[know Alice Bob mistaken a_spy]` that Alice takes Bob for a spy, `[region Town/Pier]` where the scene is,
    `[region Alice@Pier]` where Alice is, and `[set hp=9]` what a variable holds. `_` in a value stands for a space.
    What cannot be read is text.

    With `cites` off every operation cites the whole run. `requests` keeps what was asked, `runs` the keys of each run.
    """

    name = "scripted"

    def __init__(self, *, cites: bool = True) -> None:
        self._cites = cites
        self.requests: list[ExtractionInput] = []

    @property
    def runs(self) -> list[tuple[str, ...]]:
        return [tuple(message.key for message in request.run) for request in self.requests]

    async def extract(self, request: ExtractionInput) -> Extraction:
        self.requests.append(request)
        operations: list[Operation] = []
        for index, message in enumerate(request.run):
            operations += scripted_operations(message, index, cite=index if self._cites else None)
        return Extraction(tuple(operations), (), self.name)

    def prompts(self, request: ExtractionInput) -> Sequence[ChatPrompt]:  # noqa: ARG002
        return ()


_COMMAND = re.compile(r"\[([^\[\]]+)\]")
_BY_IDENTITY: Mapping[str, Action] = {"update": "update", "archive": "archive", "wake": "wake"}
_JOINING: Mapping[str, Action] = {"link": "link", "unlink": "unlink"}
_TIME_RELATIONS: Mapping[str, TimeRelation] = {relation: relation for relation in get_args(TimeRelation)}


def scripted_operations(message: Message, index: int, *, cite: int | None) -> Iterator[Operation]:
    """The operations that a message spells out. `index` keeps refs of different messages apart."""
    created = 0
    for command in _COMMAND.finditer(message.text):
        word, *rest = command[1].split() or [""]
        if word in STORY_TYPES and rest:
            created += 1
            ref = f"m{index}.{created}"
            yield Operation("create", cite, word, _fields(word, rest), _importance(rest), ref=ref)
        elif word in _BY_IDENTITY and len(rest) > 1 and rest[0] in STORY_TYPES:
            fields = _fields(rest[0], rest[1:])
            target = Target(type=rest[0], name=fields.pop(_name_column(rest[0]), ""))
            yield Operation(_BY_IDENTITY[word], cite, fields=fields, importance=_importance(rest), target=target)
        elif word in _JOINING and len(rest) in (2, 3):
            start, end = _target(rest[0], index), _target(rest[1], index)
            yield Operation(_JOINING[word], cite, target=start, to=end, relation=(*rest, "related")[2])
        else:
            yield from _said_beside(word, rest, index, cite)


def _said_beside(word: str, rest: Sequence[str], index: int, cite: int | None) -> Iterator[Operation]:
    """A time, who knows what, where someone is, what a variable holds."""
    said = [value.replace("_", " ") for value in rest]
    match word, said:
        case "time", [relation, label] if relation in _TIME_RELATIONS:
            yield Operation("time", cite, story_time=StoryTime(label, relation=_TIME_RELATIONS[relation]))
        case "know", [who, _, stance, *belief]:
            scope, fields = Scope("pov", "character", who, who), dict.fromkeys(("belief",) if belief else (), *belief)
            yield Operation("know", cite, fields=fields, scope=scope, target=_target(rest[1], index), relation=stance)
        case "region", [place]:
            who, _, path = place.rpartition("@")
            places = tuple(path.split("/"))
            scope = Scope("pov", "character", who, who) if who else OBJECTIVE
            yield Operation("region", cite, scope=replace(scope, region_primary=places[-1], region_path=places))
        case "set", [_, *_]:
            yield Operation("set", cite, fields=dict(value.split("=", 1) for value in said if "=" in value))


def _name_column(node_type: str) -> str:
    return STORY_TYPES[node_type].required[0]


def _fields(node_type: str, words: Sequence[str]) -> dict[str, str]:
    named = " ".join(word for word in words if "=" not in word)
    fields = {_name_column(node_type): named} if named else {}
    for word in words:
        key, equals, value = word.partition("=")
        if equals and key != "importance":
            fields[key] = value.replace("_", " ")
    return fields


def _importance(words: Sequence[str]) -> float | None:
    for word in words:
        key, _, value = word.partition("=")
        if key == "importance" and value.isdecimal():
            return float(value)
    return None


def _target(word: str, index: int) -> Target:
    if word.startswith("#"):
        return Target(ref=f"m{index}.{word[1:]}")
    node_type, colon, name = word.partition(":")
    return Target(type=node_type, name=name) if colon else Target(type="character", name=word)


_DIMENSION = 256
_TOKEN = re.compile(r"[^\W_]+")
_GRAM = 3


class HashEmbedder:
    """Unit vectors from hashed words and letter groups: texts that share words are near, without any model."""

    name = "hash"
    dimension = _DIMENSION

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        vectors = np.zeros((len(texts), _DIMENSION), dtype=np.float32)
        for row, text in zip(vectors, texts, strict=True):
            for feature in _features(text):
                digest = hashlib.blake2b(feature.encode("utf-8", "replace"), digest_size=8).digest()
                row[int.from_bytes(digest[:4]) % _DIMENSION] += 1.0 if digest[4] & 1 else -1.0
        norms = np.linalg.norm(vectors, axis=1, keepdims=True)
        vectors /= np.where(norms > 0, norms, 1)
        return vectors

    async def embed_queries(self, queries: Sequence[str]) -> NDArray[np.float32]:
        return await self.embed(queries)


def _features(text: str) -> Iterator[str]:
    for match in _TOKEN.finditer(unicodedata.normalize("NFKC", text).casefold()):
        token = match[0]
        yield token
        padded = f"^{token}$"
        yield from (padded[start : start + _GRAM] for start in range(len(padded) - _GRAM + 1))

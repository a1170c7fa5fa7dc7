"""A model's answer as a list of operations, whatever stands around them and wherever they were cut off."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from st_bme.errors import AnswerUnusable
from st_bme.model.schema import STORY_TYPES
from st_bme.prompts.json_text import json_values, without_reasoning

RawOperation = Mapping[str, object]

LONGEST_ANSWER = 200_000
"""Characters of an answer that are read; a run of operations has some thousands."""

CONTAINERS = (
    "operations",
    "nodes",
    "items",
    "entries",
    "memories",
    "results",
    "data",
    "memoryoperations",
    "actions",
    "output",
    "extracted",
    "extractions",
    "memorynodes",
    "ops",
    "changes",
    "updates",
)
"""Keys under which models put their operations, folded, in the order in which they are tried."""

_MARKS = ("action", "op", "operation", "type", "nodetype")
"""An object with one of these as text is an operation."""

_BLOCKS = ("text", "output_text", "message", "function", "tool_call", "tool_use")
"""Types of what carries an answer in the formats of providers."""

_BY_ACTION = {"create": "create", "creates": "create", "update": "update", "delete": "delete", "deletes": "delete"}
_BY_TYPE = {key.replace("_", ""): name for name in STORY_TYPES for key in (name, f"{name}s")}
_HTML = re.compile(r"\s*(?:(?:<!--.*?-->|<\?xml.*?\?>)\s*)*<(?:!doctype|html|head|body)\b", re.IGNORECASE | re.DOTALL)
_EMPTY_LIST = re.compile(r"\s*(?:```\w*)?\s*\[\s*\]\s*(?:```)?\s*")
_PLACEHOLDER = re.compile(r"\[\s*(?:\.\.\.|…)\s*\]")
"""The format of an answer, repeated instead of filled in."""

_MOST_DEPTH = 16
_NO = frozenset(("false", "no", "none", "0", "否"))


@dataclass(frozen=True, slots=True)
class RawAnswer:
    """The operations as they were written, and what the answer says beside them, by folded key."""

    operations: Sequence[RawOperation]
    beside: Mapping[str, object] = field(default_factory=dict)


def read_operations(answer: str) -> Sequence[RawOperation]:
    """The operations of an answer alone. Raises: AnswerUnusable: see `read_answer`."""
    return read_answer(answer).operations


def read_answer(answer: str) -> RawAnswer:
    """The operations of an answer, as it wrote them; none if it says that there are none.

    Raises: AnswerUnusable: no list of operations is in it, as in a refusal, an HTML page or an error message, or it
        was cut off before the first was complete.
    """
    text = answer[:LONGEST_ANSWER]
    if _HTML.match(text):
        raise AnswerUnusable("the answer is an HTML page; check the address of the endpoint")
    for candidate in without_reasoning(text):
        if _EMPTY_LIST.fullmatch(candidate):
            return RawAnswer([])
        search = _Search()
        found = search.in_text(candidate, _MOST_DEPTH)
        if found or (found is not None and not _PLACEHOLDER.search(candidate)):
            return RawAnswer(_each_once(found), search.beside)
    raise AnswerUnusable("the answer holds no list of operations")


def read_object(answer: str) -> Mapping[str, object]:
    """The last JSON object at the top of an answer, repaired where needed: what comes before it is a draft.

    Raises: AnswerUnusable: no object is in it.
    """
    for candidate in without_reasoning(answer[:LONGEST_ANSWER]):
        objects = [found.value for found in json_values(candidate) if isinstance(found.value, dict)]
        if objects:
            return objects[-1]
    raise AnswerUnusable("the answer holds no JSON object")


def fold_key(key: str) -> str:
    """Keys that differ in case and joints only are one: `batchStoryTime`, `batch_story_time`."""
    return re.sub(r"[\s_-]", "", key).casefold()


class _Search:
    """Looks for operations in a value, and keeps what stands beside them. Every method gives None where none are."""

    def __init__(self) -> None:
        self.beside: dict[str, object] = {}

    def in_text(self, text: str, depth: int) -> list[RawOperation] | None:
        """All operations of all values in a text."""
        lists = []
        for json_value in json_values(text):
            if json_value.is_cut and _is_operation(json_value.value):
                continue
            lists.append(self._in_value(json_value.value, depth - 1, is_listed=False))
        return _together(lists)

    def _in_value(self, value: object, depth: int, *, is_listed: bool) -> list[RawOperation] | None:
        """`is_listed`: it stands where operations are expected, so that an empty value says that there are none."""
        if depth <= 0:
            return None
        match value:
            case str() if "{" in value:
                return self.in_text(value, depth)
            case list():
                return self._in_list(value, depth, is_listed=is_listed)
            case dict() if value:
                return [value] if _is_operation(value) else self._in_object(value, depth, is_listed=is_listed)
            case None | dict() if is_listed:
                return []
        return None

    def _in_list(self, values: Sequence[object], depth: int, *, is_listed: bool) -> list[RawOperation] | None:
        """The operations of a list; where there is one, objects of another form are kept, to be refused by name."""
        found: list[RawOperation] = []
        strange: list[RawOperation] = []
        for value in values:
            inner = self._in_value(value, depth - 1, is_listed=False)
            if inner is not None:
                found += inner
            elif isinstance(value, dict) and value:
                strange.append(value)
        if found:
            return found + strange
        return [] if is_listed and not any(values) else None

    def _in_object(self, value: Mapping[str, object], depth: int, *, is_listed: bool) -> list[RawOperation] | None:
        if _is_error(value):
            return None
        folded = {fold_key(key): inner for key, inner in value.items()}
        self.beside = folded | self.beside
        contained = [self._in_value(folded[key], depth - 1, is_listed=True) for key in CONTAINERS if key in folded]
        named = [*contained, _together(_grouped(folded))]
        found = next((operations for operations in named if operations), None)
        if found is None:
            others = [inner for key, inner in folded.items() if key not in CONTAINERS]
            found = self._elsewhere(others, depth, is_listed=is_listed)
        if found is None and (any(operations is not None for operations in contained) or _says_nothing(folded)):
            return []
        return found

    def _elsewhere(self, values: Iterable[object], depth: int, *, is_listed: bool) -> list[RawOperation] | None:
        """Operations under a key that nobody foresaw, or each under a key of its own."""
        inner = [self._in_value(value, depth - 1, is_listed=False) for value in values]
        if is_listed:
            return _together(inner)
        return next((found for found in inner if found), next((found for found in inner if found is not None), None))


def _grouped(folded: Mapping[str, object]) -> Iterator[list[RawOperation]]:
    """Operations under their action or type: `{"create": [...]}`, `{"events": [...]}`."""
    for key, mark, word in (*_keys(folded, _BY_ACTION, "action"), *_keys(folded, _BY_TYPE, "type")):
        inner = folded[key]
        for item in inner if isinstance(inner, list) else [inner]:
            if isinstance(item, dict) and item:
                yield [{mark: word, **item}]


def _keys(folded: Mapping[str, object], words: Mapping[str, str], mark: str) -> Iterator[tuple[str, str, str]]:
    return ((key, mark, words[key]) for key in folded if key in words)


def says_nothing(answer: RawAnswer) -> bool:
    """True if the answer says in so many words that the messages hold nothing worth keeping."""
    return not answer.operations and _says_nothing(answer.beside)


def says_something(answer: RawAnswer) -> bool:
    """True if the answer says in so many words that the messages hold something worth keeping."""
    return answer.beside.get("haskeyinformation") is not None and not _says_nothing(answer.beside)


def _says_nothing(folded: Mapping[str, object]) -> bool:
    said = folded.get("haskeyinformation")
    return said is False or (isinstance(said, str | int) and str(said).casefold() in _NO)


def _together(lists: Iterable[list[RawOperation] | None]) -> list[RawOperation] | None:
    """All of several lists; None where all are None."""
    present = [found for found in lists if found is not None]
    return [operation for found in present for operation in found] if present else None


def _is_error(value: Mapping[str, object]) -> bool:
    return bool(value.get("error")) or "error" in (value.get("type"), value.get("object"))


def _is_operation(value: object) -> bool:
    if not isinstance(value, dict) or _is_error(value) or value.get("type") in _BLOCKS:
        return False
    return any(isinstance(inner, str) and fold_key(key) in _MARKS and "{" not in inner for key, inner in value.items())


def _each_once(operations: Iterable[RawOperation]) -> list[RawOperation]:
    """An answer written twice, as a draft and as the result, counts once."""
    unique = {json.dumps(operation, sort_keys=True): operation for operation in reversed(list(operations))}
    return list(reversed(unique.values()))

"""Answers that end too soon: every operation that was complete before the cut is right."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence

from prompts.malformed.case import Case, Operation, answer, compact, pretty
from prompts.malformed.stories import STORIES

FORMS: Mapping[str, Callable[[Sequence[Operation]], str]] = {
    "compact": lambda operations: compact(answer(operations)),
    "pretty": lambda operations: pretty(answer(operations)),
    "fenced": lambda operations: f"```json\n{pretty(answer(operations))}\n```",
    "bare list": lambda operations: compact(list(operations)),
    "one a line": lambda operations: "\n".join(map(compact, operations)),
    "behind a thought": lambda operations: f"<think>hm {{x}}</think>{compact(answer(operations))}",
    "behind an open thought": lambda operations: f"<think>hm {compact(answer(operations))}",
    "another container": lambda operations: compact({"memories": list(operations)}),
}
STEPS = 13
"""Cuts an answer, at even distances: they fall into keys, texts, numbers, between values, and behind operations."""


def complete_before(text: str, cut: int, operations: Sequence[Operation]) -> int:
    """How many operations stand whole before the cut."""
    end, count = 0, 0
    for operation in operations:
        written = next(form for form in (compact(operation), _indented(operation)) if form in text)
        end = text.index(written, end) + len(written)
        count += end <= cut
    return count


def _indented(operation: Operation) -> str:
    """An operation as it stands inside a pretty answer."""
    return pretty(operation).replace("\n", "\n    ")


def others() -> Iterator[Case]:
    """Cuts in answers that were not JSON to begin with, and with something behind the cut."""
    operations = STORIES["plain"]
    whole = compact(answer(operations))
    first_end = whole.index(compact(operations[0])) + len(compact(operations[0]))
    for name, cut in (("behind a comma", first_end + 1), ("in a key", first_end + 6), ("in a text", len(whole) - 20)):
        text = whole[:cut]
        python = repr(answer(operations))
        yield Case(f"cut: {name}, a fence behind", f"```json\n{text}\n```", operations[:1])
        yield Case(f"cut: {name}, prose behind", f"{text}\n\n[The answer was too long]", operations[:1])
        yield Case(f"cut: {name}, an ellipsis behind", f"{text}...", operations[:1])
        yield Case(f"cut: {name}, printed by python", python[: len(python) - len(whole) + cut], operations[:1])
        yield Case(f"cut: {name}, trailing commas", text.replace('"}', '",}'), operations[:1])
        yield Case(
            f"cut: {name}, in a list of answers", compact([answer(operations[:1])])[:-1] + "," + text, operations[:1]
        )
        yield Case(
            f"cut: {name}, a text of json", json.dumps(whole)[:-1][: cut + 1 + whole[:cut].count('"')], operations[:1]
        )


def cases() -> Iterator[Case]:
    yield from others()
    for number, (name, form) in enumerate(FORMS.items()):
        story = ("mill", "letter", "tower")[number % 3]
        operations = STORIES[story]
        text = form(operations)
        for step in range(1, STEPS + 1):
            cut = len(text) * step // (STEPS + 1)
            count = complete_before(text, cut, operations)
            yield Case(f"cut: {name}, {story}, {step}", text[:cut], operations[:count] if count else None)

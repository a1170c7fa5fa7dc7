"""The corpus of malformed answers: what is salvaged, what is refused, and that nothing ever breaks."""

from __future__ import annotations

import random
import sys
from collections.abc import Sequence

from hypothesis import settings

from prompts.malformed import CASES, Case
from prompts.malformed.hostile import BAD
from st_bme.errors import AnswerUnusable
from st_bme.graph.fold import fold
from st_bme.graph.memory_graph import MemoryGraph
from st_bme.graph.operation_order import settle_cites
from st_bme.graph.records import Answer, RecordSet, Stamp
from st_bme.model.message import Message
from st_bme.model.operation import Operation
from st_bme.ports import KnownNode
from st_bme.prompts.answer import RawAnswer, read_answer
from st_bme.prompts.extract_answer import LONGEST_TEXT
from st_bme.write.answer_context import AnswerContext
from st_bme.write.normalize import MOST_OPERATIONS, normalize

CONTEXT = AnswerContext(
    run=[Message(f"k{floor}", "user", "Sam", "t", floor) for floor in (4, 5)],
    known=[
        KnownNode("N1", "id-tam", "character", "Tam", "Tam"),
        KnownNode("N2", "id-duel", "event", "The duel", "The duel"),
    ],
)
FIXABLE = [case for case in CASES if case.right is not None]
LEAST_SALVAGED = 0.95
MARKS = (
    "{",
    "}",
    "[",
    "]",
    '"',
    "'",
    ",",
    ":",
    "\\",
    "\n",
    "`",
    "<think>",
    "</think>",
    "“",
    "：",
    "\x00",
    "\ud800",
    "null",
)
MUTATIONS = 10_000 if settings().max_examples > 100 else 500
"""All of them with HYPOTHESIS_PROFILE=deep."""


def read(text: str) -> tuple[Operation, ...] | None:
    """The operations that stand, None for an answer that cannot be used."""
    try:
        return normalize([read_answer(text)], CONTEXT).operations
    except AnswerUnusable:
        return None


def right(case: Case) -> tuple[Operation, ...] | None:
    return None if case.right is None else normalize([RawAnswer(case.right)], CONTEXT).operations


def graph_after(operations: Sequence[Operation]) -> MemoryGraph:
    run = tuple(message.key for message in CONTEXT.run)
    return fold(run, RecordSet([Answer(Stamp(1), run, settle_cites(operations))]))


def test_the_corpus_is_large_and_says_nothing_twice():
    assert len(CASES) >= 300
    assert len({case.id for case in CASES}) == len({case.text for case in CASES}) == len(CASES)


def test_nearly_all_that_can_be_fixed_is_salvaged_whole(capsys):
    lost = [case.id for case in FIXABLE if read(case.text) != right(case)]
    share = 1 - len(lost) / len(FIXABLE)
    with capsys.disabled():
        sys.stdout.write(
            f"\n{len(FIXABLE) - len(lost)} of {len(FIXABLE)} answers salvaged whole, {share:.1%}; not: {lost}\n"
        )

    assert share >= LEAST_SALVAGED


def test_an_answer_with_nothing_usable_in_it_says_so():
    assert [case.id for case in CASES if case.right is None and read(case.text) is not None] == []


def test_what_is_half_salvaged_is_never_invented():
    """Where not all is salvaged, what is comes from the answer: no operation is there that is not right."""
    invented = [
        case.id
        for case in FIXABLE
        for operation in read(case.text) or ()
        if operation.fields and operation.fields not in [each.fields for each in right(case) or ()]
    ]

    assert invented == []


def test_hostile_operations_leave_a_reason():
    hostile = [case for case in CASES if case.id in {f"hostile: {name}" for name in BAD}]
    silent = [case.id for case in hostile if not normalize([read_answer(case.text)], CONTEXT).refused]

    assert silent == [f"hostile: {name}" for name in ("a number", "a text", "a list", "a nested list")]


def test_an_unusable_answer_changes_no_graph():
    """What fails gives no operations, and so no record; what is read folds without being dropped."""
    for case in CASES:
        operations = read(case.text)
        graph = graph_after(operations or ())
        if not operations:
            assert graph.nodes == {}, case.id


def test_mutated_answers_are_read_or_refused():
    """Any mutation of any answer: never another exception, never more or longer than allowed, and it folds."""
    rng = random.Random(20_240_607)
    for _ in range(MUTATIONS):
        text = mutate(rng.choice(CASES).text, rng)
        operations = read(text)
        if operations is None:
            continue
        assert sum(operation.action not in ("link", "unlink") for operation in operations) <= MOST_OPERATIONS
        assert all(len(value) <= LONGEST_TEXT for each in operations for value in each.fields.values())
        assert all(each.target is None or each.target.id in ("", "id-tam", "id-duel") for each in operations)
        graph_after(operations)


def mutate(text: str, rng: random.Random) -> str:
    """The answer after one to four small accidents."""
    for _ in range(rng.randint(1, 4)):
        place = rng.randint(0, len(text))
        other = rng.randint(0, len(text))
        first, last = min(place, other), max(place, other)
        match rng.randrange(6):
            case 0:
                text = text[:place]
            case 1:
                text = text[:place] + text[place + rng.randint(1, 8) :]
            case 2:
                text = text[:place] + rng.choice(MARKS) * rng.randint(1, 3) + text[place:]
            case 3:
                text = text[:first] + text[last:]
            case 4:
                text = text[:last] + text[first:last][:2_000] + text[last:]
            case _:
                text = text[:place] + rng.choice(CASES).text[:2_000] + text[place:]
    return text

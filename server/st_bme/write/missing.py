"""Which types an answer leaves out though something of them is to be noted (`force_update`)."""

from __future__ import annotations

from collections.abc import Mapping

from st_bme.model.schema import NodeType
from st_bme.ports import ExtractionInput
from st_bme.prompts.answer import RawAnswer, says_something
from st_bme.prompts.extract import asked_types
from st_bme.scoring.tokens import conservative_estimate
from st_bme.write.answer_context import AnswerContext
from st_bme.write.normalize import normalize

LEAST_TOKENS = 100
"""Tokens of a run of substance, by the estimate that errs upwards: some 60 English words or 55 Han characters."""

_OF_MEMORIES = frozenset(("create", "update", "archive"))


def expected_types(request: ExtractionInput) -> Mapping[str, NodeType]:
    """The types that something of is to be noted; none where it is not wanted or little was said."""
    said = "\n".join(message.text for message in request.run)
    if not request.asking.asks_for_missing or conservative_estimate(said) < LEAST_TOKENS:
        return {}
    return {name: each for name, each in asked_types(request.asking).items() if each.force_update}


def missing_types(request: ExtractionInput, answer: RawAnswer) -> Mapping[str, NodeType]:
    """Those of them that an answer with key information leaves out. None where it says that there is none."""
    expected = expected_types(request)
    if not expected:
        return {}
    operations = normalize([answer], AnswerContext.of(request)).operations
    touched = [operation for operation in operations if operation.action in _OF_MEMORIES]
    if not touched and not says_something(answer):
        return {}
    noted = {operation.type or (operation.target.type if operation.target else "") for operation in touched}
    return {name: each for name, each in expected.items() if name not in noted}

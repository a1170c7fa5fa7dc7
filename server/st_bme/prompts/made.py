"""What an earlier step of an extraction made, for the prompts of later ones."""

from __future__ import annotations

from collections.abc import Sequence

from st_bme.ports import KnownNode
from st_bme.prompts.answer import RawAnswer, RawOperation
from st_bme.prompts.extract_answer import as_text

_MOST_SHOWN = 200


def with_refs(answers: Sequence[RawAnswer]) -> list[RawAnswer]:
    """The answers with a ref for each operation that has none, so that the next step can name what it is about."""
    named: list[RawAnswer] = []
    count = 0
    for answer in answers:
        numbered = enumerate(answer.operations, count)
        operations = [{**each, "ref": each.get("ref") or each.get("nodeId") or f"op{n}"} for n, each in numbered]
        named.append(RawAnswer(operations, answer.beside))
        count += len(operations)
    return named


def operations_of(answers: Sequence[RawAnswer]) -> list[RawOperation]:
    """All of several answers, in order."""
    return [operation for answer in answers for operation in answer.operations]


def as_known(operation: RawOperation) -> KnownNode:
    """What an operation with a ref made, as a prompt shows a memory."""
    fields = operation.get("fields")
    said = "; ".join(map(as_text, fields.values())) if isinstance(fields, dict) else as_text(fields)
    return KnownNode(as_text(operation["ref"]), "", as_text(operation.get("type")), "", said[:_MOST_SHOWN])

"""What a case of the corpus is: an answer as it came, and the operations that are right."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

Operation = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Case:
    """`right` None: the answer holds nothing that can be used, and says so instead of raising."""

    id: str
    text: str
    right: Sequence[Operation] | None


def compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def pretty(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)


def answer(operations: Sequence[Operation], thought: str = "The mill burned; Tam is hurt.") -> dict[str, object]:
    """What was asked for."""
    return {"thought": thought, "operations": list(operations)}

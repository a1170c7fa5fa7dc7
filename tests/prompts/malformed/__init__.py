"""Answers of models as they come, each with the operations that are right.

Written for this project after the ways in which models are known to miss a format. `CASES` is always the same.
"""

from __future__ import annotations

from prompts.malformed import containers, cuts, hostile, nothing, syntax, wrappers
from prompts.malformed.case import Case

CASES: tuple[Case, ...] = tuple(
    case for part in (wrappers, syntax, cuts, containers, nothing, hostile) for case in part.cases()
)

__all__ = ["CASES", "Case"]

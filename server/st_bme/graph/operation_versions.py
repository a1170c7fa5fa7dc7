"""The code that applies operations, by the version that their record says (docs/storage.md, rule 45).

A change to what an operation does is a new version: the code so far moves to a module of its own and stays in this
table, so that what is recorded keeps its meaning.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from st_bme.graph.fold_state import Drop, FoldState
from st_bme.graph.operations import apply_operations
from st_bme.graph.targets import Origin
from st_bme.model.operation import Operation, Refusal

Apply: TypeAlias = Callable[[FoldState, Origin, Sequence[tuple[int, Operation]]], None]

APPLY_BY_VERSION: Mapping[int, Apply] = {1: apply_operations}


def apply_version(version: int, state: FoldState, origin: Origin, operations: Sequence[tuple[int, Operation]]) -> None:
    """Apply operations as their version means them. Those of a newer program are left out, never guessed."""
    apply = APPLY_BY_VERSION.get(version)
    if apply is not None:
        apply(state, origin, operations)
        return
    known = ", ".join(map(str, APPLY_BY_VERSION))
    refusal = Refusal("operation_version", f"operations of version {version}; known: {known}. Update the server")
    state.drops.extend(Drop(origin.record_id, index, refusal) for index, _ in operations)

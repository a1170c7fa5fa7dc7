"""Where in its run an operation takes effect."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from st_bme.model.operation import Operation


def settle_cites(operations: Sequence[Operation]) -> tuple[Operation, ...]:
    """The operations, each citing no message before one that a node it points to is made of.

    A link told at the first message to a node of the third takes effect at the third. What points to a node that
    cites the whole run cites the whole run too.
    """
    made = {operation.ref: operation.cite for operation in operations if operation.action == "create" and operation.ref}
    settled = []
    for operation in operations:
        targets = [target for target in (operation.target, operation.to) if target is not None]
        cites = [operation.cite, *(made[target.ref] for target in targets if target.ref in made)]
        known = [cite for cite in cites if cite is not None]
        settled.append(replace(operation, cite=max(known) if len(known) == len(cites) else None))
    return tuple(settled)

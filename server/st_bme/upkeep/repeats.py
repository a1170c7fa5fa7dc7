"""Repeats: what is told again under the same name and in nearly the same words, where no model can be asked of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial

from st_bme.graph.ids import fold_name
from st_bme.model.node import Node
from st_bme.model.operation import Operation, Target
from st_bme.upkeep.consolidation import CONSOLIDATE, CONSOLIDATION, new_memories
from st_bme.upkeep.likeness import Likeness
from st_bme.upkeep.reading import Reading
from st_bme.upkeep.schedule import is_the_users
from st_bme.upkeep.situation import Decision, Job, Situation, Task

ALMOST_ONE = 0.95
"""Likeness from which two memories of one name are taken for one without asking."""


def due_repeats(situation: Situation) -> Iterator[Job]:
    """New memories that say an earlier one again: each goes into that one, which counts one mention more."""
    if situation.has_model:
        return
    new, told = new_memories(situation), Counter(fold_name(node.name) for node in situation.graph.active_nodes())
    again = [node for node in new if told[fold_name(node.name)] > 1]
    if not again:
        return
    likeness = Likeness(situation.graph, situation.vector_of)
    count = situation.settings.int("evoNeighborCount")
    for node in again:
        same = (other for other, alike in likeness.nearest(node, count=count) if _is_one(node, other, alike))
        if (first := next(same, None)) is not None:
            yield Job((Reading(CONSOLIDATE, (node, first)),), partial(_merge, node, first))


def _is_one(node: Node, other: Node, alike: float) -> bool:
    return alike >= ALMOST_ONE and fold_name(node.name) == fold_name(other.name) and not is_the_users(other)


def _merge(node: Node, kept: Node, _: str) -> Sequence[Decision]:
    operation = Operation("merge", target=Target(id=node.id), to=Target(id=kept.id))
    return [(Reading(CONSOLIDATE, (node, kept)), [operation])]


REPEATS = Task(CONSOLIDATE, CONSOLIDATION.switches, due_repeats, needs_model=False)

"""Oracles O4 to O9 of one world: what is to hold after every step, whatever came before."""

from __future__ import annotations

from collections.abc import Collection

import orjson

from scenarios.memory_model import Memory, canonical
from scenarios.scripted_upkeep import SUMMARISE, SUMMARISE_EVERY
from scenarios.world import TOKEN, World
from st_bme.graph.json_reader import Json
from st_bme.graph.memory_graph import MemoryGraph
from st_bme.graph.records import Upkeep, UserEdit
from st_bme.graph.schedule import AnchorFinder
from st_bme.graph.targets import TARGET_MISSING
from st_bme.model.node import Node
from st_bme.model.operation import Target


def tokens(text: str) -> set[str]:
    return set(TOKEN.findall(text))


def there_and_back(world: World) -> None:
    """O4: what was seen once is seen again with the same view, marks, upkeep and user records."""
    stage, graph = world.stage()
    assert world.seen.setdefault(stage, graph) == graph


def no_leak(world: World) -> None:
    """O5: nothing of an absent message is in the graph or in the copy."""
    graph = world.graph()
    shown = repr((list(graph.nodes.values()), list(graph.summaries.values()), list(graph.edges.values())))
    assert tokens(shown) <= tokens(" ".join(world.texts[key] for key in graph.view))
    assert tokens(_without_user_records(world)) <= tokens(" ".join(world.chat.texts()))


def _without_user_records(world: World) -> str:
    """The copy as text, without the user's own words."""
    state = world.state()
    tail = state["tail"]
    assert isinstance(tail, list)
    others: list[Json] = [item for item in tail if isinstance(item, dict) and item["kind"] != "user"]
    return orjson.dumps(state | {"tail": others}).decode()


def no_loss(world: World) -> None:
    """O6: what a message tells is in an active node, or in one put away for something that tells it or by choice."""
    graph = world.graph()
    told = [(node, tokens(" ".join(node.fields.values()))) for node in graph.nodes.values()]
    for key, owner in zip(graph.view, graph.coverage.owners, strict=True):
        assert owner is not None
        if owner.answer is not None:
            for token in tokens(world.texts[key].partition("]")[0]):
                assert any(token in said and _is_kept(graph, node, token) for node, said in told), token


def _is_kept(graph: MemoryGraph, node: Node, token: str) -> bool:
    """Active; or archived by the user or a decision to forget; or what it went into tells the same."""
    into = graph.nodes.get(node.redirect or node.parent_id)
    if not node.archived or into is None:
        return True
    return token in tokens(" ".join(into.fields.values())) or into.user_edited


def summaries_cover(world: World) -> None:
    """O7: summaries of messages never overlap, and with what is not due yet they cover all; each tells its own."""
    graph = world.graph()
    run_of = {identity: record.run for identity, record in world.upkeep().items() if record.run}
    live = [run_of[identity] for identity in run_of if identity in graph.live]
    flags = graph.condensed.get(SUMMARISE, (False,) * len(graph.view))
    assert sum(map(len, live)) <= sum(flags) or len(set(graph.view)) < len(graph.view)
    end = max((place + 1 for place, is_condensed in enumerate(flags) if is_condensed), default=0)
    assert all(flags[:end])
    assert world.memory.roles[end:].count("assistant") <= SUMMARISE_EVERY
    for summary in graph.summaries.values():
        assert tokens(summary.fields["summary"]) == tokens(" ".join(world.texts[key] for key in summary.sources))


def nothing_sleeps_without_reason(before: MemoryGraph, world: World) -> None:
    """O7: a change of the chat makes dormant only upkeep that it reaches, or that gives way to what it reaches."""
    after = world.graph()
    changed = _changed(before.view, after.view)
    if any("[archive" in world.texts[key] or "[wake" in world.texts[key] for key in changed):
        return  # a message that puts a node away is not among its sources
    off = world.memory.records.switched_off()
    upkeep = {identity: record for identity, record in world.upkeep().items() if identity in before.live | after.live}
    for identity, record in upkeep.items():
        if identity in before.live - after.live - off:
            reached = [_reach(one, graph) for one in _rivals(record, upkeep.values()) for graph in (before, after)]
            assert changed & set().union(*reached), record


def _rivals(record: Upkeep, upkeep: Collection[Upkeep]) -> list[Upkeep]:
    """The record and those that read some of the same, and so on: of these not all can live."""
    rivals = [record]
    for rival in rivals:
        rivals += [other for other in upkeep if other not in rivals and _shares(other, rival)]
    return rivals


def _shares(one: Upkeep, other: Upkeep) -> bool:
    return not one.reads.keys().isdisjoint(other.reads) or not set(one.run).isdisjoint(other.run)


def _changed(before: tuple[str, ...], after: tuple[str, ...]) -> set[str]:
    """The keys between what two views share at the beginning and at the end."""
    start = 0
    while start < min(len(before), len(after)) and before[start] == after[start]:
        start += 1
    end = 0
    while end < min(len(before), len(after)) - start and before[-1 - end] == after[-1 - end]:
        end += 1
    return {*before[start : len(before) - end], *after[start : len(after) - end]}


def _reach(record: Upkeep, graph: MemoryGraph) -> set[str]:
    """The messages that a record rests on: its run, its place, the sources of what it read and of what that became."""
    nodes = {**graph.nodes, **graph.summaries}
    reached = set(record.run)
    if graph.view:
        reached.add(graph.view[AnchorFinder(graph.view).place_of(record.anchor)])
    for node_id in record.reads:
        node = nodes.get(node_id)
        while node is not None:
            reached.update(node.rests_on)
            node = nodes.get(node.redirect or node.parent_id)
    return reached


def nothing_of_the_users_is_lost(world: World) -> None:
    """O8: each user operation took effect, waits for what is truly away, is without effect for a reason, or is off."""
    graph, records = world.graph(), world.memory.records
    off = records.switched_off()
    for _, identity, record in records.in_order():
        if isinstance(record, UserEdit) and identity not in off:
            assert identity in graph.live
            for drop in graph.drops:
                if drop.record_id == identity and drop.refusal.code == TARGET_MISSING:
                    operation = record.operations[drop.index]
                    assert not all(_is_there(graph, target) for target in (operation.target, operation.to) if target)


def _is_there(graph: MemoryGraph, target: Target) -> bool:
    if target.id in graph.nodes or target.id in graph.summaries:
        return True
    names = (
        (node.type, name) for node in graph.nodes.values() for name in (node.fields.get("name"), *node.former_names)
    )
    return bool(target.name) and (target.type, target.name) in set(names)


def either_store_restores_the_graph(world: World) -> None:
    """O9: from the copy alone, and from the records alone, comes the same graph, and nothing is asked."""
    restored = world.restored()
    assert canonical(restored.graph()) == canonical(world.graph())
    reread = Memory(hidden=False)
    reread.records.add_all(world.memory.records.all())
    reread.follow(world.chat)
    assert canonical(reread.graph) == canonical(world.graph())

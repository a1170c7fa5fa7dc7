"""Oracles O4 to O9 of one world: what is to hold after every step, whatever came before."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import orjson

from scenarios.memory_model import Memory, canonical
from scenarios.scripted_upkeep import SUMMARISE, SUMMARISE_EVERY
from scenarios.world import TOKEN, Placed, World
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
    parts = (graph.nodes, graph.summaries, graph.edges)
    shown = repr((*(list(part.values()) for part in parts), graph.ledgers))
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
    placed = world.placed().items()
    live = [record.run for identity, record in placed if isinstance(record, Upkeep) and identity in graph.live]
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
    placed = {identity: record for identity, record in world.placed().items() if identity in before.live | after.live}
    if any("[archive" in world.texts[key] or "[wake" in world.texts[key] for key in changed):
        return  # a message that puts a node away is not among its sources
    if any(graph.view.count(_place(record, graph)) > 1 for graph in (before, after) for record in placed.values()):
        return  # beside a text that is there twice a change may move a record from one to the other
    now_off = world.memory.records.switched_off()
    for identity, record in placed.items():
        if isinstance(record, Upkeep) and identity in before.live - after.live - now_off:
            reached = [
                _reach(one, graph) for one in _rivals(record, placed.values(), before) for graph in (before, after)
            ]
            assert changed & set().union(*reached), record


def _rivals(record: Placed, placed: Collection[Placed], graph: MemoryGraph) -> list[Placed]:
    """The record and those that are about some of the same, and so on: which come first decides which take effect."""
    rivals = [record]
    for rival in rivals:
        about = _about(rival, graph)
        rivals += [other for other in placed if other not in rivals and not about.isdisjoint(_about(other, graph))]
    return rivals


def _about(record: Placed, graph: MemoryGraph) -> set[str]:
    """The nodes and messages that a record changes or condenses; of summaries also the messages below them."""
    if isinstance(record, Upkeep):
        below = (graph.summaries[node_id].sources for node_id in record.reads if node_id in graph.summaries)
        return {*record.reads, *record.run}.union(*below)
    return {target.id for operation in record.operations for target in (operation.target, operation.to) if target}


def _changed(before: tuple[str, ...], after: tuple[str, ...]) -> set[str]:
    """The keys between what two views share at the beginning and at the end."""
    start = 0
    while start < min(len(before), len(after)) and before[start] == after[start]:
        start += 1
    end = 0
    while end < min(len(before), len(after)) - start and before[-1 - end] == after[-1 - end]:
        end += 1
    return {*before[start : len(before) - end], *after[start : len(after) - end]}


def _place(record: Placed, graph: MemoryGraph) -> str:
    """The message at which a record takes effect, if it does not wait."""
    return graph.view[AnchorFinder(graph.view).place_of(record.anchor)] if graph.view else ""


def _stretch(record: Placed, graph: MemoryGraph) -> Sequence[str]:
    """From the first to the last message that a summary condenses: what stands between them keeps it from standing."""
    run = record.run if isinstance(record, Upkeep) else ()
    places = [place for place, key in enumerate(graph.view) if key in run]
    return graph.view[min(places) : max(places) + 1] if places else ()


def _reach(record: Placed, graph: MemoryGraph) -> set[str]:
    """The messages that a record rests on: its place, what it is about, what that came from, tells of and became."""
    nodes = {**graph.nodes, **graph.summaries}
    told_of = {edge.from_id: edge.to_id for edge in graph.edges.values() if edge.relation == "updates"}
    reached = {*_about(record, graph), _place(record, graph), *_stretch(record, graph)}
    waiting = list(_about(record, graph))
    while waiting:
        node_id = waiting.pop()
        node = nodes.get(node_id)
        if node is not None:
            reached.update(node.rests_on)
            waiting += [other for other in (node.redirect or node.parent_id, told_of.get(node_id, "")) if other]
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

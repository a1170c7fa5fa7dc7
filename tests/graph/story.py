"""Short words for records and operations, so that a test shows what it is about."""

from st_bme.graph.fold import fold
from st_bme.graph.fold_state import node_digest
from st_bme.graph.memory_graph import MemoryGraph
from st_bme.graph.records import Answer, Mark, RecordSet, Stamp, Upkeep, UserEdit, record_id
from st_bme.graph.schedule import anchor_of
from st_bme.model.node import Node
from st_bme.model.operation import Operation, Target
from st_bme.model.scope import Scope
from st_bme.model.story_time import StoryTime


def character(name, cite=0, /, *, ref="", **fields):
    return Operation("create", cite, "character", {"name": name, **fields}, ref=ref)


def event(summary, cite=0, *, ref="", importance=None):
    return Operation("create", cite, "event", {"summary": summary}, importance, ref=ref)


def named(name, node_type="character"):
    return Target(type=node_type, name=name)


def update(name, cite=0, /, **fields):
    return Operation("update", cite, fields=fields, target=named(name))


def archive(name, cite=0):
    return Operation("archive", cite, target=named(name))


def wake(name, cite=0):
    return Operation("wake", cite, target=named(name))


def link(start, end, relation="involved_in", cite=0):
    return Operation("link", cite, target=named(start), to=named(end), relation=relation)


def unlink(start, end, relation="involved_in", cite=0):
    return Operation("unlink", cite, target=named(start), to=named(end), relation=relation)


def time(label, cite=0, *, moves_on=True, anchor="", **said):
    return Operation("time", cite, story_time=StoryTime(label, anchor_label=anchor, **said), flag=moves_on)


def pov(name, owner_type="character", **regions):
    return Scope("pov", owner_type, name, name, **regions)


def know(who, what, stance="known", cite=0, **said):
    fields = {"belief": said["belief"]} if "belief" in said else {}
    strength = said.get("strength")
    return Operation(
        "know", cite, fields=fields, scope=pov(who), target=named(what), relation=stance, strength=strength
    )


def region(*path, cite=0, who="", beside=(), is_there=True):
    scope = {"region_primary": path[-1], "region_path": path if len(path) > 1 else (), "region_secondary": beside}
    return Operation("region", cite, scope=pov(who, **scope) if who else Scope(**scope), flag=is_there)


def set_to(cite=0, **variables):
    return Operation("set", cite, fields=variables)


def answer(n, run, *operations, related=0.0):
    """An answer over the messages of `run`, one letter each."""
    return Answer(Stamp(n), tuple(run), operations, related=related)


def edit(n, view, *operations):
    """A user's edit at the end of `view`."""
    return UserEdit(Stamp(n), f"edit{n}", operations, anchor_of(tuple(view)))


def upkeep(n, view, reads, *operations, task="compress", run=()):
    """An upkeep record at the end of `view`; `reads` maps node ids to digests."""
    return Upkeep(Stamp(n), task, reads, anchor_of(tuple(view)), operations, tuple(run))


def off(n, record):
    return Mark(Stamp(n), f"mark{n}", record_id(record), off=True)


def on(n, record):
    return Mark(Stamp(n), f"mark{n}", record_id(record), off=False)


def records(*listed):
    return RecordSet(listed)


def told(view, *listed) -> MemoryGraph:
    """The graph of these records over messages of one letter each."""
    return fold(tuple(view), records(*listed))


def over(*nodes: Node) -> dict[str, str]:
    """What an upkeep record that read these nodes says of them."""
    return {node.id: node_digest(node) for node in nodes}


def events(graph: MemoryGraph) -> list[Node]:
    return [node for node in graph.nodes.values() if node.type == "event"]


def find(graph: MemoryGraph, name: str) -> Node | None:
    """The node of this name, or, where it has none, of this summary; None without one."""
    found = [node for node in graph.nodes.values() if node.fields.get("name", node.fields.get("summary")) == name]
    assert len(found) <= 1, f"{len(found)} nodes called {name}"
    return found[0] if found else None


def reasons(graph: MemoryGraph) -> list[str]:
    return [drop.refusal.code for drop in graph.drops]


def joined(graph: MemoryGraph) -> set[tuple[str, str, str]]:
    """(from, relation, to) of the edges that hold, by name."""
    nodes = graph.nodes
    return {(nodes[edge.from_id].name, edge.relation, nodes[edge.to_id].name) for edge in graph.current_edges()}

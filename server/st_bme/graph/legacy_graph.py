"""Nodes, edges and summaries of a state of the original ST-BME, put right and with our ids."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from st_bme.graph import legacy_values as read
from st_bme.graph.base_part import GONE
from st_bme.graph.fold_state import NameKey, is_latest_only, name_key
from st_bme.graph.ids import GRAPH_ID_LENGTH, content_node_id, named_node_id
from st_bme.graph.json_reader import Json, JsonObject
from st_bme.model.edge import DEFAULT_STRENGTH, ENDED_BY_HAND, INHIBITORY, Edge, as_relation
from st_bme.model.node import DEFAULT_IMPORTANCE, SET_BY_ALL, Node
from st_bme.model.schema import STORY_TYPES, SUMMARY
from st_bme.model.scope import OBJECTIVE

_HIGHEST_LEVEL = 99
_MOST_RECALLS = 1_000_000_000
_OUR_ID = re.compile(rf"[a-z2-7]{{{GRAPH_ID_LENGTH}}}")


class ChatFloors:
    """The messages of the chat as it stands, by floor."""

    def __init__(self, view: Sequence[str], floors: Sequence[int]) -> None:
        self._view, self._floors = view, floors
        self._places = {key: place for place, key in reversed(list(enumerate(view)))}

    def until(self, floor: int) -> tuple[str, ...]:
        """The messages up to a floor that are there."""
        return tuple(key for key in self.between(0, floor) if key != GONE)

    def between(self, first: int, last: int) -> tuple[str, ...]:
        """Keys of these floors, each once; with `GONE` if the chat ends before."""
        keys = (key for key, floor in zip(self._view, self._floors, strict=True) if first <= floor <= last)
        gone = [GONE] if last > max(self._floors, default=-1) else []
        return tuple(dict.fromkeys((*keys, *gone)))

    def key_at(self, floor: int) -> str:
        """The message at a floor, or the nearest before; the first where there is none before."""
        if not self._view or floor > self._floors[-1]:
            return GONE
        return self._view[max(0, bisect_right(self._floors, floor) - 1)]

    def in_order(self, keys: Iterable[str]) -> tuple[str, ...]:
        return tuple(sorted(set(keys), key=lambda key: self._places.get(key, len(self._places))))


@dataclass(slots=True)
class _Found:
    """A node of the state on its way: where it stands among others of its name, and its former id."""

    old_id: str
    node: Node
    last_floor: int
    parent: str
    children: tuple[str, ...]


class LegacyGraph:
    """Takes nodes, then edges and summaries; `mended` counts by kind what had to be put right."""

    def __init__(self, chat: ChatFloors) -> None:
        self._chat = chat
        self._found: dict[str, _Found] = {}
        self._names: dict[NameKey, str] = {}
        self._new_ids: dict[str, str] = {}
        self.mended: read.Mended = Counter()
        self.access: Counter[str] = Counter()

    @property
    def nodes(self) -> tuple[Node, ...]:
        return tuple(found.node for found in self._found.values())

    @property
    def newest_floor(self) -> int:
        """The floor of the newest node, -1 without nodes."""
        return max((found.last_floor for found in self._found.values()), default=-1)

    def new_id(self, old_id: Json) -> str:
        """What a node is called here, "" where it is not."""
        return self._new_ids.get(read.text(old_id), "")

    def take_nodes(self, entries: Sequence[Json]) -> None:
        for entry in entries:
            if isinstance(entry, dict):
                self._take_node(entry)
            else:
                self.mended["unreadable"] += 1
        self._join_families()

    def _span(self, entry: JsonObject) -> tuple[int, int]:
        """First and last floor of a node."""
        seq = read.floor(entry.get("seq"))
        said = [read.floor(value) for value in read.items(entry.get("seqRange"))]
        ends = [end for end in (*said, seq) if end is not None]
        broken = len(said) != 2 or None in said or seq is None
        self.mended["floors"] += broken and ("seqRange" in entry or seq is None)
        return (min(ends), max(ends)) if ends else (0, 0)

    def _take_node(self, entry: JsonObject) -> None:
        first, last = self._span(entry)
        sources = self._chat.in_order({self._chat.key_at(first), self._chat.key_at(last)})
        if sources == (GONE,):
            self.mended["beyond_chat"] += 1
            return
        node_type = read.text(entry.get("type")).strip()
        fields = read.fields(entry.get("fields"))
        if not node_type or not fields:
            self.mended["empty_nodes"] += 1
            return
        parent = read.text(entry.get("parentId"))
        archived = entry.get("archived") is True
        node = Node(
            id="",
            type=node_type,
            fields=fields,
            sources=sources,
            importance=read.number_between(entry.get("importance"), DEFAULT_IMPORTANCE, (0, 10), self.mended),
            scope=read.scope(entry.get("scope"), node_type),
            story_time=read.story_time(entry.get("storyTime"), entry.get("storyTimeSpan")),
            clusters=read.texts(entry.get("clusters")),
            level=int(read.number_between(entry.get("level"), 0, (0, _HIGHEST_LEVEL), self.mended)),
            archived_by=("upkeep" if parent else "model") if archived else "",
        )
        self.mended["embeddings"] += bool(entry.get("embedding"))
        self.mended["unknown_types"] += node_type not in STORY_TYPES
        children = read.texts(entry.get("childIds"))
        self._add(_Found(read.text(entry.get("id")), node, last, parent, children), entry.get("accessCount"))

    def _add(self, found: _Found, access: Json) -> None:
        """Give the node its id; what has the name or the content of another one becomes one with it."""
        node = found.node
        name = node.fields.get("name", "")
        named = name_key(node.type, node.scope, name) if is_latest_only(node.type) and name else None
        identity = self._names.get(named, "") if named else ""
        if not identity:
            content = content_node_id(node.type, node.scope, node.fields)
            identity = named_node_id(node.type, node.scope, name) if named else content
            if _OUR_ID.fullmatch(found.old_id) and found.old_id not in self._found and content not in self._found:
                identity = found.old_id
        found.node = replace(node, id=identity)
        if identity in self._found:
            self.mended["duplicates"] += 1
            found = _one_of(self._found[identity], found, self._chat)
        self._found[identity] = found
        if named:
            self._names[named] = identity
        if found.old_id:
            self._new_ids.setdefault(found.old_id, identity)
        self.access[identity] += int(read.number_between(access, 0, (0, _MOST_RECALLS), self.mended))

    def _join_families(self) -> None:
        """Parents and children by their new ids; what condenses others has their sources too."""
        for found in sorted(self._found.values(), key=lambda found: found.node.level):
            others = {old: new for old in (found.parent, *found.children) if (new := self.new_id(old)) != found.node.id}
            parent = others.get(found.parent, "")
            known = tuple(dict.fromkeys(others[child] for child in found.children if others.get(child)))
            self.mended["lost_relatives"] += len(found.children) - len(known) + (found.parent != "" and parent == "")
            below = (key for child in known for key in self._found[child].node.sources)
            sources = self._chat.in_order((*found.node.sources, *below))
            node = replace(found.node, sources=sources, child_ids=known, parent_id=parent)
            found.node = replace(node, setters=_setters(node))

    def edges(self, entries: Sequence[Json]) -> tuple[Edge, ...]:
        """The edges whose ends are there, each once; they live as long as both ends do."""
        made: dict[tuple[str, str, str, str, bool], Edge] = {}
        for entry in entries:
            said = read.entries(entry)
            start, end = self.new_id(said.get("fromId")), self.new_id(said.get("toId"))
            if not start or not end or start == end:
                self.mended["dangling_edges"] += 1
                continue
            edge = self._edge(said, start, end)
            key = (start, end, edge.relation, edge.scope.identity, edge.is_current)
            if key in made:
                self.mended["duplicate_edges"] += 1
                edge = max(edge, made[key], key=lambda one: one.strength)
            made[key] = edge
        return tuple(made.values())

    def _edge(self, said: JsonObject, start: str, end: str) -> Edge:
        relation = as_relation(read.text(said.get("relation")))
        inhibits = relation == "contradicts" or read.number(said.get("edgeType")) == INHIBITORY
        ended = said.get("invalidAt") is not None or said.get("expiredAt") is not None
        return Edge(
            id="",
            from_id=start,
            to_id=end,
            relation=relation,
            strength=read.number_between(said.get("strength"), DEFAULT_STRENGTH, (0, 1), self.mended),
            source="",
            edge_type=INHIBITORY if inhibits else 0,
            scope=read.scope(said.get("scope")),
            ended=ENDED_BY_HAND if ended else "",
        )

    def summaries(self, entries: Sequence[Json]) -> tuple[Node, ...]:
        """The hierarchy of summaries; each needs all messages that it condenses."""
        made: dict[str, Node] = {}
        for entry in map(read.entries, entries):
            said = read.text(entry.get("text"))
            span = [read.floor(end) for end in read.items(entry.get("messageRange") or entry.get("dialogueRange"))]
            match span:
                case [int(first), int(last)] if said and first <= last:
                    made[read.text(entry.get("id"))] = self._summary(entry, said, self._chat.between(first, last))
                case _:
                    self.mended["summaries"] += 1
        for entry in map(read.entries, entries):
            whole = made.get(read.text(entry.get("id")))
            for part in read.texts(entry.get("sourceSummaryIds")):
                if whole is not None and part in made:
                    made[part] = replace(made[part], parent_id=whole.id, archived_by="upkeep")
        return tuple({summary.id: summary for summary in made.values()}.values())

    def _summary(self, entry: JsonObject, said: str, sources: tuple[str, ...]) -> Node:
        fields = {"summary": said}
        old_id = read.text(entry.get("id"))
        return Node(
            id=old_id if _OUR_ID.fullmatch(old_id) else content_node_id(SUMMARY, OBJECTIVE, fields),
            type=SUMMARY,
            fields=fields,
            sources=sources,
            story_time=read.story_time(None, entry.get("storyTimeSpan")),
            level=int(read.number_between(entry.get("level"), 0, (0, _HIGHEST_LEVEL), self.mended)),
            archived_by="upkeep" if entry.get("status") == "folded" else "",
            setters={"summary": SET_BY_ALL},
        )


def _one_of(first: _Found, second: _Found, chat: ChatFloors) -> _Found:
    """Two nodes of one name as one: what is active goes before what is archived, the later before the earlier."""
    by_rank = sorted((first, second), key=lambda found: (not found.node.archived, found.last_floor))
    behind, ahead = by_rank[0].node, by_rank[1].node
    fields = {**behind.fields, **ahead.fields}
    sources = chat.in_order((*behind.sources, *ahead.sources))
    kept = replace(ahead, id=first.node.id, fields=fields, sources=sources, mentions=behind.mentions + ahead.mentions)
    return replace(by_rank[1], node=kept, last_floor=max(first.last_floor, second.last_floor))


def _setters(node: Node) -> dict[str, str]:
    """Where several messages may have set a field, all of them must be there; a name needs one."""
    if len(node.sources) < 2:
        return {}
    is_named = is_latest_only(node.type) and not node.child_ids
    return {name: SET_BY_ALL for name in node.fields if not (is_named and name == "name")}

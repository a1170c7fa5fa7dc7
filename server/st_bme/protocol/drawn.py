"""Results that the page draws: the graph, one memory of it, counts of a chat, and what other chats remember."""

from __future__ import annotations

from pydantic import Field

from st_bme.protocol.wire import Floor, Wire


class DrawnNode(Wire):
    """A memory as a point. `edges` counts its relations in the whole graph; `found` false: only beside what was.

    `archived`: it was put away, and is drawn because a query found it.
    """

    id: str
    type: str
    name: str
    importance: float
    edges: int
    pinned: bool = False
    found: bool = True
    archived: bool = False


class DrawnEdge(Wire):
    """A relation that holds, between two memories that are drawn."""

    from_id: str
    to_id: str
    relation: str
    strength: float


class Drawing(Wire):
    """The graph to be drawn. `total` memories were to be shown; `types` counts all active ones by their type."""

    nodes: list[DrawnNode]
    edges: list[DrawnEdge]
    total: int
    types: dict[str, int]


class Neighbour(Wire):
    """A memory that a relation leads to (`outward`) or comes from."""

    id: str
    type: str
    name: str
    relation: str
    outward: bool


class Source(Wire):
    """A message that a memory comes from, and how it begins; `text` is empty where the server lacks it."""

    floor: Floor
    name: str
    text: str


class Memory(Wire):
    """One memory in full: fields in display order, sources by floor, and what it is related to."""

    id: str
    type: str
    name: str
    fields: dict[str, str]
    importance: float
    archived: bool
    pinned: bool
    by_user: bool = Field(description="the user wrote or changed it")
    time: str = Field(description='story time, "" for none')
    place: str = Field(description='region, "" for none')
    owner: str = Field(description='whose point of view it is, "" for nobody\'s')
    sources: list[Source]
    neighbours: list[Neighbour]


class Renewed(Wire):
    """How many texts get a new vector, of which model; `is_local`: it costs nothing but time."""

    texts: int
    model: str
    is_local: bool


class OtherChat(Wire):
    """Another chat of the same character or group, and how many messages it had when it was seen last."""

    lineage: str
    name: str
    messages: int


class OtherChats(Wire):
    """The other chats that are remembered, newest first."""

    chats: list[OtherChat]


class Brought(Wire):
    """How many memories were taken over, of how many there are; `record` undoes it, "" where there was nothing new."""

    memories: int
    total: int
    record: str = ""


class Statistics(Wire):
    """What is remembered of a chat, in numbers.

    `last_floor` is the last one that was read, -1 for none; `texts` are those that search by meaning knows or will,
    `vectors` those of them that have a vector now.
    """

    messages: int
    pending: int
    last_floor: int
    active: int
    archived: int
    pinned: int
    summaries: int
    edges: int
    records: int
    by_type: dict[str, int]
    texts: int
    vectors: int

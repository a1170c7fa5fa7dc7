"""Results about the history of a chat: its records, what they said, and the graph at an earlier floor."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, JsonValue

from st_bme.model.operation import Action
from st_bme.protocol.wire import Floor, Wire


class Subject(Wire):
    """A memory as one speaks of it; `type` is "" for what is none: a time, a place."""

    type: str = ""
    name: str = ""


class Said(Wire):
    """One operation of a record in facts; who shows it puts them into words.

    `about` is what it is about, `to` the other end, `owner` whose point of view or whereabouts it is; `on` is false
    where something is let go. `fields` are what was written beside the name, each cut to a line. `refused` is the code
    of why it had no effect, "" where it had one, and `detail` the reason in English.
    """

    action: Action
    about: Subject = Subject()
    to: Subject | None = None
    relation: str = ""
    owner: str = ""
    on: bool = True
    fields: dict[str, str] = Field(default_factory=dict)
    refused: str = ""
    detail: str = ""


class RecordEntry(Wire):
    """One record of the history. `state`: live, dormant (what it read is not there), waiting (a user's change whose
    target is away) or off (undone).

    `floors` are those of the messages that it read and `absent` the number of those that are not in the chat now;
    `operations` what it said; `target` the record that a mark is about. `comparisons` in a row that found nothing to
    change are listed as one, by the oldest of them; 0 for every other record.
    """

    id: str
    n: int
    kind: Literal["answer", "upkeep", "user", "mark", "origin", "base"]
    time: int
    cause: str
    model: str
    tokens: int
    state: Literal["live", "dormant", "waiting", "off"]
    floors: list[Floor] = Field(default_factory=list)
    absent: int = 0
    operations: list[Said] = Field(default_factory=list)
    target: str = ""
    comparisons: int = 0


class RecordList(Wire):
    """Records, newest first. `more`: there are older ones."""

    entries: list[RecordEntry]
    more: bool


class GraphAt(Wire):
    """The graph as of a floor, in the form of the state; `sources` are places in the view."""

    floor: Floor
    nodes: list[dict[str, JsonValue]]
    edges: list[dict[str, JsonValue]]

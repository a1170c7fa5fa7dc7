"""Results: what a command answers with status 200, one class each; and the one form of an error."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, JsonValue

from st_bme.protocol.wire import Floor, Wire


class Failure(Wire):
    """Every error: `code` for machines, `error` for people. A proxy may change the status, never this body."""

    code: str
    error: str


class Ok(Wire):
    """Done, nothing to say."""

    ok: Literal[True] = True


class ModelStates(Wire):
    """Which model does what, as words for the badge: `none`, `heuristic`, `relay`, `openai`, `local`."""

    chat: str
    embedding: str


class Hello(Wire):
    """Who is there. `models` and `queue` only for a caller with a token."""

    name: str
    version: str
    api_min: int
    api_max: int
    paired: bool
    models: ModelStates | None = None
    queue: int | None = None


class Paired(Wire):
    """The token of this browser for this server."""

    token: str


class PairingWaits(Wire):
    """Pairing needs the user: open `allow_url`, or send the 6-digit code that the console shows."""

    paired: Literal[False] = False
    allow_url: str


class StatePatch(Wire):
    """Steps that turn the copy of `base_rev` into that of `rev`; base_rev -1: the first step sets everything.

    A step is ["set", [path…], value], ["delete", [path…]] or ["splice", [path…], start, delete count, items],
    items being a list, or a text where the value at the path is a text. Steps are applied in order.
    """

    lineage: str
    base_rev: int
    rev: int
    steps: list[list[JsonValue]]


class Attached(Wire):
    """The chat is open. `need` lists floors whose text the server lacks; `patch` brings the copy up to date.

    `need_copy`: attach once more with the whole copy. `read_only`: the copy is of a newer version. `elsewhere`: the
    chat is open in another page with other messages; the list was not taken, `chat/seat` takes it.
    """

    lineage: str
    need: list[Floor]
    need_copy: bool = False
    read_only: bool = False
    elsewhere: bool = False
    patch: StatePatch | None = None
    notices: list[Notice] = Field(default_factory=list)


class Received(Wire):
    """The list and the texts are in. `need` lists floors whose text the server still lacks."""

    need: list[Floor] = Field(default_factory=list)


class Item(Wire):
    """One memory of an injection."""

    node_id: str
    type: str
    section: str
    reason: str
    score: float
    scores: dict[str, float] = Field(default_factory=dict)
    text: str = ""


class Recalled(Wire):
    """The text to inject, "" for none, and where it belongs. `position`: 0 after the main prompt, 1 in chat at
    `depth`, 2 before the main prompt, -1 nowhere but in macros; `role`: 0 system, 1 user, 2 assistant.

    `steady`: text of its own for a place after the main prompt, since it stays from turn to turn. `parts`: the parts
    of `text` by section, for macros. `tokens` counts both texts.
    """

    text: str
    steady: str = ""
    parts: dict[str, str] = Field(default_factory=dict)
    tokens: int
    position: int
    depth: int
    role: int
    items: list[Item]
    sections: dict[str, int] = Field(default_factory=dict)
    timings_ms: dict[str, float] = Field(default_factory=dict)
    degraded: list[str] = Field(default_factory=list)
    need: list[Floor] = Field(default_factory=list)


class Why(Wire):
    """What was injected for the message of a floor, not always the floor that was asked for.

    `text` is the name of a memory, "" for what is gone or a quote.
    """

    floor: Floor
    items: list[Item]


class Extracted(Wire):
    """What an extraction did. `calls` counts model calls, `pending` messages that still have no owner.

    `reason` says why the last call that failed did, and what to do, "" where none failed; `failed` counts the
    parts that no call answered, which are tried again later.
    """

    records: int
    operations: int
    refused: int
    calls: int
    pending: int
    reason: str = ""
    failed: int = 0


class CatchUpState(Wire):
    """What reading a span would cost, or the job that there is in the chat, `state` "" for none.

    `messages` that are not read yet, `calls` and `tokens` (prompts and answers) that they take, estimated; 0 where no
    model is asked, and while there is a job. Of that, `done` of `total` messages are read; `reason` says why it paused
    by itself.
    """

    messages: int
    calls: int
    tokens: int
    state: Literal["", "running", "paused"] = ""
    done: int = 0
    total: int = 0
    reason: str = ""


class Tended(Wire):
    """What upkeep did: the records that it left, its model calls, and the jobs that failed and are tried again.

    `made` are the ids of those records that changed something, for an undo.
    """

    records: int
    calls: int
    failed: int
    made: list[str] = Field(default_factory=list)


class Imported(Wire):
    """What an import did: the version that came in, records that were added, and the graph as it is now.

    `resting` of the added records take no part until the messages that they tell of are in the chat. `made` are the
    ids of those that can be undone, `off` of those that had been undone here before, unlike there, and stay so.
    """

    version: int
    records: int
    resting: int = 0
    nodes: int
    edges: int
    made: list[str] = Field(default_factory=list)
    off: list[str] = Field(default_factory=list)
    notices: list[Notice] = Field(default_factory=list)


class Exported(Wire):
    """A state as JSON text, to be saved as a file."""

    text: str


class Purged(Wire):
    """How many records and texts of absent messages were removed for good."""

    records: int
    texts: int


class ModelTested(Wire):
    """What a model answered to a trial call: its name, the time it took, and for embeddings the dimension."""

    ok: bool
    model: str = ""
    ms: float = 0.0
    dimension: int = 0
    code: str = ""
    reason: str = ""


class Notice(Wire):
    """Something the user should read. `code` is translated by the page; `data` fills its gaps."""

    code: str
    level: Literal["info", "warning", "error"]
    data: dict[str, JsonValue] = Field(default_factory=dict)


class State(Wire):
    """The whole copy for the chat metadata."""

    lineage: str
    rev: int
    state: dict[str, JsonValue]


class Choice(Wire):
    """One value of a closed set, with its label in each language."""

    value: str
    label: dict[str, str]


class SettingSpec(Wire):
    """One setting as the panel draws it: label and help by language (`en`, `zh`), unit, range, default."""

    key: str
    group: str
    kind: Literal["bool", "int", "float", "text", "lines", "choice", "secret"]
    default: JsonValue
    label: dict[str, str]
    help: dict[str, str]
    unit: str = ""
    minimum: float | None = None
    maximum: float | None = None
    choices: list[Choice] = Field(default_factory=list)
    choices_from: Literal["", "profiles"] = Field(default="", description="what the page adds to the choices")
    show_if: tuple[str, str] | None = Field(default=None, description="another setting and the value it must have")
    advanced: bool = False


class SettingGroup(Wire):
    """A heading of the panel."""

    id: str
    label: dict[str, str]


class Settings(Wire):
    """The schema, which the page caches for offline, and the values in force that differ from the defaults.

    `secrets` shows the end of each secret that the server keeps, by key. `told`: a page has brought its values since
    the server started; before that those in force are only the defaults.
    """

    groups: list[SettingGroup]
    settings: list[SettingSpec]
    values: dict[str, JsonValue]
    secrets: dict[str, str] = Field(default_factory=dict)
    told: bool = True


class UsageEntry(Wire):
    """What a task cost on a day in a chat; lineage "" for what belongs to no chat."""

    day: str
    lineage: str
    chat: str
    task: str
    calls: int
    prompt_tokens: int
    answer_tokens: int


class UsageReport(Wire):
    """What calls of the chat model cost: calls and tokens of today, the budget of a day (0: none), and each entry."""

    today: str
    calls: int
    tokens: int
    budget: int
    entries: list[UsageEntry]

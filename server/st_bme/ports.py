"""What the core asks of the world. Adapters fulfil these; tests use the scripted ones of `adapters/testing.py`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol

from st_bme.model.message import Message
from st_bme.model.operation import Operation, Refusal
from st_bme.model.schema import NodeType
from st_bme.model.usage import Spent, UsageRow

if TYPE_CHECKING:  # the doors of the server open before numpy is loaded
    import numpy as np
    from numpy.typing import NDArray


class Clock(Protocol):
    """Wall time, for records and timeouts only: no fold reads it."""

    def now_ms(self) -> int: ...


@dataclass(frozen=True, slots=True)
class ChatPrompt:
    """A prompt for a chat model. `schema` is the JSON schema of the wanted answer, None for free text.

    `is_urgent`: a reply waits for the answer, so that it is asked for before and not behind that reply.
    """

    task: str
    system: str
    user: str
    max_tokens: int
    temperature: float = 0.2
    schema: Mapping[str, object] | None = None
    is_urgent: bool = False


@dataclass(frozen=True, slots=True)
class ChatReply:
    """A chat model's text with what it cost. `seconds` are those of the model, without the wait for its turn."""

    text: str
    model: str
    prompt_tokens: int = 0
    completion_tokens: int = 0
    seconds: float = field(default=0.0, compare=False)


class ChatModel(Protocol):
    """A chat model. Raises ModelFailed; cancellation is not failure.

    `timeout_s` counts from when the model is asked, not from when the call waits for its turn.
    """

    @property
    def name(self) -> str: ...

    async def complete(self, prompt: ChatPrompt, *, timeout_s: float) -> ChatReply: ...


class Embedder(Protocol):
    """Text to unit vectors, (n, dimension) float32. Raises ModelFailed.

    Some models see a question otherwise than the texts that answer it; queries are only compared with texts.
    """

    @property
    def name(self) -> str: ...

    @property
    def dimension(self) -> int: ...

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]: ...

    async def embed_queries(self, queries: Sequence[str]) -> NDArray[np.float32]: ...


class Reranker(Protocol):
    """Says which of some texts help most to answer a query. Raises ModelFailed."""

    @property
    def name(self) -> str: ...

    async def rerank(self, query: str, texts: Sequence[str], *, most: int, timeout_s: float) -> Sequence[int]:
        """Positions of at most so many texts, best first, each once; none where no text helps."""
        ...


@dataclass(frozen=True, slots=True)
class VectorSpace:
    """Vectors of one model and one length: only these may be compared."""

    model: str
    dimension: int


@dataclass(frozen=True, slots=True)
class FoundVectors:
    """Vectors of those texts that have one.

    `positions` are indices into the texts asked for, ascending, (k,) intp; `vectors` are (k, dimension) float32, of
    length 1 up to the rounding of float16.
    """

    positions: NDArray[np.intp]
    vectors: NDArray[np.float32]


class VectorStore(Protocol):
    """Vectors by space and text. What is lost can be made again."""

    async def get(self, space: VectorSpace, texts: Sequence[str]) -> FoundVectors: ...

    async def put(self, space: VectorSpace, texts: Sequence[str], vectors: NDArray[np.float32]) -> None: ...

    async def count(self) -> Mapping[VectorSpace, int]: ...

    async def drop(self, space: VectorSpace) -> None: ...

    async def keep_only(self, texts: Sequence[str]) -> None: ...

    async def close(self) -> None: ...


class TokenCounter(Protocol):
    """Number of tokens of a text; never too low by design."""

    def count(self, text: str) -> int: ...


@dataclass(frozen=True, slots=True)
class KnownNode:
    """A node as an extractor sees it: a short ref to name it by, and what it says."""

    ref: str
    id: str
    type: str
    name: str
    text: str


@dataclass(frozen=True, slots=True)
class TrackedVariable:
    """A value that the user wants followed through the story."""

    name: str
    description: str = ""
    value: str = ""


@dataclass(frozen=True, slots=True)
class Background:
    """What is known around a run. What is empty is not known, or not wanted in the prompt.

    `counts` are active memories by type; `story_time` and `regions` say in words when and where the story is;
    names of variables in `forbidden` are never extracted.
    """

    persona: str = ""
    card: str = ""
    world_info: str = ""
    counts: Mapping[str, int] = field(default_factory=dict)
    summaries: Sequence[str] = ()
    story_time: str = ""
    regions: str = ""
    variables: Sequence[TrackedVariable] = ()
    forbidden: Sequence[str] = ()


Stages = Literal["single", "gate_then_extract", "objective_then_pov"]
MessageForm = Literal["both", "transcript", "structured"]


@dataclass(frozen=True, slots=True)
class Asking:
    """What the user wants an extractor to be asked for, in how many calls, and in whose words ("": the built-in).

    `types` are node types beside the built-in ones. `time_limit_s` is of the model, for all calls of one run together;
    waiting for its turn does not count. `asks_for_missing`: once more, for types with `force_update` that an answer
    left out.
    """

    stages: Stages = "single"
    message_form: MessageForm = "both"
    template: str = ""
    gate_template: str = ""
    pov_template: str = ""
    time_limit_s: float = 120.0
    types: Mapping[str, NodeType] = field(default_factory=dict)
    has_scopes: bool = True
    has_pov: bool = True
    has_cognition: bool = True
    has_story_time: bool = True
    has_adjacency: bool = True
    asks_for_missing: bool = False


@dataclass(frozen=True, slots=True)
class ExtractionInput:
    """What an extractor is given: the run to read, messages before it for orientation, and memories by short ref."""

    run: Sequence[Message]
    context: Sequence[Message]
    known: Sequence[KnownNode]
    user_name: str
    character_name: str
    language: str
    background: Background = field(default_factory=Background)
    asking: Asking = field(default_factory=Asking)


@dataclass(frozen=True, slots=True)
class Extraction:
    """What an extractor made of a run. No operations is an answer too: nothing worth keeping was said.

    `calls` and `tokens` are what it took: calls that were answered, also by a model that does not tell its tokens.
    """

    operations: tuple[Operation, ...]
    refused: tuple[Refusal, ...]
    model: str
    tokens: int = 0
    calls: int = 0


class Extractor(Protocol):
    """Reads a run of messages and says what to remember. Raises ModelFailed."""

    @property
    def name(self) -> str: ...

    async def extract(self, request: ExtractionInput) -> Extraction: ...

    def prompts(self, request: ExtractionInput) -> Sequence[ChatPrompt]:
        """What a model would be asked, one prompt a call; none where no model is. For the price, asked of nobody."""
        ...


@dataclass(frozen=True, slots=True)
class ChatName:
    """What a chat is called: SillyTavern's chat name and the avatar file or group it belongs to. Only compared."""

    name: str
    owner: str


class StoredRecord(NamedTuple):
    """A record as bytes, with what it is ordered by. A tuple, since a long chat has thousands."""

    id: str
    n: int
    body: bytes


class StoredText(NamedTuple):
    """The raw text of a message under its key; `cleaned` is the digest of its cleaned text."""

    key: str
    cleaned: str
    text: str


@dataclass(frozen=True, slots=True)
class StoredChat:
    """All that the store has of one lineage. `purged` are ids of records that must not come back, `missing` the number
    of records that were written and are gone, which nobody asked for.

    `slots` is the list of messages as last seen, as JSON; `copy` the digest of the copy that was sent at `rev`.
    """

    lineage: str
    chat: ChatName
    rev: int
    slots: bytes
    records: tuple[StoredRecord, ...]
    texts: tuple[StoredText, ...]
    aliases: Mapping[str, str]
    side: bytes
    copy: str = ""
    purged: frozenset[str] = frozenset()
    missing: int = 0


@dataclass(frozen=True, slots=True)
class StoredList:
    """The chat of a lineage and its list of messages as last seen, as JSON, without anything else."""

    chat: ChatName
    slots: bytes


@dataclass(frozen=True, slots=True)
class Commit:
    """What is written in one transaction: new records and the revision after them. None and () change nothing."""

    rev: int
    head: str
    records: tuple[StoredRecord, ...] = ()
    slots: bytes | None = None
    texts: tuple[StoredText, ...] = ()
    aliases: Mapping[str, str] | None = None
    copy: str | None = None


@dataclass(frozen=True, slots=True)
class SetAside:
    """The number under which something is kept as it came; `is_new`: it was not kept before."""

    number: str
    is_new: bool


class Store(Protocol):
    """The durable copy. What `write` was awaited for survives a kill of the process and a power cut."""

    async def find(self, chat: ChatName) -> Sequence[str]: ...

    async def chats(self) -> Mapping[str, ChatName]: ...

    async def load(self, lineage: str) -> StoredChat | None: ...

    async def load_list(self, lineage: str) -> StoredList | None: ...

    async def create(self, lineage: str, chat: ChatName) -> None: ...

    async def rename(self, lineage: str, chat: ChatName) -> None: ...

    async def rename_owner(self, old: str, new: str) -> None: ...

    async def write(self, lineage: str, commit: Commit) -> None: ...

    async def purge(self, lineage: str, records: Sequence[str], keys: Sequence[str]) -> None: ...

    async def put_side(self, lineage: str, side: bytes) -> None: ...

    async def heads(self, lineage: str) -> Mapping[int, str]: ...

    async def accept_loss(self, lineage: str) -> None: ...

    async def set_aside(self, reason: str, body: bytes) -> SetAside: ...

    async def add_usage(self, day: str, lineage: str, task: str, spent: Spent) -> None: ...

    async def usage(self, since: str) -> Sequence[UsageRow]: ...

    async def close(self) -> None: ...

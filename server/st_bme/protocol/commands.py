"""Commands: the body of `POST /v1/<command>`, one class each."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, JsonValue

from st_bme.model.recall import GenerationType
from st_bme.protocol.wire import ChatIdentity, Floor, Lineage, MessageList, Name, Text, Wire

RecordId = Annotated[str, Field(pattern=r"^[a-z2-7]{10,40}$")]
MOST_RECORDS = 40_000
"""As many as the body of a command has room for."""

NodeId = Annotated[str, Field(min_length=1, max_length=100)]
CommandId = Annotated[str, Field(max_length=64)]


class Command(Wire):
    """Base of all commands. A command repeated under its `id` has one effect."""

    id: CommandId = ""


class Pair(Command):
    """Ask for a token. Without a code only from SillyTavern's usual origins on loopback, at first or after a start."""

    code: str = Field(default="", max_length=12)


class CopyHead(Wire):
    """What the copy in the chat file says of itself."""

    version: int
    lineage: str = Field(default="", max_length=40)
    chat: Name = ""
    owner: Name = ""
    rev: int = 0
    head: str = Field(default="", max_length=40)
    messages: int = Field(default=0, ge=0, description="how many it knows")
    owner_gone: bool = Field(default=False, description="SillyTavern has no character with that avatar file any more")
    chat_gone: bool = Field(
        default=False, description="SillyTavern has no chat of that name any more, and this one bears its mark"
    )


class ChatAttach(Command):
    """Open a chat: its list of hashes, and what the copy in its metadata says of itself, if there is one.

    `copy_state` is the whole copy, sent when an answer said `need_copy`: as JSON text, so that any can be kept.
    """

    page: str = Field(max_length=64, description="id of the browser page, new at each load, as in `host/state`")
    chat: ChatIdentity
    messages: MessageList
    copy_head: CopyHead | None = None
    copy_state: str | None = None
    settings: dict[str, JsonValue] = Field(default_factory=dict)
    deleted: bool = Field(default=False, description="messages were deleted here while the server was not told")


class InChat(Command):
    """Base of the commands that belong to one attached chat."""

    lineage: Lineage
    page: str = Field(default="", max_length=64, description='id of the page, as in `chat/attach`; "" for none')


class ChatMessages(InChat):
    """Texts of messages that the server lacks, in chunks of up to 1 MiB."""

    texts: list[Text] = Field(max_length=20_000)


class ChatEvent(InChat):
    """A SillyTavern event as it happened; `messages` and `texts` if the chat changed with it."""

    event: str = Field(max_length=80, pattern=r"^[A-Z_]+$")
    args: list[JsonValue] = Field(default_factory=list, max_length=8)
    dry_run: bool = False
    messages: MessageList | None = None
    texts: list[Text] = Field(default_factory=list, max_length=20_000)


class ChatRecall(InChat):
    """Ask for the text to inject into the prompt that is being made."""

    generation: GenerationType = "normal"
    text: str = Field(default="", max_length=200_000, description="the user's message; empty: the last one in the chat")
    speaker: str = Field(default="", max_length=1_000, description="the character whose turn it is")
    in_context_from: Floor | None = None
    context_tokens: int | None = Field(default=None, ge=0, description="room for the whole prompt")
    fixed_tokens: int = Field(default=0, ge=0, description="of it about so many are taken by all that is no message")
    token_ratio: float = Field(
        default=1.0, ge=0.2, le=5.0, description="tokens of SillyTavern's own tokenizer for one of the server's"
    )
    early: bool = Field(default=False, description="begun before the message is in the chat: warms the answer up")
    messages: MessageList | None = None
    texts: list[Text] = Field(default_factory=list, max_length=20_000)


class ChatBackground(InChat):
    """What the user wants an extraction to see beside the messages; empty what they do not want. It is not kept."""

    persona: str = Field(default="", max_length=2_000)
    card: str = Field(default="", max_length=8_000)
    world_info: str = Field(default="", max_length=8_000, description="of the last prompt that was made")


class RecallPrepare(InChat):
    """What the user is typing: its meaning is looked up ahead."""

    text: str = Field(max_length=10_000)


class RecallWhy(InChat):
    """Ask what was injected for the message of a floor, and why. The newest 50 such messages are known.

    For a reply: what was injected for the user's message before it.
    """

    floor: Floor


class ChatExtract(InChat):
    """Extract now what is pending. `whole`: also what lies far from the end, where each run may be a paid call.

    `lost`: instead the messages whose memories a restored or imported graph cannot show any more, all of them.
    """

    whole: bool = False
    lost: bool = False


class CatchUpPrice(InChat):
    """Ask what reading a span would cost, from one floor to another, and whether one is being read. Nothing is read."""

    first: Floor = 0
    last: Floor | None = Field(default=None, description="the last floor of the span; null for the end of the chat")
    batch: int = Field(default=1, ge=1, le=20, description="replies a call")
    again: bool = Field(default=False, description="also what is read already, but for what the user undid")


class CatchUpStart(CatchUpPrice):
    """Read what is not read yet of a span. The job goes on behind other work, also after a restart of the server.

    `again`: what is remembered counts until the new answer to the same messages is there, and stays in the history.
    """


class CatchUpSteer(InChat):
    """Pause a job behind the call that is under way, resume it, or cancel it at once. What was read stays."""

    action: Literal["pause", "resume", "cancel"]


UpkeepTask = Literal["consolidate", "tidy", "summarise", "synopsis", "reflect", "forget", "compress"]


class ChatUpkeep(InChat):
    """Do upkeep now: these tasks, or all that are switched on. Nothing waits until more has come together."""

    tasks: list[UpkeepTask] = Field(default_factory=list, max_length=20)


class ChatAck(InChat):
    """The copy was put into the metadata (`set`), or is known to be in the file (`saved`)."""

    rev: int = Field(ge=0)
    stage: Literal["set", "saved"]


class ChatState(InChat):
    """Ask for the whole copy, for instance after a gap in the events."""


class ChatSeat(InChat):
    """The user goes on with the chat in this page: its list is followed from now on, whatever another page says."""

    messages: MessageList | None = None
    texts: list[Text] = Field(default_factory=list, max_length=20_000)


class ChatRestore(InChat):
    """Take over what another lineage knows, which a notice `restore_offered` named: the chat came back empty."""

    source: Lineage


class ChatPurge(InChat):
    """Remove for good what is known of messages that are not in the chat. There is no way back."""

    confirm: Literal[True]


class ChatClose(InChat):
    """The page leaves the chat; work at its end goes on."""


class HistoryList(InChat):
    """Ask for the records of a chat, newest first. `before`: only those of a lower n."""

    before: int | None = Field(default=None, ge=0)
    limit: int = Field(default=100, ge=1, le=1_000)


class HistoryUndo(InChat):
    """Undo records together: they stay, marked off. What depended on them follows by itself."""

    records: list[RecordId] = Field(min_length=1, max_length=MOST_RECORDS)


class HistoryRedo(InChat):
    """Take an undo of records back."""

    records: list[RecordId] = Field(min_length=1, max_length=MOST_RECORDS)


class HistoryAt(InChat):
    """Ask for the graph as it was at a floor."""

    floor: Floor


class GraphUpdate(InChat):
    """Write fields of a memory by hand; "" empties one. Upkeep never rewrites what the user wrote."""

    node: NodeId
    fields: dict[Annotated[str, Field(max_length=100)], Annotated[str, Field(max_length=2_000)]]
    importance: float | None = Field(default=None, ge=0, le=10)


class GraphPin(InChat):
    """Pin a memory, or let it go: a pinned one is in every injection as far as its cap reaches."""

    node: NodeId
    pinned: bool


class GraphArchive(InChat):
    """Put a memory away, or bring it back. No model wakes what the user put away."""

    node: NodeId
    archived: bool


class GraphDraw(InChat):
    """Ask for the graph to draw it: at most so many memories, of these types (none: all), that say `query`.

    Without a query active ones alone.
    """

    most: int = Field(default=250, ge=1, le=2_000)
    query: str = Field(default="", max_length=200)
    types: list[Annotated[str, Field(max_length=100)]] = Field(default_factory=list, max_length=100)


class GraphLook(InChat):
    """Ask for all that there is of one memory."""

    node: NodeId


class ChatStatistics(InChat):
    """Ask what is remembered of a chat, in numbers."""


class EmbeddingsRebuild(InChat):
    """Make new vectors of all that search by meaning knows of a chat. Without `confirm` only their number is told."""

    confirm: bool = False


class ChatOthers(InChat):
    """Ask which other chats of the same character or group are remembered."""


class ChatBring(InChat):
    """Take over what another chat of the same character or group remembers, as of before this one began."""

    source: Lineage


class Import(InChat):
    """Take a state, as JSON text, into the chat: of this program, or of the original ST-BME (version 1 to 9)."""

    state: str


class Export(InChat):
    """Ask for the chat's state as a file: ours, or one that the original ST-BME can import."""

    original: bool = False


class Profile(Wire):
    """A connection profile of SillyTavern."""

    id: str = Field(max_length=200)
    name: str = Field(max_length=1_000)


class HostState(Command):
    """What the page can do for the server: whether SillyTavern has a connection, and which profiles there are."""

    page: str = Field(max_length=64)
    online: bool
    profiles: list[Profile] = Field(default_factory=list, max_length=1_000)


class LlmResult(Command):
    """The answer to an `llm_request`. `error` "" means `text` is the model's answer.

    aborted: the user's Stop took it down, ask again later. refused: this page does not make such calls.
    """

    request: str = Field(max_length=64)
    text: str = Field(default="", max_length=2_000_000)
    model: str = Field(default="", max_length=1_000)
    prompt_tokens: int = Field(default=0, ge=0)
    completion_tokens: int = Field(default=0, ge=0)
    error: Literal["", "failed", "aborted", "refused"] = ""
    message: str = Field(default="", max_length=10_000)


class ModelsTest(Command):
    """Try the chat model or the embedding model that the settings name, with the smallest call there is."""

    what: Literal["chat", "embedding"]


class Usage(Command):
    """Ask what calls of the chat model cost in the last days, today among them."""

    days: int = Field(default=1, ge=1, le=366)


class SettingsGet(Command):
    """Ask for the schema of the settings and the values in force."""


class SettingsSet(Command):
    """Set values; keys that are left out keep theirs, null goes back to the default."""

    values: dict[str, JsonValue]

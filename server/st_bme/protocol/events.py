"""Events: what `GET /v1/events` streams to the page, one class each.

On the wire: `id: <number>`, `event: <name>`, `data: <JSON of the class>`. Numbers have no gap; a gap means refetch.
"""

from __future__ import annotations

from typing import Literal

from st_bme.protocol.results import Notice, StatePatch
from st_bme.protocol.wire import Wire


class PatchEvent(Wire):
    """`state_patch`: the graph changed; apply to the copy, then acknowledge `rev` with `chat/ack`."""

    patch: StatePatch


class JobEvent(Wire):
    """`job`: work goes on behind a reply."""

    lineage: str
    task: str
    state: Literal["waiting", "running", "paused", "done", "failed", "cancelled"]
    done: int = 0
    total: int = 0
    reason: str = ""


class NoticeEvent(Wire):
    """`notice`: something to read, about one chat or, with lineage "", about the server."""

    lineage: str
    notice: Notice


class LlmRequestEvent(Wire):
    """`llm_request`: the page of this id makes a model call and answers with `llm/result`; other pages pass it over.

    `profile` "" is the connection in use, else the id of a connection profile. `urgent`: the reply that the page is
    making waits for the answer.
    """

    request: str
    page: str
    task: str
    profile: str
    system: str
    user: str
    max_tokens: int
    temperature: float
    json_schema: dict[str, object] | None = None
    urgent: bool = False


class LlmCancelEvent(Wire):
    """`llm_cancel`: nobody waits for this answer any more."""

    request: str
    page: str


class SettingsEvent(Wire):
    """`settings`: values changed elsewhere; fetch `settings/get`."""


class ReadyEvent(Wire):
    """`ready`: the stream is open and goes on from this event's number with none missing."""


class GapEvent(Wire):
    """`gap`: events were lost; fetch what is shown anew. The stream goes on from this event's number."""


class ByeEvent(Wire):
    """`bye`: the server is going down."""


EVENTS: dict[str, type[Wire]] = {
    "ready": ReadyEvent,
    "gap": GapEvent,
    "state_patch": PatchEvent,
    "job": JobEvent,
    "notice": NoticeEvent,
    "llm_request": LlmRequestEvent,
    "llm_cancel": LlmCancelEvent,
    "settings": SettingsEvent,
    "bye": ByeEvent,
}

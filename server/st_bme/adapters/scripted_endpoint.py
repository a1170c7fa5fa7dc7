"""A local OpenAI-compatible endpoint that answers from a script and keeps every request it was sent.

It stands in for a model provider in tests and demonstrations: SillyTavern and the server's own
clients speak to it over real HTTP.
"""

import asyncio
import base64
import hashlib
import re
import time
from array import array
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypedDict

import orjson
from aiohttp import web
from pydantic import JsonValue

EndpointKind = Literal["chat", "text", "embeddings", "rerank"]

_TOKEN = re.compile(r"\S{1,8}\s*|\s+")
_WORD = re.compile(r"\w+")


class _Usage(TypedDict):
    prompt_tokens: int
    completion_tokens: int
    total_tokens: int


@dataclass(frozen=True, slots=True)
class ScriptedReply:
    """What one request gets. A status other than 200 turns `text` into the error message."""

    text: str = ""
    tool: str = ""  # name of a function that the answer calls without arguments
    delay_s: float = 0.0  # before the first byte
    token_delay_s: float = 0.0  # between the pieces of a streamed answer
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RecordedRequest:
    path: str
    kind: EndpointKind | None  # None: no work for a model, such as the list of models
    headers: Mapping[str, str]
    body: Mapping[str, JsonValue]
    received_at_s: float  # time.monotonic()

    @property
    def messages(self) -> list[tuple[str, str]]:
        """Role and text of each chat message; a text completion counts as one user message."""
        if self.kind == "text":
            return [("user", str(self.body.get("prompt", "")))]
        messages = self.body.get("messages")
        if not isinstance(messages, list):
            return []
        return [(str(m.get("role")), str(m.get("content"))) for m in messages if isinstance(m, dict)]

    @property
    def prompt(self) -> str:
        """Everything the model would read, as one text."""
        return "\n".join(text for _, text in self.messages)


Script = Callable[[RecordedRequest], ScriptedReply]


def number_replies() -> Script:
    """A script whose answers differ, so that each can be told from the others."""
    count = 0

    def reply(request: RecordedRequest) -> ScriptedReply:
        nonlocal count
        if request.kind in ("embeddings", "rerank"):
            return ScriptedReply()
        count += 1
        return ScriptedReply(f"Scripted reply number {count}.")

    return reply


class ScriptedEndpoint:
    """Serves `/v1/models`, `/v1/chat/completions`, `/v1/completions`, `/v1/embeddings` and `/v1/rerank`.

    Completions take the next queued reply; with an empty queue `script` decides. Embeddings and rankings
    ask `script` too, of whose answer only the delay and an error count.
    """

    def __init__(self, *, model: str = "scripted-model", dimensions: int = 64) -> None:
        self.model = model
        self.dimensions = dimensions
        self.script: Script = number_replies()
        self.requests: list[RecordedRequest] = []
        self.may_embed = asyncio.Event()  # until it is set, nobody gets a vector
        self.may_embed.set()
        self._queue: deque[ScriptedReply] = deque()
        self._runner: web.AppRunner | None = None
        self._port = 0

    @property
    def url(self) -> str:
        """The base URL without `/v1`."""
        return f"http://127.0.0.1:{self._port}"

    async def start(self, port: int = 0) -> None:
        """Listen on the loopback address; port 0 takes a free one."""
        app = web.Application(client_max_size=64 * 1024**2)
        app.router.add_get("/v1/models", self._list_models)
        app.router.add_post("/v1/chat/completions", self._complete_chat)
        app.router.add_post("/v1/completions", self._complete_text)
        app.router.add_post("/v1/embeddings", self._embed)
        app.router.add_post("/v1/rerank", self._rerank)
        self._runner = web.AppRunner(app, shutdown_timeout=0.1, access_log=None)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", port)
        await site.start()
        self._port = self._runner.addresses[0][1]

    async def stop(self) -> None:
        if self._runner is not None:
            await self._runner.cleanup()
            self._runner = None

    def enqueue(self, *replies: ScriptedReply | str) -> None:
        """Line up replies for the next completions, first in, first out."""
        self._queue.extend(ScriptedReply(reply) if isinstance(reply, str) else reply for reply in replies)

    def reset(self) -> None:
        """Forget requests, queued replies and the script."""
        self.requests.clear()
        self._queue.clear()
        self.may_embed.set()
        self.script = number_replies()

    async def _list_models(self, http: web.Request) -> web.Response:
        await self._record(http, None)
        return _json({"object": "list", "data": [{"id": self.model, "object": "model", "owned_by": "scripted"}]})

    async def _complete_chat(self, http: web.Request) -> web.StreamResponse:
        return await self._complete(http, "chat")

    async def _complete_text(self, http: web.Request) -> web.StreamResponse:
        return await self._complete(http, "text")

    async def _complete(self, http: web.Request, kind: Literal["chat", "text"]) -> web.StreamResponse:
        request = await self._record(http, kind)
        reply = self._queue.popleft() if self._queue else self.script(request)
        await asyncio.sleep(reply.delay_s)
        if reply.status != 200:
            return _error(reply)
        if request.body.get("stream"):
            return await self._stream(http, request, reply)
        message = _tool_call(reply) if reply.tool else _piece(kind, reply.text, key="message")
        choice: JsonValue = {"index": 0, "finish_reason": "tool_calls" if reply.tool else "stop", **message}
        answer = {"choices": [choice], "usage": _usage(request, reply.text)}
        return _json(self._envelope(kind, streamed=False) | answer, headers=reply.headers)

    async def _stream(self, http: web.Request, request: RecordedRequest, reply: ScriptedReply) -> web.StreamResponse:
        kind: Literal["chat", "text"] = "text" if request.kind == "text" else "chat"
        envelope = self._envelope(kind, streamed=True)
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream", **reply.headers})
        await response.prepare(http)
        try:
            for token in _TOKEN.findall(reply.text):
                choice = {"index": 0, "finish_reason": None, **_piece(kind, token, key="delta")}
                await response.write(_event(envelope | {"choices": [choice]}))
                await asyncio.sleep(reply.token_delay_s)
            last = {"index": 0, "finish_reason": "stop", **_piece(kind, "", key="delta")}
            await response.write(_event(envelope | {"choices": [last]}))
            if _wants_usage(request):
                await response.write(_event(envelope | {"choices": [], "usage": _usage(request, reply.text)}))
            await response.write(b"data: [DONE]\n\n")
        except ConnectionError:
            return response  # the reader went away, as it does when a user presses Stop
        await response.write_eof()
        return response

    async def _embed(self, http: web.Request) -> web.Response:
        request = await self._record(http, "embeddings")
        await self.may_embed.wait()
        reply = self.script(request)
        await asyncio.sleep(reply.delay_s)
        if reply.status != 200:
            return _error(reply)
        given = request.body.get("input")
        texts = [str(text) for text in given] if isinstance(given, list) else [str(given)]
        as_base64 = request.body.get("encoding_format") == "base64"
        rows = [
            {"object": "embedding", "index": index, "embedding": _encode(self._hash_words(text), as_base64=as_base64)}
            for index, text in enumerate(texts)
        ]
        tokens = sum(map(_count_tokens, texts))
        usage = {"prompt_tokens": tokens, "total_tokens": tokens}
        return _json({"object": "list", "model": self.model, "data": rows, "usage": usage}, headers=reply.headers)

    async def _rerank(self, http: web.Request) -> web.Response:
        """The last document is the best one."""
        request = await self._record(http, "rerank")
        reply = self.script(request)
        await asyncio.sleep(reply.delay_s)
        if reply.status != 200:
            return _error(reply)
        given = request.body.get("documents")
        count = len(given) if isinstance(given, list) else 0
        return _json({"results": [{"index": index, "relevance_score": (index + 1) / count} for index in range(count)]})

    def _hash_words(self, text: str) -> Sequence[float]:
        """A unit vector that counts words by hash: texts with the same words are near each other."""
        counts = [0.0] * self.dimensions
        for word in _WORD.findall(text.lower()) or [text]:
            digest = hashlib.sha256(word.encode()).digest()
            counts[int.from_bytes(digest[:4], "big") % self.dimensions] += 1.0 if digest[4] % 2 else -1.0
        norm = sum(value * value for value in counts) ** 0.5 or 1.0
        return [value / norm for value in counts]

    async def _record(self, http: web.Request, kind: EndpointKind | None) -> RecordedRequest:
        raw = await http.read()
        body: JsonValue = orjson.loads(raw) if raw else {}
        if not isinstance(body, dict):
            raise web.HTTPBadRequest(text="the body must be a JSON object")
        request = RecordedRequest(http.path, kind, dict(http.headers), body, time.monotonic())
        self.requests.append(request)
        return request

    def _envelope(self, kind: Literal["chat", "text"], *, streamed: bool) -> dict[str, object]:
        name = "text_completion" if kind == "text" else "chat.completion.chunk" if streamed else "chat.completion"
        number = len(self.requests)
        return {"id": f"scripted-{number}", "object": name, "created": int(time.time()), "model": self.model}


def _piece(kind: Literal["chat", "text"], text: str, *, key: Literal["message", "delta"]) -> dict[str, JsonValue]:
    return {"text": text} if kind == "text" else {key: {"role": "assistant", "content": text}}


def _tool_call(reply: ScriptedReply) -> dict[str, JsonValue]:
    call: JsonValue = {"id": "call-1", "type": "function", "function": {"name": reply.tool, "arguments": "{}"}}
    message: JsonValue = {"role": "assistant", "content": reply.text, "tool_calls": [call]}
    return {"message": message}


def _wants_usage(request: RecordedRequest) -> bool:
    options = request.body.get("stream_options")
    return isinstance(options, dict) and options.get("include_usage") is True


def _usage(request: RecordedRequest, text: str) -> _Usage:
    asked, answered = _count_tokens(request.prompt), _count_tokens(text)
    return {"prompt_tokens": asked, "completion_tokens": answered, "total_tokens": asked + answered}


def _count_tokens(text: str) -> int:
    return len(_TOKEN.findall(text))


def _encode(vector: Sequence[float], *, as_base64: bool) -> str | list[float]:
    """The official client asks for base64 of little-endian float32 unless told otherwise."""
    if not as_base64:
        return list(vector)
    return base64.b64encode(array("f", vector).tobytes()).decode()


def _event(payload: Mapping[str, object]) -> bytes:
    return b"data: " + orjson.dumps(payload) + b"\n\n"


def _error(reply: ScriptedReply) -> web.Response:
    error = {"message": reply.text or "scripted failure", "type": "scripted_error", "code": reply.status}
    return _json({"error": error}, status=reply.status, headers=reply.headers)


def _json(
    payload: Mapping[str, object], *, status: int = 200, headers: Mapping[str, str] | None = None
) -> web.Response:
    return web.Response(body=orjson.dumps(payload), status=status, headers=headers, content_type="application/json")

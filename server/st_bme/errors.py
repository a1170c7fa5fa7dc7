"""One tree of errors; `code` is what travels on the wire.

Every error carries its data and says what went wrong, with which thing, and what to do about it.
"""

from __future__ import annotations

from typing import ClassVar


class BridgeError(Exception):
    """Base of every error that a caller of the server may see."""

    code: ClassVar[str] = "internal"
    status: ClassVar[int] = 500


class BadRequest(BridgeError):
    """The request does not have the promised form."""

    code = "bad_request"
    status = 400


class PayloadTooLarge(BridgeError):
    """The body is larger than the server reads."""

    code = "payload_too_large"
    status = 413

    def __init__(self, limit_bytes: int) -> None:
        self.limit_bytes = limit_bytes
        super().__init__(f"the request body is larger than {limit_bytes} bytes; send it in smaller pieces")


class WrongContentType(BridgeError):
    """A command that is not plain, uncompressed JSON."""

    code = "wrong_content_type"
    status = 415


class WrongHost(BridgeError):
    """A Host header that this server does not answer to."""

    code = "wrong_host"
    status = 421


class OriginRefused(BridgeError):
    """A page of an origin that is not allowed."""

    code = "origin_refused"
    status = 403


class NotPaired(BridgeError):
    """No token, or one that this server did not give out."""

    code = "not_paired"
    status = 401


class WrongCode(BridgeError):
    """A pairing code that is wrong, spent or too old."""

    code = "wrong_code"
    status = 403


class MethodNotAllowed(BridgeError):
    """A known path with another method than its own."""

    code = "method_not_allowed"
    status = 405


class RequestTooSlow(BridgeError):
    """A body that did not arrive in time."""

    code = "request_too_slow"
    status = 408


class StartRefused(BridgeError):
    """The server does not start; the message is the one line that says why and what to do."""

    code = "start_refused"


class UnknownChat(BridgeError):
    """A lineage that no attach opened in this run of the server."""

    code = "unknown_chat"
    status = 404

    def __init__(self, lineage: str) -> None:
        self.lineage = lineage
        super().__init__(f"no chat {lineage!r} is attached; send chat/attach first")


class NotFound(BridgeError):
    """A named thing that is not there."""

    code = "not_found"
    status = 404


class ViewMismatch(BridgeError):
    """A message list patch whose base is not the list that the server has."""

    code = "view_mismatch"
    status = 409

    def __init__(self, lineage: str) -> None:
        self.lineage = lineage
        super().__init__(f"the message list of chat {lineage!r} is not the one patched; send the whole list")


class OpenElsewhere(BridgeError):
    """A message list that is neither that of the chat nor one that goes on from it, while another page has the chat."""

    code = "open_elsewhere"
    status = 409

    def __init__(self, lineage: str) -> None:
        self.lineage = lineage
        super().__init__(f"chat {lineage!r} is open in another page with other messages; chat/seat uses this page")


class CorruptState(BridgeError):
    """Stored memory that cannot be read. It is set aside whole, never replaced by an empty graph."""

    code = "corrupt_state"
    status = 422


class NewerState(BridgeError):
    """A state written by a newer version: shown, never changed."""

    code = "newer_state"
    status = 409

    def __init__(self, version: int, known: int) -> None:
        self.version = version
        super().__init__(f"the state has version {version}, this program knows {known}; update it to write here")


class StoreBusy(BridgeError):
    """Another process holds the data directory."""

    code = "store_busy"
    status = 503


class ModelFailed(BridgeError):
    """A model call that gave no usable answer. `calls` and `tokens` are what was spent on it all the same."""

    code = "model_failed"
    status = 502
    calls = 0
    tokens = 0


class AnswerUnusable(ModelFailed):
    """A model's answer without a usable list of operations (a refusal, an HTML page, nothing)."""

    code = "answer_unusable"


class ModelTimeout(ModelFailed):
    """A model call that took longer than its limit."""

    code = "model_timeout"
    status = 504


class EndpointRefused(ModelFailed):
    """A base URL that must not be called, or a key for another one."""

    code = "endpoint_refused"
    status = 400


class KeyWrong(ModelFailed):
    """The endpoint does not accept the key, or wants one and none is set."""

    code = "key_wrong"


class HostKeyWrong(KeyWrong):
    """The provider does not accept the key of SillyTavern's own connection, which only SillyTavern can change."""

    code = "host_key_wrong"


class RateLimited(ModelFailed):
    """The endpoint asks to wait longer than the call may take."""

    code = "rate_limited"
    status = 503

    def __init__(self, message: str, retry_after_s: float) -> None:
        self.retry_after_s = retry_after_s
        super().__init__(message)


class RequestRefused(ModelFailed):
    """The endpoint does not do what was asked: an unknown model or parameter, a prompt too long."""

    code = "request_refused"

    def __init__(self, message: str, endpoint_status: int) -> None:
        self.endpoint_status = endpoint_status
        super().__init__(message)

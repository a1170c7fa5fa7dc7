"""From request bytes to an answer, and the one map from exceptions to failures."""

from __future__ import annotations

import asyncio
import logging
import traceback

from aiohttp import web
from pydantic import ValidationError

from st_bme.errors import (
    BadRequest,
    BridgeError,
    MethodNotAllowed,
    NotFound,
    PayloadTooLarge,
    RequestTooSlow,
)
from st_bme.protocol.encoding import encode
from st_bme.protocol.results import Failure
from st_bme.protocol.wire import Wire
from st_bme.web.security import Handler

_LOGGER = logging.getLogger(__name__)

JSON = "application/json"
BODY_TIMEOUT_S = 30.0
_SHOWN_PROBLEMS = 3
_SHOWN_PLACE = 80


async def read_body(request: web.Request, limit_bytes: int) -> bytes:
    """The whole body, as long as it is neither too large nor too slow."""
    pieces: list[bytes] = []
    size = 0
    try:
        async with asyncio.timeout(BODY_TIMEOUT_S):
            async for piece in request.content.iter_any():
                size += len(piece)
                if size > limit_bytes:
                    raise PayloadTooLarge(limit_bytes)
                pieces.append(piece)
    except TimeoutError:
        raise RequestTooSlow(f"the body did not arrive within {BODY_TIMEOUT_S:.0f} s; send it again") from None
    return b"".join(pieces)


def answer(result: Wire, status: int = 200) -> web.Response:
    """A result or failure as JSON."""
    return web.Response(body=encode(result), status=status, content_type=JSON)


@web.middleware
async def shield(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Turn whatever a handler raises into a failure. A client that went away and a cancellation pass through."""
    try:
        return await handler(request)
    except (ConnectionError, asyncio.CancelledError):
        raise
    except Exception as error:  # noqa: BLE001 - the one place that turns what nobody expected into an answer
        return _failure(request, error)


def _failure(request: web.Request, error: Exception) -> web.Response:
    known = _known(error)
    if known is None:
        _log_unexpected(request, error)
        known = BridgeError("the server met an error of its own; its log says where. Try again, then report it")
    return answer(Failure(code=known.code, error=str(known)), known.status)


def _known(error: Exception) -> BridgeError | None:
    """The error as one of ours; None for one that nobody expected."""
    match error:
        case BridgeError():
            return error
        case ValidationError():
            return BadRequest(_problems(error))
        case web.HTTPNotFound():
            return NotFound("there is no such path; /v1/openapi.json lists them")
        case web.HTTPMethodNotAllowed():
            return MethodNotAllowed(f"use {' or '.join(sorted(error.allowed_methods))} for this path")
        case web.HTTPException():
            return BadRequest(f"the request cannot be served (HTTP {error.status})")
        case _:
            return None


def _problems(error: ValidationError) -> str:
    """Which fields are wrong and how, without what was in them: that may be a chat's text."""
    found = error.errors(include_url=False, include_context=False, include_input=False)
    shown = [
        f"{'.'.join(str(part) for part in problem['loc'])[:_SHOWN_PLACE] or 'the body'}: {problem['msg']}"
        for problem in found[:_SHOWN_PROBLEMS]
    ]
    more = f" (and {len(found) - _SHOWN_PROBLEMS} more)" if len(found) > _SHOWN_PROBLEMS else ""
    return f"the command does not have its form: {'; '.join(shown)}{more}; see /v1/openapi.json"


def _log_unexpected(request: web.Request, error: Exception) -> None:
    """Place and type only: the message of an exception may hold a chat's text."""
    place = "".join(traceback.format_tb(error.__traceback__))
    _LOGGER.error("%s failed with %s\n%s", request.path, type(error).__name__, place)

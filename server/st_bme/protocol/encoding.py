"""JSON bytes of the wire. NaN, infinities and lone surrogates pass in neither direction."""

from __future__ import annotations

import orjson
from pydantic import JsonValue

from st_bme.errors import BadRequest
from st_bme.protocol.wire import Wire


def encode(wire: Wire) -> bytes:
    """JSON of a result or event. The models refuse NaN when they are made, orjson refuses lone surrogates."""
    return orjson.dumps(wire.model_dump(mode="json"))


def decode(body: bytes) -> JsonValue:
    """The value in a request body.

    Raises: BadRequest: not JSON by the letter. The message gives the place, never the text around it.
    """
    try:
        value: JsonValue = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise BadRequest(f"the body is not valid JSON at byte {error.pos}: {error.msg}; send UTF-8 JSON") from None
    return value

"""JSON bytes of the wire. NaN, infinities and lone surrogates pass in neither direction."""

from __future__ import annotations

from collections.abc import Mapping

import orjson
from pydantic import JsonValue

from st_bme.errors import BadRequest
from st_bme.protocol.wire import Wire


def encode(wire: Wire) -> bytes:
    """JSON of a result or event. The models refuse NaN when they are made, orjson refuses lone surrogates."""
    # A whole copy is a megabyte: pydantic's own way through it would hold the event loop fifty times as long.
    return orjson.dumps(wire, default=_fields)


def _fields(wire: object) -> Mapping[str, object]:
    if isinstance(wire, Wire):
        return wire.__dict__
    raise TypeError(f"{type(wire).__name__} has no place on the wire")


def decode(body: bytes) -> JsonValue:
    """The value in a request body.

    Raises: BadRequest: not JSON by the letter. The message gives the place, never the text around it.
    """
    try:
        value: JsonValue = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise BadRequest(f"the body is not valid JSON at byte {error.pos}: {error.msg}; send UTF-8 JSON") from None
    return value

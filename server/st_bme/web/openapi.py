"""The OpenAPI document, made from the models and the table of commands."""

from __future__ import annotations

from functools import cache

from pydantic import JsonValue, TypeAdapter
from pydantic.json_schema import models_json_schema

from st_bme import __version__
from st_bme.protocol import commands, results
from st_bme.protocol.events import EVENTS
from st_bme.protocol.wire import NAME, Wire
from st_bme.web.routes import ROUTES

_REF = "#/components/schemas/{model}"

Object = dict[str, JsonValue]


@cache
def openapi_document() -> Object:
    """The document; made once, at the first request."""
    return {
        "openapi": "3.1.0",
        "info": {"title": NAME, "version": __version__, "license": {"name": "AGPL-3.0-or-later"}},
        "paths": _paths(),
        "components": {
            "schemas": _schemas(),
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
            "responses": {"Failure": _json("Any error", _ref(results.Failure))},
        },
        "security": [{"token": []}],
    }


def _paths() -> Object:
    paths: Object = {
        "/v1/hello": {"get": _operation("hello", results.Hello.__doc__, _ref(results.Hello)) | {"security": [{}]}},
        "/v1/pair": {
            "post": _operation("pair", commands.Pair.__doc__, _either(results.Paired, results.PairingWaits))
            | _body(commands.Pair)
            | {"security": [{}]}
        },
        "/v1/events": {"get": _event_stream()},
        "/v1/openapi.json": {"get": _operation("openapi", "This document.", {"type": "object"})},
    }
    for route in ROUTES:
        operation = _operation(route.name, route.command.__doc__, _ref(route.answer)) | _body(route.command)
        paths[route.path] = {"post": operation}
    return paths


def _operation(name: str, text: str | None, answer: Object) -> Object:
    return {
        "operationId": name.replace("/", "_"),
        "description": text or "",
        "responses": {"200": _json("Done", answer), "default": {"$ref": "#/components/responses/Failure"}},
    }


def _event_stream() -> Object:
    names = ", ".join(f"{name}: {model.__name__}" for name, model in EVENTS.items())
    return {
        "operationId": "events",
        "description": f"Server-sent events; `data` is JSON, by event {names}.",
        "parameters": [{"name": "Last-Event-ID", "in": "header", "schema": {"type": "integer", "minimum": 0}}],
        "responses": {
            "200": {"description": "The stream", "content": {"text/event-stream": {"schema": {"type": "string"}}}},
            "default": {"$ref": "#/components/responses/Failure"},
        },
    }


def _schemas() -> JsonValue:
    models: list[type[Wire]] = [results.Failure, results.Hello, commands.Pair, results.Paired, results.PairingWaits]
    models += [model for route in ROUTES for model in (route.command, route.answer)]
    models += EVENTS.values()
    _, schema = models_json_schema([(model, "validation") for model in models], ref_template=_REF)
    return TypeAdapter(JsonValue).validate_python(schema["$defs"])


def _ref(model: type[Wire]) -> Object:
    return {"$ref": _REF.format(model=model.__name__)}


def _either(*models: type[Wire]) -> Object:
    return {"oneOf": [_ref(model) for model in models]}


def _body(command: type[commands.Command]) -> Object:
    return {"requestBody": {"required": True, "content": {"application/json": {"schema": _ref(command)}}}}


def _json(text: str, schema: Object) -> Object:
    return {"description": text, "content": {"application/json": {"schema": schema}}}

"""The OpenAPI document tells all routes and models."""

import orjson

from st_bme.protocol import commands, results
from st_bme.protocol.wire import Wire
from st_bme.web.openapi import openapi_document
from st_bme.web.routes import ROUTES

PAGES = {"/allow", "/pages/allow.css", "/pages/allow.js"}


def references(value):
    match value:
        case {"$ref": str() as target}:
            yield target
        case dict():
            for inner in value.values():
                yield from references(inner)
        case list():
            for inner in value:
                yield from references(inner)


def resolve(document, reference):
    for part in reference.removeprefix("#/").split("/"):
        document = document.get(part)
        if document is None:
            return None
    return document


async def test_it_is_served_to_a_paired_page(client, page):
    response = await client.get("/v1/openapi.json", headers=page)

    assert response.status == 200
    assert orjson.loads(await response.read()) == openapi_document()


async def test_it_lists_every_route(server):
    routes = {
        (route.resource.canonical, route.method.lower())
        for route in server.application().router.routes()
        if route.resource.canonical not in PAGES
    }

    listed = {(path, method) for path, methods in openapi_document()["paths"].items() for method in methods}

    assert listed == routes


def test_every_reference_leads_somewhere():
    document = openapi_document()

    assert {each for each in references(document) if resolve(document, each) is None} == set()


def test_every_command_and_result_is_in_it():
    schemas = openapi_document()["components"]["schemas"]
    bases = {commands.Command, commands.InChat}

    missing = [
        each.__name__
        for module in (commands, results)
        for each in vars(module).values()
        if isinstance(each, type) and issubclass(each, Wire) and each.__module__ == module.__name__
        if each not in bases and each.__name__ not in schemas
    ]
    assert missing == []


def test_only_hello_and_pair_are_open():
    paths = openapi_document()["paths"]

    opened = {path for path, methods in paths.items() for each in methods.values() if each.get("security") == [{}]}
    assert opened == {"/v1/hello", "/v1/pair"}


def test_no_result_can_be_taken_for_a_failure():
    """Behind a proxy that changes the status, only `code` and `error` tell a failure from an answer."""
    failure = set(results.Failure.model_fields)

    assert [route.name for route in ROUTES if failure <= set(route.answer.model_fields)] == []

"""docs/protocol.md tells every route, event and error, and nothing that is not there."""

import re

from docs.pages import code, read_page, table_below
from st_bme.errors import BridgeError, StartRefused
from st_bme.protocol.events import EVENTS
from st_bme.web.openapi import openapi_document

PAGE = read_page("protocol.md")


def all_errors(kind: type[BridgeError] = BridgeError) -> set[type[BridgeError]]:
    return {kind}.union(*(all_errors(child) for child in kind.__subclasses__()))


def test_every_route_has_its_section():
    routes = {path.removeprefix("/v1/") for path in openapi_document()["paths"]}

    commands = PAGE.partition("\n## Commands\n")[2].partition("\n## ")[0]
    assert set(re.findall(r"^### (\S+)$", commands, re.MULTILINE)) == routes


def test_every_event_has_its_row():
    assert {code(row["event"]) for row in table_below(PAGE, "Events").rows} == set(EVENTS)


def test_every_error_has_its_row_with_its_status():
    told = {(code(row["code"]), int(row["status"])) for row in table_below(PAGE, "Errors").rows}

    assert told == {(kind.code, kind.status) for kind in all_errors() - {StartRefused}}

"""What becomes of bodies and of errors."""

import asyncio
import logging

import orjson
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from st_bme import errors
from st_bme.errors import BridgeError
from st_bme.protocol.encoding import encode
from st_bme.protocol.results import Attached, Notice, State, StatePatch
from st_bme.web import dispatch

NOT_JSON = [
    b"",
    b"{",
    b"NaN",
    b"{'a': 1}",
    b'{"values": {"a": NaN}}',
    b'{"values": {"a": Infinity}}',
    b'{"values": {"a": 1e999}}',
    b'{"values": {"a": "\\ud800"}}',
    b'{"values": {"a": "\\udc00\\ud800"}}',
    b'{"values": {"a": "\xff\xfe"}}',
    b'{"values": {"a": "\xed\xa0\x80"}}',
    b'\xef\xbb\xbf{"values": {}}',
    b'{"values": {}} {}',
    b'{"values": {"a": "\x00"}}',
    b"[" * 2_000 + b"]" * 2_000,
]
NOT_A_COMMAND = [b"null", b"[]", b'"text"', b"1", b"{}", b'{"values": []}', b'{"values": {}, "id": 5}']


@pytest.mark.parametrize("body", NOT_JSON, ids=range(len(NOT_JSON)))
async def test_what_is_not_json_by_the_letter_is_refused(server, client, page, body):
    response = await client.post("/v1/settings/set", headers=page, data=body)

    assert response.status == 400
    assert (await response.json())["code"] == "bad_request"
    assert server.bridge.seen == []


@pytest.mark.parametrize("body", NOT_A_COMMAND)
async def test_what_is_not_the_command_is_refused_with_the_field(server, client, page, body):
    response = await client.post("/v1/settings/set", headers=page, data=body)

    failure = await response.json()
    assert response.status == 400
    assert failure["code"] == "bad_request"
    assert "/v1/openapi.json" in failure["error"]
    assert server.bridge.seen == []


async def test_a_refusal_names_the_field_and_not_what_was_in_it(client, page):
    body = b'{"lineage": "abcd", "texts": [{"floor": 1, "key": "a secret of the chat", "text": "x"}]}'

    response = await client.post("/v1/chat/messages", headers=page, data=body)

    error = (await response.json())["error"]
    assert "texts.0.key" in error
    assert "secret" not in error


async def test_unknown_keys_are_ignored(server, client, page):
    response = await client.post("/v1/settings/get", headers=page, data=b'{"id": "1", "of_a_newer_page": true}')

    assert response.status == 200
    assert server.bridge.seen[0].id == "1"


def all_errors(kind: type[BridgeError] = BridgeError) -> list[type[BridgeError]]:
    return [kind, *(each for child in kind.__subclasses__() for each in all_errors(child))]


@pytest.mark.parametrize("kind", all_errors(), ids=lambda kind: kind.code)
async def test_every_error_of_ours_travels_with_its_code_and_status(server, client, page, kind):
    error = kind.__new__(kind)
    Exception.__init__(error, "what, which one, what to do")
    server.bridge.error = error

    response = await client.post("/v1/settings/get", headers=page, data=b"{}")

    assert response.status == kind.status
    assert await response.json() == {"code": kind.code, "error": str(error)}
    assert response.headers["Access-Control-Allow-Origin"] == page["Origin"]


async def test_an_unexpected_error_is_logged_by_place_and_never_by_text(server, client, page, caplog):
    server.bridge.error = RuntimeError("the chat said: canary")

    with caplog.at_level(logging.DEBUG):
        response = await client.post("/v1/settings/get", headers=page, data=b"{}")

    failure = await response.json()
    assert response.status == 500
    assert failure["code"] == "internal"
    assert "canary" not in str(failure)
    assert "canary" not in caplog.text
    assert "RuntimeError" in caplog.text
    assert "/v1/settings/get" in caplog.text


async def test_an_unknown_path_and_a_wrong_method_are_failures_too(client, page):
    unknown = await client.post("/v1/nothing", headers=page, data=b"{}")
    wrong = await client.get("/v1/settings/get", headers=page)

    assert (unknown.status, (await unknown.json())["code"]) == (404, "not_found")
    assert (wrong.status, (await wrong.json())["code"]) == (405, "method_not_allowed")


async def test_a_page_that_goes_away_does_not_stop_the_work_it_asked_for(server, client, page, caplog):
    server.bridge.go_on.clear()
    asking = asyncio.create_task(client.post("/v1/settings/get", headers=page, data=b"{}"))
    await server.bridge.began.wait()

    asking.cancel()
    await asyncio.gather(asking, return_exceptions=True)
    server.bridge.go_on.set()
    for _ in range(100):
        if server.bridge.seen:
            break
        await asyncio.sleep(0.01)

    assert len(server.bridge.seen) == 1
    assert [record for record in caplog.records if record.levelno >= logging.WARNING] == []


async def test_a_body_that_drips_is_given_up(client, page, monkeypatch):
    monkeypatch.setattr(dispatch, "BODY_TIMEOUT_S", 0.1)

    async def drip():
        yield b"{"
        await asyncio.sleep(1)
        yield b"}"

    response = await client.post("/v1/settings/get", headers=page, data=drip())

    assert response.status == 408
    assert (await response.json())["code"] == "request_too_slow"


def test_an_answer_is_written_with_all_that_is_in_it():
    steps = [["set", [], {"nodes": [{"importance": 5.0}]}]]
    patch = StatePatch(lineage="abcd", base_rev=-1, rev=2, steps=steps)
    notice = Notice(code="x", level="info", data={"count": 3})

    written = encode(Attached(lineage="abcd", need=[2, 0], patch=patch, notices=[notice]))

    assert orjson.loads(written) == {
        "lineage": "abcd",
        "need": [2, 0],
        "need_copy": False,
        "read_only": False,
        "elsewhere": False,
        "patch": {"lineage": "abcd", "base_rev": -1, "rev": 2, "steps": steps},
        "notices": [{"code": "x", "level": "info", "data": {"count": 3}}],
    }


def test_no_answer_holds_half_a_character():
    with pytest.raises(TypeError, match="surrogates"):
        encode(State(lineage="abcd", rev=1, state={"text": "\ud800"}))


@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf")])
def test_no_answer_holds_what_is_no_number(number):
    with pytest.raises(ValueError, match="finite"):
        Notice(code="x", level="info", data={"deep": [{"number": number}]})


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4),
    max_leaves=12,
)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(body=st.binary(max_size=200) | JSON_VALUES.map(lambda value: repr(value).encode("utf-8", "surrogatepass")))
async def test_no_body_makes_an_error_of_the_servers_own(client, page, body):
    response = await client.post("/v1/chat/event", headers=page, data=body)

    assert response.status in (200, 400)


def test_codes_are_not_shared_by_accident():
    codes = [kind.code for kind in all_errors()]

    assert len(codes) == len(set(codes)), f"two errors of {errors.__name__} have the same code"

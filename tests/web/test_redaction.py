"""What a log line may hold."""

import logging
import sys

import pytest
from aiohttp.http_exceptions import BadHttpMessage

from st_bme.web.redaction import HIDDEN, RedactingFormatter, WithoutRequestText

TOKEN = "bme_" + "x" * 43
KEY = "a configured secret"


def line(message: str, *args: object, name: str = "st_bme.web", exc_info=None) -> str:
    record = logging.LogRecord(name, logging.ERROR, "file.py", 1, message, args, exc_info)
    assert WithoutRequestText().filter(record)
    return RedactingFormatter(frozenset({KEY, ""})).format(record)


def raised(error: Exception):
    """What `sys.exc_info` says where this error is caught."""
    try:
        raise error
    except type(error):
        return sys.exc_info()


@pytest.mark.parametrize(
    "text",
    [
        TOKEN,
        f"Authorization: Bearer {TOKEN}",
        "authorization: bearer canary",
        "b'Authorization: Bearer canary'",
        "https://api.example.com/v1?key=canary&x=1",
        "x-api-key: canary",
        "sk-canary-0123456789",
        KEY,
    ],
)
def test_a_secret_is_hidden_wherever_it_stands(text):
    shown = line("before %s after", text)

    assert HIDDEN in shown
    assert "canary" not in shown
    assert "x" * 43 not in shown
    assert KEY not in shown


def test_a_traceback_is_covered():
    shown = line("failed", exc_info=raised(RuntimeError(f"header was Bearer {TOKEN}")))

    assert "RuntimeError" in shown
    assert TOKEN not in shown


@pytest.mark.parametrize("name", ["aiohttp.server", "aiohttp.access", "asyncio"])
def test_of_a_librarys_record_only_the_kind_of_error_is_left(name):
    error = raised(ValueError("Invalid header value: canary"))

    shown = line("Error handling request %s", "canary", name=name, exc_info=error)

    assert "ValueError" in shown
    assert "canary" not in shown


def test_a_malformed_request_leaves_no_line():
    record = logging.LogRecord("aiohttp.server", logging.ERROR, "f", 1, "x", (), raised(BadHttpMessage("canary")))

    assert not WithoutRequestText().filter(record)


def test_ids_and_counts_pass():
    assert "chat abcd: 12 records" in line("chat %s: %s records", "abcd", 12)

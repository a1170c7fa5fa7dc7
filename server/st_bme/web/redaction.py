"""Logs without secrets and without what a stranger sent."""

from __future__ import annotations

import logging
import re
import sys

from aiohttp.http_exceptions import HttpProcessingError

HIDDEN = "[hidden]"

# Our own tokens by their prefix, keys of model providers by theirs, and whatever stands where a secret stands.
_SECRETS = re.compile(
    r"(?:bme_|\bsk-)[A-Za-z0-9_-]{8,}"
    r"|(?<=bearer )[^\s'\",]+"
    r"|(?<=authorization: )[^'\"\r\n]+"
    r"|(?<=key=)[^\s&'\"]+"
    r"|(?<=key: )[^'\"\r\n]+",
    re.IGNORECASE,
)


class RedactingFormatter(logging.Formatter):
    """Formats a record, its traceback included, and hides secrets in the result.

    Args:
        known: secrets that are recognised whatever they look like, for instance the token of the configuration.
    """

    def __init__(self, known: frozenset[str] = frozenset()) -> None:
        super().__init__("%(asctime)s %(levelname)s %(name)s: %(message)s")
        self._known = tuple(secret for secret in known if secret)

    def format(self, record: logging.LogRecord) -> str:
        text = super().format(record)
        for secret in self._known:
            text = text.replace(secret, HIDDEN)
        return _SECRETS.sub(HIDDEN, text)


class WithoutRequestText(logging.Filter):
    """Leaves of aiohttp's and asyncio's records the kind of error only: their messages quote the request.

    A malformed request is answered with 400 and is no error of ours: it leaves no line that could fill the log.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        if record.name.partition(".")[0] not in ("aiohttp", "asyncio"):
            return True
        kind = record.exc_info[0] if record.exc_info else None
        if kind is not None and issubclass(kind, HttpProcessingError):
            return False
        record.msg = kind.__name__ if kind is not None else str(record.msg)
        record.args = ()
        record.exc_info = None
        record.exc_text = None
        return True


def log_to_stderr(level: int, known_secrets: frozenset[str]) -> None:
    """Send the records of every logger to stderr through the filter and the formatter."""
    handler = logging.StreamHandler(sys.stderr)
    handler.addFilter(WithoutRequestText())
    handler.setFormatter(RedactingFormatter(known_secrets))
    logging.basicConfig(level=level, handlers=[handler], force=True)

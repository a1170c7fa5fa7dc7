"""Tokens of paired browsers, kept as hashes: whoever reads the file cannot use it."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import logging
import secrets
from dataclasses import dataclass
from pathlib import Path

from pydantic import Field, ValidationError

from st_bme.private_file import write_private
from st_bme.protocol.encoding import encode
from st_bme.protocol.wire import Wire

_LOGGER = logging.getLogger(__name__)

# The prefix makes a token recognisable wherever it must not appear; 43 characters of base64 are 256 bits.
TOKEN_PREFIX = "bme_"  # noqa: S105 - not a secret
MOST_TOKENS = 64

FILE_NAME = "pairing.json"


class PairedBrowser(Wire):
    """A token that was given out; `origin` "" for a program that is no page."""

    token_hash: str
    origin: str
    created_ms: int


class _PairingFile(Wire):
    version: int = 1
    browsers: list[PairedBrowser] = Field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Opened:
    """The file as it was found. `set_aside`: it could not be read and lies there now."""

    tokens: TokenFile
    set_aside: Path | None


class TokenFile:
    """The paired browsers of one data directory.

    Args:
        browsers: those paired already; None when nobody ever was.
        fixed_token: a token from the configuration, valid beside those given out; "" for none.
    """

    def __init__(self, path: Path, browsers: list[PairedBrowser] | None, fixed_token: str = "") -> None:
        self._path = path
        self._browsers = browsers or []
        self._is_new = browsers is None
        self._fixed_hash = _hash(fixed_token.encode()) if fixed_token else ""
        self._saving = asyncio.Lock()

    @property
    def is_new(self) -> bool:
        """Nobody was ever paired here. A file that had to be set aside tells otherwise."""
        return self._is_new

    @property
    def origins(self) -> frozenset[str]:
        """Origins of the paired pages."""
        return frozenset(browser.origin for browser in self._browsers if browser.origin)

    def knows(self, token: bytes) -> bool:
        """Whether the token was given out here. Every hash is compared, in constant time."""
        wanted = _hash(token)
        known = [browser.token_hash for browser in self._browsers]
        matches = [hmac.compare_digest(wanted, other) for other in (*known, self._fixed_hash)]
        return any(matches)

    async def give_out(self, origin: str, now_ms: int) -> str:
        """A new token, valid as soon as it is on disk. The oldest one gives way when there are too many."""
        token = TOKEN_PREFIX + secrets.token_urlsafe(32)
        browser = PairedBrowser(token_hash=_hash(token.encode()), origin=origin, created_ms=now_ms)
        async with self._saving:
            browsers = [*self._browsers, browser][-MOST_TOKENS:]
            await asyncio.to_thread(write_private, self._path, encode(_PairingFile(browsers=browsers)))
            self._browsers = browsers
            self._is_new = False
        return token


def open_tokens(data_dir: Path, fixed_token: str = "") -> Opened:
    """Read the tokens of a data directory. An unreadable file is set aside whole, so that it can be looked at."""
    path = data_dir / FILE_NAME
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return Opened(TokenFile(path, None, fixed_token), None)
    try:
        browsers = _PairingFile.model_validate_json(content).browsers
    except ValidationError:
        aside = path.with_name(f"{FILE_NAME}.unreadable-{secrets.token_hex(4)}")
        path.rename(aside)
        _LOGGER.warning("%s could not be read and lies now at %s; pair the browsers again", path, aside)
        return Opened(TokenFile(path, [], fixed_token), aside)
    return Opened(TokenFile(path, browsers, fixed_token), None)


def _hash(token: bytes) -> str:
    return hashlib.sha256(token).hexdigest()

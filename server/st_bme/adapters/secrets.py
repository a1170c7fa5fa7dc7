"""API keys: written, used and never shown. Each is bound to the scheme, host and port that it was entered for."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

from pydantic import TypeAdapter, ValidationError

from st_bme.adapters.endpoint import OPENAI_URL, parse_endpoint
from st_bme.adapters.key_ring import EndpointKeys
from st_bme.errors import BadRequest, BridgeError, CorruptState
from st_bme.private_file import write_private

_LOGGER = logging.getLogger(__name__)

FILE_NAME = "secrets.json"
_LONGEST_KEY = 1024
_SHOWN_CHARACTERS = 4
_FILE = TypeAdapter(dict[str, tuple[str, ...]])

Source = Literal["keyring", "file", "environment", "none"]


@dataclass(frozen=True, slots=True)
class KeyState:
    """What may be shown of the keys of an origin: how many, where they lie, and how each ends."""

    origin: str
    source: Source
    endings: tuple[str, ...]


class Vault(Protocol):
    """A place for keys. Raises OSError where it is not available."""

    @property
    def source(self) -> Source: ...

    def read(self, origin: str) -> tuple[str, ...]: ...

    def write(self, origin: str, keys: tuple[str, ...]) -> None:
        """No keys: the entry goes."""


def parse_keys(value: object, setting: str) -> tuple[str, ...]:
    """One key or a non-empty list of keys, as a user enters them; None is absent and gives none.

    Raises: BadRequest: names the setting and the place in the list, never the value.
    """
    if value is None:
        return ()
    if isinstance(value, str):
        return (_checked(value, setting),)
    if isinstance(value, list) and value:
        return tuple(_checked(element, f"{setting}[{index}]") for index, element in enumerate(value))
    raise BadRequest(f"{setting} must be a key or a non-empty list of keys")


def _checked(value: object, where: str) -> str:
    key = value.strip() if isinstance(value, str) else ""
    if not key or len(key) > _LONGEST_KEY or not key.isascii() or not key.isprintable() or " " in key:
        raise BadRequest(
            f"{where} is no key: it must be text of 1 to {_LONGEST_KEY} printable ASCII characters without spaces"
        )
    return key


class KeyStore:
    """Keys by origin. The first vault that works holds them; the environment serves where none are stored."""

    def __init__(self, vaults: tuple[Vault, ...], environment: Mapping[str, str]) -> None:
        self._vaults = vaults
        self._from_environment = _environment_keys(environment)
        self._seen: set[str] = set(self._from_environment.keys)
        self._changing = asyncio.Lock()

    async def keys_for(self, origin: str) -> EndpointKeys:
        """Keys of this origin and of no other; maybe none."""
        return EndpointKeys(origin, (await self._find(origin))[1])

    async def describe(self, origin: str) -> KeyState:
        source, keys = await self._find(origin)
        return KeyState(origin, source, tuple(_ending(key) for key in keys))

    async def put(self, origin: str, keys: tuple[str, ...]) -> KeyState:
        """Replace the keys of an origin; no keys removes them."""
        async with self._changing:
            await asyncio.to_thread(self._put, origin, keys)
        self._seen.update(keys)
        return await self.describe(origin)

    def known_secrets(self) -> frozenset[str]:
        """Every key that this process has held, for the filter of the logs."""
        return frozenset(self._seen)

    async def _find(self, origin: str) -> tuple[Source, tuple[str, ...]]:
        source, keys = await asyncio.to_thread(self._read, origin)
        if not keys and self._from_environment.origin == origin and self._from_environment.keys:
            source, keys = "environment", self._from_environment.keys
        self._seen.update(keys)
        return source, keys

    def _read(self, origin: str) -> tuple[Source, tuple[str, ...]]:
        for vault in self._vaults:
            try:
                keys = vault.read(origin)
            except OSError as error:
                _LOGGER.warning("keys cannot be read from the %s: %s", vault.source, error)
                continue
            if keys:
                return vault.source, keys
        return "none", ()

    def _put(self, origin: str, keys: tuple[str, ...]) -> None:
        """Into the first vault that takes them, and out of all others."""
        left = keys
        failure: OSError | None = None
        for vault in self._vaults:
            try:
                vault.write(origin, left)
            except OSError as error:
                _LOGGER.warning("keys cannot be written to the %s: %s", vault.source, error)
                failure = error
            else:
                left = ()
        if left and failure is not None:
            raise failure


def _ending(key: str) -> str:
    """The last characters, and of a short key none: they would be most of it."""
    return key[-_SHOWN_CHARACTERS:] if len(key) >= 3 * _SHOWN_CHARACTERS else ""


def _environment_keys(environment: Mapping[str, str]) -> EndpointKeys:
    """The usual variables of the SDK. The key goes to the host beside which it was set, else to OpenAI's."""
    key = environment.get("OPENAI_API_KEY", "")
    if not key.strip():
        return EndpointKeys("")
    try:
        origin = parse_endpoint(environment.get("OPENAI_BASE_URL") or OPENAI_URL).origin
        return EndpointKeys(origin, (_checked(key, "OPENAI_API_KEY"),))
    except BridgeError as error:
        _LOGGER.warning("the key of the environment is not used: %s", error)
        return EndpointKeys("")


class FileVault:
    """A JSON file that its user alone can read."""

    source: Source = "file"

    def __init__(self, path: Path) -> None:
        self._path = path

    def read(self, origin: str) -> tuple[str, ...]:
        return self._load().get(origin, ())

    def write(self, origin: str, keys: tuple[str, ...]) -> None:
        entries = self._load()
        if entries.get(origin, ()) == keys:
            return
        kept = {name: held for name, held in entries.items() if name != origin}
        write_private(self._path, _FILE.dump_json(kept | {origin: keys} if keys else kept))

    def _load(self) -> dict[str, tuple[str, ...]]:
        try:
            return _FILE.validate_json(self._path.read_bytes())
        except FileNotFoundError:
            return {}
        except ValidationError:
            raise CorruptState(f"{self._path} cannot be read; move it away and enter the keys again") from None

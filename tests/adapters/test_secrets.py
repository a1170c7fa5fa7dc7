"""API keys: bound to their endpoint, in a file that only the user reads, shown by their last characters at most."""

import logging
import stat
import sys
import threading
from pathlib import Path

import orjson
import pytest

from st_bme.adapters.keyring_vault import SERVICE, KeyringVault
from st_bme.adapters.secrets import FILE_NAME, FileVault, KeyState, KeyStore, parse_keys
from st_bme.errors import BadRequest, CorruptState

KEY = "canary-key-0123456789"
HERE = "https://host.example"
OPENAI = "https://api.openai.com"


class LockedKeyring(Exception):
    pass


class DictKeyring:
    """A keyring in memory; `locked` makes it fail, and `hang` makes it wait until it is set."""

    def __init__(self) -> None:
        self.entries: dict[tuple[str, str], str] = {}
        self.locked = False
        self.hang: threading.Event | None = None

    def _open(self) -> None:
        if self.hang is not None:
            self.hang.wait(10)
        if self.locked:
            raise LockedKeyring("the keyring is locked")

    def get_password(self, service: str, username: str) -> str | None:
        self._open()
        return self.entries.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self._open()
        self.entries[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        self._open()
        del self.entries[service, username]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / FILE_NAME


@pytest.fixture
def store(path: Path) -> KeyStore:
    return KeyStore((FileVault(path),), {})


def _read(path: Path) -> bytes:
    return path.read_bytes()


def _write(path: Path, content: bytes) -> None:
    path.write_bytes(content)


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def _with_keyring(path: Path, backend: DictKeyring, *, patience_s: float = 5) -> KeyStore:
    return KeyStore((KeyringVault(backend, LockedKeyring, patience_s=patience_s), FileVault(path)), {})


@pytest.mark.parametrize(
    ("value", "keys"),
    [(None, ()), ("abc", ("abc",)), (" abc\n", ("abc",)), (["a", "b"], ("a", "b"))],
)
def test_a_key_or_a_list_of_keys_is_read(value: object, keys: tuple[str, ...]):
    assert parse_keys(value, "llm.apiKey") == keys


@pytest.mark.parametrize(
    ("value", "named"),
    [
        ("", r"llm\.apiKey is no key"),
        ("  ", r"llm\.apiKey is no key"),
        ([], r"llm\.apiKey must be"),
        (7, r"llm\.apiKey must be"),
        (False, r"llm\.apiKey must be"),
        ({"key": KEY}, r"llm\.apiKey must be"),
        ([KEY, ""], r"llm\.apiKey\[1\]"),
        ([KEY, KEY, 7], r"llm\.apiKey\[2\]"),
        (f"{KEY}\u200b", r"llm\.apiKey is no key"),
        (f"{KEY}\r\nX-Header: 1", r"llm\.apiKey is no key"),
        (f"{KEY} {KEY}", r"llm\.apiKey is no key"),
        ("x" * 1025, r"llm\.apiKey is no key"),
    ],
)
def test_what_is_no_key_is_named_by_its_place_and_not_shown(value: object, named: str):
    with pytest.raises(BadRequest, match=named) as caught:
        parse_keys(value, "llm.apiKey")

    assert KEY not in str(caught.value)


async def test_keys_come_back_for_their_own_origin_only(store: KeyStore):
    await store.put(HERE, (KEY, "second-key-9876543210"))

    assert (await store.keys_for(HERE)).keys == (KEY, "second-key-9876543210")
    for other in ("http://host.example", "https://host.example:8443", "https://host.example.evil.example", OPENAI):
        assert (await store.keys_for(other)).keys == ()


async def test_only_the_last_characters_are_shown(store: KeyStore):
    shown = await store.put(HERE, (KEY, "short"))

    assert shown == KeyState(HERE, "file", ("6789", ""))
    assert await store.describe(HERE) == shown
    assert await store.describe(OPENAI) == KeyState(OPENAI, "none", ())


async def test_putting_no_keys_removes_them(store: KeyStore, path: Path):
    await store.put(HERE, (KEY,))
    await store.put(OPENAI, ("other-key-0123456789",))

    await store.put(HERE, ())

    assert (await store.keys_for(HERE)).keys == ()
    assert KEY.encode() not in _read(path)
    assert (await store.keys_for(OPENAI)).keys == ("other-key-0123456789",)


async def test_keys_are_there_after_a_restart(store: KeyStore, path: Path):
    await store.put(HERE, (KEY,))

    assert (await KeyStore((FileVault(path),), {}).keys_for(HERE)).keys == (KEY,)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows keeps rights in lists, not in modes")
async def test_the_file_is_readable_by_its_user_alone(store: KeyStore, path: Path):
    await store.put(HERE, (KEY,))

    assert _mode(path) == 0o600


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"https://host.example": "text"}'])
async def test_a_file_that_cannot_be_read_is_never_taken_for_empty(store: KeyStore, path: Path, content: bytes):
    _write(path, content)

    with pytest.raises(CorruptState, match=FILE_NAME):
        await store.keys_for(HERE)
    with pytest.raises(CorruptState, match=FILE_NAME):
        await store.put(HERE, (KEY,))
    assert _read(path) == content


async def test_the_environment_serves_where_no_key_is_stored(path: Path):
    store = KeyStore((FileVault(path),), {"OPENAI_API_KEY": KEY})
    assert (await store.describe(OPENAI)).source == "environment"
    assert (await store.keys_for(OPENAI)).keys == (KEY,)
    assert (await store.keys_for(HERE)).keys == ()

    await store.put(OPENAI, ("stored-key-0123456789",))

    assert (await store.keys_for(OPENAI)).keys == ("stored-key-0123456789",)


async def test_the_key_of_the_environment_belongs_to_the_base_url_of_the_environment(path: Path):
    store = KeyStore((FileVault(path),), {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": f"{HERE}/v1"})

    assert (await store.keys_for(HERE)).keys == (KEY,)
    assert (await store.keys_for(OPENAI)).keys == ()


@pytest.mark.parametrize(
    "environment",
    [{"OPENAI_API_KEY": f"{KEY}\n{KEY}"}, {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": "host.example"}],
    ids=["key", "url"],
)
async def test_an_unusable_environment_is_left_aside(
    path: Path, environment: dict[str, str], caplog: pytest.LogCaptureFixture
):
    store = KeyStore((FileVault(path),), environment)

    assert (await store.keys_for(OPENAI)).keys == ()
    assert "not used" in caplog.text
    assert KEY not in caplog.text


async def test_every_key_held_is_known_to_the_filter_of_the_logs(store: KeyStore, path: Path):
    assert store.known_secrets() == frozenset()
    await store.put(HERE, (KEY,))
    await store.put(HERE, ())
    assert store.known_secrets() == {KEY}

    await store.put(HERE, (KEY,))
    later = KeyStore((FileVault(path),), {"OPENAI_API_KEY": "environment-key-01234"})
    await later.keys_for(HERE)

    assert later.known_secrets() == {KEY, "environment-key-01234"}


async def test_a_keyring_holds_the_keys_and_the_file_none(path: Path):
    await KeyStore((FileVault(path),), {}).put(HERE, ("older-key-0123456789",))
    backend = DictKeyring()
    store = _with_keyring(path, backend)
    assert (await store.describe(HERE)).source == "file"

    shown = await store.put(HERE, (KEY,))

    assert shown == KeyState(HERE, "keyring", ("6789",))
    assert orjson.loads(backend.entries[SERVICE, HERE]) == [KEY]
    assert b"key" not in _read(path)
    assert (await store.keys_for(HERE)).keys == (KEY,)
    await store.put(HERE, ())
    assert backend.entries == {}


async def test_a_locked_keyring_gives_way_to_the_file(path: Path, caplog: pytest.LogCaptureFixture):
    caplog.set_level(logging.DEBUG)
    backend = DictKeyring()
    backend.locked = True
    store = _with_keyring(path, backend)

    shown = await store.put(HERE, (KEY,))

    assert shown.source == "file"
    assert "the keyring is locked" in caplog.text
    assert KEY not in caplog.text


async def test_a_keyring_that_waits_for_the_user_is_asked_once(path: Path):
    backend = DictKeyring()
    backend.hang = threading.Event()
    store = _with_keyring(path, backend, patience_s=0.2)

    shown = await store.put(HERE, (KEY,))

    assert shown.source == "file"
    backend.hang.set()
    assert (await store.keys_for(HERE)).keys == (KEY,)


async def test_keys_too_long_for_a_keyring_lie_in_the_file(path: Path):
    backend = DictKeyring()
    store = _with_keyring(path, backend)

    shown = await store.put(HERE, tuple(f"{KEY}-{'x' * 1000}-{number}" for number in range(2)))

    assert (shown.source, len(shown.endings)) == ("file", 2)
    assert backend.entries == {}

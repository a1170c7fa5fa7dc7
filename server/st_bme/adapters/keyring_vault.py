"""API keys in the keyring of the operating system, where the optional package `keyring` finds one."""

from __future__ import annotations

import importlib
import logging
import threading
from collections.abc import Callable
from queue import Empty, SimpleQueue
from typing import Protocol, TypeVar

from pydantic import TypeAdapter

from st_bme.adapters.secrets import Source

_T = TypeVar("_T")

_LOGGER = logging.getLogger(__name__)

SERVICE = "st-bme-bridge"
# A locked keyring asks the user, who may not be there.
_PATIENCE_S = 10.0
# Windows keeps 2,560 bytes of UTF-16.
_LONGEST_ENTRY = 1280
_KEYS = TypeAdapter(tuple[str, ...])


class Backend(Protocol):
    """What is used of a backend of the package `keyring`."""

    def get_password(self, service: str, username: str, /) -> str | None: ...

    def set_password(self, service: str, username: str, password: str, /) -> None: ...

    def delete_password(self, service: str, username: str, /) -> None: ...


class KeyringVault:
    """One entry an origin. A keyring that does not answer is left alone for the rest of the run."""

    source: Source = "keyring"

    def __init__(self, backend: Backend, failure: type[Exception], *, patience_s: float = _PATIENCE_S) -> None:
        self._backend = backend
        self._failure = failure
        self._patience_s = patience_s
        self._is_stuck = False

    def read(self, origin: str) -> tuple[str, ...]:
        text = self._ask(lambda: self._backend.get_password(SERVICE, origin))
        return _KEYS.validate_json(text) if text else ()

    def write(self, origin: str, keys: tuple[str, ...]) -> None:
        if keys:
            text = _KEYS.dump_json(keys).decode()
            if len(text) > _LONGEST_ENTRY:
                raise OSError("a keyring entry is too small for so many keys")
            self._ask(lambda: self._backend.set_password(SERVICE, origin, text))
        elif self.read(origin):
            self._ask(lambda: self._backend.delete_password(SERVICE, origin))

    def _ask(self, question: Callable[[], _T]) -> _T:
        """On a thread that ends with the process: a question to the user cannot be taken back."""
        if self._is_stuck:
            raise OSError("it did not answer before")
        answers: SimpleQueue[tuple[_T] | str] = SimpleQueue()

        def ask() -> None:
            try:
                answers.put((question(),))
            except self._failure as error:
                answers.put(f"it answered with an error: {error}")

        threading.Thread(target=ask, name="keyring", daemon=True).start()
        try:
            answer = answers.get(timeout=self._patience_s)
        except Empty:
            self._is_stuck = True
            raise OSError(f"it did not answer within {self._patience_s:g} s; is it locked?") from None
        if isinstance(answer, str):
            raise OSError(answer)
        return answer[0]


def find_keyring() -> KeyringVault | None:
    """The keyring of this machine, unless the package is missing or has found none (a server, a container)."""
    try:
        keyring = importlib.import_module("keyring")
    except ImportError:
        return None
    backend = keyring.get_keyring()
    # Below 1 are the backends that keep nothing or keep it in the clear.
    if backend.priority < 1:
        _LOGGER.info("no keyring on this machine; API keys lie in a file that its user alone can read")
        return None
    return KeyringVault(backend, keyring.errors.KeyringError)

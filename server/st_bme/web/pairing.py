"""Who gets a token: SillyTavern's usual addresses by themselves, every other page by the user's word."""

from __future__ import annotations

import hmac
import logging
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import quote

from st_bme.errors import WrongCode
from st_bme.origins import USUAL_ORIGINS
from st_bme.protocol.results import Paired, PairingWaits
from st_bme.web.tokens import TokenFile

_LOGGER = logging.getLogger(__name__)

# After a start the user is likely to be at the machine, and a browser that lost its token comes back by itself.
OPEN_AFTER_START_S = 120
CODE_VALID_S = 300
CODE_TRIES = 5
FIRST_LOCK_S = 60
LONGEST_LOCK_S = 3_600
GRANT_VALID_S = 300


@dataclass(frozen=True, slots=True)
class Asker:
    """Who asks to be paired: `origin` None without an Origin header, `base_url` the address the server was asked at."""

    origin: str | None
    is_on_this_machine: bool
    base_url: str


@dataclass(slots=True)
class _Code:
    digits: str
    made_s: float
    tries_left: int = CODE_TRIES


class Pairing:
    """Gives out tokens.

    Args:
        tokens: where they are kept.
        trusted_origins: origins that the configuration names.
        is_loopback: whether only this machine can reach the server; else nothing is paired by itself.
        announce: shows a line to the user at the console.
        monotonic_s, wall_ms: clocks.
    """

    def __init__(
        self,
        tokens: TokenFile,
        *,
        trusted_origins: frozenset[str],
        is_loopback: bool,
        announce: Callable[[str], None],
        clocks: tuple[Callable[[], float], Callable[[], int]],
    ) -> None:
        self._tokens = tokens
        self._trusted_origins = trusted_origins
        self._is_loopback = is_loopback
        self._announce = announce
        self._monotonic_s, self._wall_ms = clocks
        self._started_s = self._monotonic_s()
        self._code: _Code | None = None
        self._locked_until_s = 0.0
        self._lock_s = FIRST_LOCK_S
        self._grants: dict[str, float] = {}

    @property
    def allowed_origins(self) -> frozenset[str]:
        """Origins whose pages may send commands, given a token."""
        return USUAL_ORIGINS | self._trusted_origins | self._tokens.origins | self._granted()

    def knows(self, token: bytes) -> bool:
        """Whether the token was given out here."""
        return self._tokens.knows(token)

    def allow(self, origin: str) -> None:
        """The user pressed *Allow* for this origin ("" for a program without one): its next `pair` succeeds."""
        self._grants[origin] = self._monotonic_s() + GRANT_VALID_S

    async def pair(self, asker: Asker, code: str) -> Paired | PairingWaits:
        """A token, or what the user has to do first.

        Raises: WrongCode: the code given is not the one shown.
        """
        origin = asker.origin or ""
        if code:
            self._spend(code)
        elif not self._pairs_by_itself(asker) and not self._take_grant(origin):
            return self._wait(asker)
        token = await self._tokens.give_out(origin, self._wall_ms())
        _LOGGER.info("a browser was paired")
        return Paired(token=token)

    def _pairs_by_itself(self, asker: Asker) -> bool:
        if not (self._is_loopback and asker.is_on_this_machine and asker.origin is not None):
            return False
        if asker.origin not in USUAL_ORIGINS | self._trusted_origins | self._tokens.origins:
            return False
        return self._tokens.is_new or self._monotonic_s() - self._started_s <= OPEN_AFTER_START_S

    def _granted(self) -> frozenset[str]:
        now = self._monotonic_s()
        return frozenset(origin for origin, until in self._grants.items() if origin and now <= until)

    def _take_grant(self, origin: str) -> bool:
        return self._monotonic_s() <= self._grants.pop(origin, float("-inf"))

    def _wait(self, asker: Asker) -> PairingWaits:
        url = f"{asker.base_url}/allow?origin={quote(asker.origin or '', safe='')}"
        self._show_code(asker.origin or "a program without a web address (for instance SillyTavern's proxy)", url)
        return PairingWaits(allow_url=url)

    def _show_code(self, who: str, url: str) -> None:
        now = self._monotonic_s()
        if now < self._locked_until_s or (self._code is not None and now - self._code.made_s <= CODE_VALID_S):
            return
        self._code = _Code(f"{secrets.randbelow(10**6):06}", now)
        self._announce(
            f"{who} asks to be connected. If that is you: open {url}\n"
            f"or type the code {self._code.digits} in the panel of ST-BME Bridge ({CODE_VALID_S // 60} minutes)."
        )

    def _spend(self, given: str) -> None:
        """Use the code up, by success, by age or by too many tries."""
        code, now = self._code, self._monotonic_s()
        if code is None or now - code.made_s > CODE_VALID_S:
            self._code = None
            raise WrongCode("there is no such code any more; ask for a new one and type the one the console shows")
        if hmac.compare_digest(code.digits.encode(), given.strip().encode()):
            self._code = None
            self._lock_s = FIRST_LOCK_S
            return
        code.tries_left -= 1
        if code.tries_left == 0:
            self._code = None
            self._locked_until_s = now + self._lock_s
            wait_s, self._lock_s = self._lock_s, min(2 * self._lock_s, LONGEST_LOCK_S)
            raise WrongCode(f"the code is wrong and no longer valid; ask for a new one in {wait_s} s")
        raise WrongCode(f"the code is wrong, {code.tries_left} tries left; type the six digits the console shows")

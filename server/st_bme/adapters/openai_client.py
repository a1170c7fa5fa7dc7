"""Calls to an OpenAI-compatible endpoint: one time limit over all tries, keys in turn, errors without secrets."""

from __future__ import annotations

import asyncio
import logging
import math
import random
import time
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING

from pydantic import BaseModel, ValidationError

from st_bme.adapters.endpoint import Endpoint
from st_bme.adapters.key_ring import EndpointKeys, KeyRing, KeyTurn
from st_bme.errors import EndpointRefused, KeyWrong, ModelFailed, ModelTimeout, RateLimited, RequestRefused

if TYPE_CHECKING:
    import httpx2
    from openai import AsyncOpenAI

_LOGGER = logging.getLogger(__name__)

# Tries after the first that a busy or failing endpoint gets; a key that is refused costs none of them.
RETRIES = 2
_FIRST_PAUSE_S = 0.5
_LONGEST_WAIT_S = 3600.0
# An account without credit: not worth a call every turn, but the user may pay meanwhile.
_QUOTA_WAIT_S = 300.0
_QUOTED_CHARACTERS = 200
_NO_ANSWER = 0
_TRY_LATER = frozenset({_NO_ANSWER, 408, 409, 429, 500, 502, 503, 504, 529})


@dataclass(frozen=True, slots=True)
class OutgoingLimits:
    """`own_port`: where this server listens, which no call may reach."""

    own_port: int | None = None
    answer_bytes: int = 4 * 1024**2


class OpenAiClient:
    """Posts to one endpoint. The SDK is imported in a thread by the first call: it costs half a second and 25 MB."""

    def __init__(self, endpoint: Endpoint, keys: EndpointKeys, limits: OutgoingLimits) -> None:
        if keys.keys and keys.origin != endpoint.origin:
            raise EndpointRefused(f"the key belongs to {keys.origin}; enter the one of {endpoint.origin}")
        self.endpoint = endpoint
        self._ring = KeyRing(keys.keys)
        self._limits = limits
        self._sdk: AsyncOpenAI | None = None
        self._loading = asyncio.Lock()

    async def post(self, path: str, body: Mapping[str, object], *, timeout_s: float) -> bytes:
        """The body of the answer.

        Raises:
            ModelTimeout, RateLimited, KeyWrong, RequestRefused, EndpointRefused, ModelFailed
        """
        try:
            async with asyncio.timeout(timeout_s) as limit:
                return await self._post(path, body, limit.when() or math.inf)
        except TimeoutError:
            raise ModelTimeout(f"{self.endpoint.authority} did not answer within {timeout_s:g} s") from None

    async def close(self) -> None:
        if self._sdk is not None:
            await self._sdk.close()
            self._sdk = None

    async def _post(self, path: str, body: Mapping[str, object], ends_at_s: float) -> bytes:
        refused: frozenset[int] = frozenset()
        failures = 0
        while True:
            turn = self._ring.take(now_s(), refused=refused)
            if turn is None:
                raise self._key_wrong()
            await self._wait_for(turn, ends_at_s)
            outcome = await self._try(path, body, turn)
            if isinstance(outcome, bytes):
                return outcome
            if outcome.status == 401:
                _LOGGER.warning("%s refused key %d of %d", self.endpoint.authority, turn.index + 1, len(self._ring))
                refused |= {turn.index}
                continue
            failures += 1
            allowed = RETRIES + (len(self._ring) - 1 if outcome.status == 429 else 0)
            if outcome.status not in _TRY_LATER or failures > allowed:
                raise self._failure(outcome)
            await self._pause(turn, outcome, failures)

    async def _wait_for(self, turn: KeyTurn, ends_at_s: float) -> None:
        wait_s = turn.free_at_s - now_s()
        if turn.free_at_s >= ends_at_s:
            where = self.endpoint.authority
            raise RateLimited(f"{where} takes no more calls for {wait_s:.0f} s: {turn.reason}", wait_s)
        if wait_s > 0:
            await asyncio.sleep(wait_s)

    async def _pause(self, turn: KeyTurn, outcome: _Refusal, failures: int) -> None:
        pause_s = _FIRST_PAUSE_S * 2 ** (failures - 1) * random.uniform(0.75, 1.25)
        if outcome.retry_after_s is not None:
            pause_s = outcome.retry_after_s
        elif "insufficient_quota" in outcome.message:
            pause_s = _QUOTA_WAIT_S
        if outcome.status == 429:
            # Another key may go on at once; this one waits.
            self._ring.hold(turn.index, now_s() + pause_s, outcome.message)
        else:
            await asyncio.sleep(pause_s)

    async def _try(self, path: str, body: Mapping[str, object], turn: KeyTurn) -> bytes | _Refusal:
        sdk = await self._load()
        import httpx2  # noqa: PLC0415 - loaded with the SDK
        import openai  # noqa: PLC0415

        headers: dict[str, str | openai.Omit] = {"Authorization": f"Bearer {turn.key}" if turn.key else openai.Omit()}
        try:
            answer = await sdk.post(path, cast_to=httpx2.Response, body=body, options={"headers": headers})
        except openai.APIStatusError as error:
            return self._refusal(error.response)
        except openai.OpenAIError as error:
            # Not chained to what is raised: the request, which carries the key, hangs on it.
            return _Refusal(_NO_ANSWER, self._quotable(str(error.__cause__ or error)))
        return answer.content

    async def prepare(self) -> None:
        """Load the SDK, which a slow machine takes seconds for: no time of the endpoint's."""
        await self._load()

    async def _load(self) -> AsyncOpenAI:
        async with self._loading:
            if self._sdk is None:
                self._sdk = await asyncio.to_thread(self._make_sdk)
            return self._sdk

    def _make_sdk(self) -> AsyncOpenAI:
        import httpx2  # noqa: PLC0415 - the reason stands at the class
        import openai  # noqa: PLC0415

        from st_bme.adapters.guarded_transport import CONNECT_TIMEOUT_S, GuardedTransport  # noqa: PLC0415

        transport = GuardedTransport(
            self.endpoint, own_port=self._limits.own_port, answer_limit_bytes=self._limits.answer_bytes
        )
        timeout = httpx2.Timeout(None, connect=CONNECT_TIMEOUT_S)
        http = httpx2.AsyncClient(transport=transport, follow_redirects=False, trust_env=False, timeout=timeout)
        # Without a key here the SDK would take that of the environment, for whatever host this is.
        return openai.AsyncOpenAI(
            api_key="unused", base_url=self.endpoint.base_url, http_client=http, max_retries=0, timeout=timeout
        )

    def _refusal(self, response: httpx2.Response) -> _Refusal:
        try:
            error = _ErrorBody.model_validate_json(response.content).error
        except ValidationError:
            error = "no reason given"
        if isinstance(error, _Error):
            error = " ".join(str(part) for part in (error.message, error.code, error.param) if part)
        wait_s = retry_after(response.headers, now_s=time.time())
        return _Refusal(response.status_code, self._quotable(error), wait_s)

    def _quotable(self, text: str) -> str:
        """Hidden before it is cut, since the cut may go through a key."""
        return " ".join(self._ring.hide(text).split())[:_QUOTED_CHARACTERS]

    def _failure(self, outcome: _Refusal) -> ModelFailed:
        where, said = self.endpoint.authority, outcome.message
        if outcome.status == _NO_ANSWER:
            return ModelFailed(f"{where} cannot be reached ({said}); is it running, and is the base URL right?")
        if outcome.status == 429:
            return RateLimited(f"{where} takes no more calls: {said}", outcome.retry_after_s or 0.0)
        if 300 <= outcome.status < 400:
            return RequestRefused(f"{where} redirects, which is not followed; enter the final address", outcome.status)
        if 400 <= outcome.status < 500 or outcome.status == 501:
            return RequestRefused(f"{where} refused the call ({outcome.status}): {said}", outcome.status)
        return ModelFailed(f"{where} failed ({outcome.status}): {said}")

    def _key_wrong(self) -> KeyWrong:
        where = self.endpoint.origin
        if self._ring.is_empty:
            return KeyWrong(f"{where} wants a key and none is set for it; enter its key")
        return KeyWrong(f"{where} accepts none of its {len(self._ring)} keys; enter them again")


@dataclass(frozen=True, slots=True)
class _Refusal:
    """An answer other than success, or none. `retry_after_s` None: not said."""

    status: int
    message: str
    retry_after_s: float | None = None


class _Error(BaseModel):
    message: str = ""
    code: str | int | None = None
    param: str | None = None


class _ErrorBody(BaseModel):
    error: _Error | str


def retry_after(headers: Mapping[str, str], *, now_s: float) -> float | None:
    """Seconds to wait as the endpoint says, from 0 to an hour; None where it says nothing readable."""
    said, scale = headers.get("retry-after-ms"), 0.001
    if said is None:
        said, scale = headers.get("retry-after"), 1.0
    if said is None:
        return None
    try:
        seconds = float(said) * scale
    except ValueError:
        try:
            seconds = parsedate_to_datetime(said).timestamp() - now_s
        except ValueError:
            return None
    return None if math.isnan(seconds) else min(max(seconds, 0.0), _LONGEST_WAIT_S)


def now_s() -> float:
    """The event loop's clock, which the time limit is measured by."""
    return asyncio.get_running_loop().time()
